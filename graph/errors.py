"""What can be wrong with how Recite is set up."""


class SettingsError(Exception):
    """A setting has a value that cannot work. One line: the variable, the value, what is allowed."""
