"""What can be wrong with a training run."""


class TrainingError(Exception):
    """Data, a checkpoint or a model that cannot be used: what is wrong, and what to do."""
