"""JavaScript source files."""

import tree_sitter_javascript
from tree_sitter import Language, Node

from stores.documents.document import ParsedDocument
from stores.documents.parsing.source import Source
from stores.documents.parsing.syntax_tree import Grammar, parse_code

_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "class"})


def name_of_value(node: Node) -> str:
    """The name that a function value is bound to: `const f = () => …`, `exports.f = function …`."""
    if node.type in {"lexical_declaration", "variable_declaration"}:
        return _bound(node.named_children[0], "name", "value") if len(node.named_children) == 1 else ""
    if node.type == "expression_statement" and node.named_children:
        return _bound(node.named_children[0], "left", "right")
    return ""


def _bound(node: Node, name: str, value: str) -> str:
    target, bound = node.child_by_field_name(name), node.child_by_field_name(value)
    if target is None or bound is None or bound.type not in _FUNCTION_VALUES:
        return ""
    return (target.text or b"").decode(errors="ignore")


_JAVASCRIPT = Grammar(
    language=Language(tree_sitter_javascript.language()),
    media_type="text/javascript",
    classes=frozenset({"class_declaration"}),
    functions=frozenset({"function_declaration", "generator_function_declaration", "method_definition"}),
    wrappers=frozenset({"export_statement"}),
    containers=frozenset({"statement_block"}),
    comments=frozenset({"comment"}),
    name_of=name_of_value,
)


def parse_javascript(source: Source) -> ParsedDocument:
    """Blocks by class, method and function."""
    return parse_code(source, _JAVASCRIPT)
