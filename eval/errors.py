"""What can be wrong with what is to be measured."""


class EvaluationError(Exception):
    """A measurement that cannot be made: what is wrong, and what to do."""


class DatasetError(EvaluationError):
    """A dataset that is missing, unreadable or not in its format."""


class StaleLabelsError(EvaluationError):
    """Labels that point to nothing in the corpus."""
