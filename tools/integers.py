"""Whole floats as integers where a schema asks for them: 1.0 is one to JSON Schema, but not to Python."""

import re
from collections.abc import Iterator
from typing import Any

from referencing.exceptions import Unresolvable

from tools.schema import Schema, resolve


def with_integers(arguments: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """A copy of valid `arguments` in which 1.0 is 1 wherever the schemas that apply ask for an integer."""
    converted: dict[str, Any] = _integral(arguments, [schema], schema)
    return converted


def _integral(value: object, schemas: list[object], root: Schema) -> Any:
    """`value` with 1.0 as 1 wherever the schemas that apply to it ask for an integer."""
    applied = [each for schema in schemas for each in _applied(schema, root, set())]
    match value:
        case float() if value.is_integer() and _asks_integer(applied):
            return int(value)
        case dict():
            return {
                key: _integral(item, [child for each in applied for child in _children(each, key)], root)
                for key, item in value.items()
            }
        case list():
            return [
                _integral(item, [child for each in applied for child in _item(each, place)], root)
                for place, item in enumerate(value)
            ]
        case _:
            return value


def _applied(schema: object, root: Schema, seen: set[str]) -> Iterator[Schema]:
    """`schema` and every schema that it lets look at the same value."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key in ("allOf", "anyOf", "oneOf"):
        for child in schema.get(key, []):
            yield from _applied(child, root, seen)
    for key in ("then", "else"):
        yield from _applied(schema.get(key), root, seen)
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        try:
            yield from _applied(resolve(root, reference), root, seen | {reference})
        except Unresolvable:  # relative to a nested $id: the validator has followed it, this walk need not
            return


def _asks_integer(schemas: list[Schema]) -> bool:
    types: set[str] = set()
    for schema in schemas:
        declared = schema.get("type", [])
        types.update([declared] if isinstance(declared, str) else declared)
    return "integer" in types and "number" not in types


def _children(schema: Schema, key: str) -> list[object]:
    found = [schema.get("properties", {}).get(key)]
    found += [child for pattern, child in schema.get("patternProperties", {}).items() if re.search(pattern, key)]
    return [child for child in found if child is not None] or [schema.get("additionalProperties")]


def _item(schema: Schema, place: int) -> list[object]:
    first = schema.get("prefixItems", [])
    return [first[place] if place < len(first) else schema.get("items")]
