"""What can be wrong with the input of a turn."""


class InputError(Exception):
    """Root: the turn cannot start. The message is one line that the user sees."""


class EmptyQuestionError(InputError):
    """There is no question."""


class QuestionTooLongError(InputError):
    """The question does not fit into the context."""
