"""What can go wrong between Recite and a chat model. One line each: what happened, where, what to do.

No message ever holds the API key.
"""


class ModelError(Exception):
    """Root of every error raised by a chat model."""


class ModelUnreachableError(ModelError):
    """No connection to the endpoint, or it broke off in the middle of an answer."""


class ModelRejectedError(ModelError):
    """The endpoint refused the request: wrong key, unknown model or route, or a request it cannot serve."""


class ModelOverloadedError(ModelError):
    """The endpoint is out of quota or failing (429, 5xx), also after the retries."""


class ModelTimeoutError(ModelError):
    """The endpoint took longer than the configured time."""


class ModelResponseError(ModelError):
    """The endpoint answered, but not with a chat completion."""
