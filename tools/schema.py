"""A tool's parameters as JSON Schema 2020-12: checked once, closed, and cut off from the network."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from tools.errors import InvalidSchemaError
from tools.formats import FORMAT_CHECKER

Schema = dict[str, Any]

_REFERENCES = ("$ref", "$dynamicRef")
_OPEN_OR_CLOSED = ("additionalProperties", "unevaluatedProperties")
# Keywords whose schemas look at the same value as the schema they stand in. `additionalProperties: false` in
# one of them would refuse the properties that its siblings declare, so the whole is closed instead.
_SAME_VALUE = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas")
_ONE_CHILD = ("items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems")
_MANY_CHILDREN = ("properties", "patternProperties")


def checked_schema(parameters: Mapping[str, Any]) -> Schema:
    """A closed copy of `parameters`: an object with declared properties takes no others, at any depth.

    An object that says `additionalProperties` or `unevaluatedProperties` itself is left as it is, and so is a
    nested object that declares no property at all: it stands for a free mapping.

    Raises:
        InvalidSchemaError: not a valid schema, not the schema of an object, or with a `$ref` that is remote,
            dangling or without end.
    """
    schema = copy.deepcopy(dict(parameters))
    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, RecursionError) as error:
        raise InvalidSchemaError(f"Not a JSON Schema 2020-12: {str(error).splitlines()[0][:200]}.") from error
    if schema.setdefault("type", "object") != "object":
        raise InvalidSchemaError(f"Parameters must be of type object, not {schema['type']!r}.")
    _check_references(schema)
    _close(schema, root=True)
    for definition in (*schema.get("$defs", {}).values(), *schema.get("definitions", {}).values()):
        _close_children(definition)
    _check_end(schema)
    return schema


def validator(schema: Schema) -> Draft202012Validator:
    """A validator that checks formats and fetches nothing."""
    return Draft202012Validator(schema, registry=Registry(), format_checker=FORMAT_CHECKER)


def resolve(schema: Schema, reference: str) -> object:
    """What a local `$ref` of `schema` points at.

    Raises:
        Unresolvable: it points at nothing.
    """
    resource = DRAFT202012.create_resource(schema)
    base = resource.id() or ""
    registry: Registry[Any] = Registry().with_resource(base, resource)
    target: object = registry.resolver(base).lookup(reference).contents
    return target


def _check_references(schema: Schema) -> None:
    for reference in _references(schema):
        if not reference.startswith("#"):
            raise InvalidSchemaError(f"$ref {reference[:200]!r} leaves the schema. Copy what it points at into $defs.")
        try:
            resolve(schema, reference)
        except Unresolvable as error:
            raise InvalidSchemaError(f"$ref {reference[:200]!r} points at nothing.") from error


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in _REFERENCES and isinstance(value, str):
                yield value
            elif key not in {"const", "enum", "default", "examples"}:
                yield from _references(value)
    elif isinstance(node, list):
        for item in node:
            yield from _references(item)


def _close(schema: object, *, root: bool = False) -> None:
    """Close the schema of a value of its own, then what lies below it."""
    if not isinstance(schema, dict):
        return
    if not any(key in schema for key in _OPEN_OR_CLOSED):
        if any(key in schema for key in _SAME_VALUE):
            schema["unevaluatedProperties"] = False
        elif root or "properties" in schema:
            schema["additionalProperties"] = False
    _close_children(schema)


def _close_children(schema: object) -> None:
    if not isinstance(schema, dict):
        return
    for key in _ONE_CHILD:
        _close(schema.get(key))
    for key in _MANY_CHILDREN:
        for child in schema.get(key, {}).values():
            _close(child)
    for child in schema.get("prefixItems", []):
        _close(child)
    for child in _same_value_children(schema):
        _close_children(child)


def _same_value_children(schema: Schema) -> Iterator[object]:
    for key in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(key, [])
    for key in ("if", "then", "else"):
        yield schema.get(key)
    yield from schema.get("dependentSchemas", {}).values()


def _check_end(schema: Schema) -> None:
    try:
        validator(schema).is_valid({})
    except RecursionError as error:
        raise InvalidSchemaError("A $ref leads back to itself without end.") from error
