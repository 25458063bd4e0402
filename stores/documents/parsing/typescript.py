"""TypeScript source files, with and without JSX."""

from dataclasses import replace

import tree_sitter_typescript
from tree_sitter import Language

from stores.documents.document import ParsedDocument
from stores.documents.parsing.javascript import name_of_value
from stores.documents.parsing.source import Source
from stores.documents.parsing.syntax_tree import Grammar, parse_code

_TYPESCRIPT = Grammar(
    language=Language(tree_sitter_typescript.language_typescript()),
    media_type="text/typescript",
    classes=frozenset({"class_declaration", "abstract_class_declaration", "internal_module", "module"}),
    functions=frozenset(
        {
            "function_declaration",
            "generator_function_declaration",
            "method_definition",
            "abstract_method_signature",
            "interface_declaration",
            "enum_declaration",
            "type_alias_declaration",
        }
    ),
    wrappers=frozenset({"export_statement", "ambient_declaration"}),
    containers=frozenset({"statement_block", "expression_statement"}),
    comments=frozenset({"comment"}),
    name_of=name_of_value,
)
_TSX = replace(_TYPESCRIPT, language=Language(tree_sitter_typescript.language_tsx()))


def parse_typescript(source: Source) -> ParsedDocument:
    """Blocks by class, method, function, interface, enum and type."""
    return parse_code(source, _TYPESCRIPT)


def parse_tsx(source: Source) -> ParsedDocument:
    """The same for files with JSX in them."""
    return parse_code(source, _TSX)
