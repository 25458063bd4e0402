"""What can go wrong with tools. Every message says what happened, with which value, and what to do."""


class ToolError(Exception):
    """Root of every error raised by the tools."""


class InvalidToolError(ToolError):
    """A tool's definition cannot be used: its name, description or limits."""


class InvalidSchemaError(InvalidToolError):
    """A tool's parameters are no JSON Schema 2020-12 of an object, or reach outside their own document."""


class DuplicateToolError(ToolError):
    """Two tools bear the same name, or names that a reader takes for the same."""


class UnknownToolError(ToolError):
    """No tool with this name is registered."""


class ToolDeniedError(ToolError):
    """The tool was not offered in this turn, or this user may not use it."""


class ToolArgumentsError(ToolError):
    """The arguments are not a JSON object, or the tool's schema refuses them."""


class ToolTimeoutError(ToolError):
    """The tool gave no answer within its time limit."""


class ToolConflictError(ToolError):
    """A write was repeated under a key that already stands for another call, or that is still running."""


class CalculationError(ToolArgumentsError):
    """The expression is not arithmetic, has no result, or its numbers grow too long."""
