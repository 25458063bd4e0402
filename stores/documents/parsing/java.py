"""Java source files."""

import tree_sitter_java
from tree_sitter import Language

from stores.documents.document import ParsedDocument
from stores.documents.parsing.source import Source
from stores.documents.parsing.syntax_tree import Grammar, parse_code

_JAVA = Grammar(
    language=Language(tree_sitter_java.language()),
    media_type="text/x-java",
    classes=frozenset(
        {
            "class_declaration",
            "interface_declaration",
            "enum_declaration",
            "record_declaration",
            "annotation_type_declaration",
        }
    ),
    functions=frozenset({"method_declaration", "constructor_declaration", "compact_constructor_declaration"}),
    wrappers=frozenset(),
    containers=frozenset({"enum_body_declarations", "class_body"}),
    comments=frozenset({"line_comment", "block_comment"}),
    package="package_declaration",
)


def parse_java(source: Source) -> ParsedDocument:
    """Blocks by class and method; headers are the package and the signatures around them."""
    return parse_code(source, _JAVA)
