"""The arguments of a call: strictly parsed and checked against the tool's full schema."""

import json
from typing import Any

from tools.errors import ToolArgumentsError
from tools.integers import with_integers
from tools.tool import Tool

Arguments = dict[str, Any]

MAX_ARGUMENT_BYTES = 64_000
_ECHO = 200
_SCHEMA_ECHO = 1_500
_MAX_PROBLEMS = 5


def checked_arguments(tool: Tool, arguments: Arguments | str, position: int | None = None) -> Arguments:
    """The arguments as the tool may receive them.

    Text is parsed strictly and never repaired: a guess at what was cut off would run a call that nobody
    proposed. 1.0 is an integer to JSON Schema, and reaches the tool as 1 where one is asked for.
    `position` is where parsing failed, if the caller already knows.

    Raises:
        ToolArgumentsError: says where and why, with the tool's schema, for the model to propose again.
    """
    try:
        parsed = parse_arguments(arguments, position) if isinstance(arguments, str) else arguments
        _check_plain(parsed)
        _check_schema(tool, parsed)
    except RecursionError as error:
        raise ToolArgumentsError("The arguments are nested too deeply.") from error
    except ToolArgumentsError as error:
        raise ToolArgumentsError(f"{error} Nothing was run. {_schema_echo(tool)}") from error
    return with_integers(parsed, tool.parameters)


def parse_arguments(text: str, position: int | None = None) -> Arguments:
    """A JSON object from text.

    Raises:
        ToolArgumentsError: with the position (in characters, from 0) at which the text stops being one.
    """
    _check_size(len(text.encode(errors="replace")))
    try:
        parsed = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = error.pos if position is None else position
        raise ToolArgumentsError(
            f"The arguments are no complete JSON: {error.msg} at position {where} of {_echo(text)}."
        ) from error
    except RecursionError as error:
        raise ToolArgumentsError(f"The arguments are nested too deeply: {_echo(text)}.") from error
    except ValueError as error:  # a number of more digits than Python converts
        raise ToolArgumentsError(f"The arguments hold an unusable value: {_echo(str(error))}.") from error
    if not isinstance(parsed, dict):
        raise ToolArgumentsError(f"The arguments must be a JSON object, not {_echo(text)}.")
    return parsed


def _refuse_constant(name: str) -> None:
    raise ToolArgumentsError(f"{name} is no JSON value.")


def _unique(pairs: list[tuple[str, Any]]) -> Arguments:
    seen: Arguments = {}
    for key, value in pairs:
        if key in seen:
            raise ToolArgumentsError(f"The argument {_echo(key)} is given twice.")
        seen[key] = value
    return seen


def _check_plain(arguments: object) -> None:
    """Only what JSON and UTF-8 can carry, and not too much of it."""
    if not isinstance(arguments, dict):
        raise ToolArgumentsError(f"The arguments must be a JSON object, not {_echo(repr(arguments))}.")
    try:
        size = len(json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode())
    except UnicodeEncodeError as error:
        raise ToolArgumentsError("The arguments hold half a character (a lone surrogate).") from error
    except (TypeError, ValueError) as error:
        raise ToolArgumentsError(f"The arguments are no JSON: {error}.") from error
    _check_size(size)


def _check_size(size: int) -> None:
    if size > MAX_ARGUMENT_BYTES:
        raise ToolArgumentsError(f"The arguments are {size} bytes long; at most {MAX_ARGUMENT_BYTES} are taken.")


def _check_schema(tool: Tool, arguments: Arguments) -> None:
    problems = sorted(tool.validator.iter_errors(arguments), key=lambda problem: problem.json_path)
    if not problems:
        return
    told = [f"{problem.json_path}: {_shortened(problem.message)}" for problem in problems[:_MAX_PROBLEMS]]
    if len(problems) > _MAX_PROBLEMS:
        told.append(f"and {len(problems) - _MAX_PROBLEMS} more")
    raise ToolArgumentsError(f"The arguments do not fit {tool.name}: {'; '.join(told)}.")


def _schema_echo(tool: Tool) -> str:
    schema = json.dumps(tool.parameters, ensure_ascii=False, separators=(",", ":"))
    return f"Schema: {schema[:_SCHEMA_ECHO]}{'…' if len(schema) > _SCHEMA_ECHO else ''}"


def _echo(text: str) -> str:
    return f"`{_shortened(text)}`"


def _shortened(text: str) -> str:
    return text if len(text) <= _ECHO else f"{text[: _ECHO - 60]} … {text[-50:]}"
