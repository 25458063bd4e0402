"""Python source files."""

import tree_sitter_python
from tree_sitter import Language

from stores.documents.document import ParsedDocument
from stores.documents.parsing.source import Source
from stores.documents.parsing.syntax_tree import Grammar, parse_code

_PYTHON = Grammar(
    language=Language(tree_sitter_python.language()),
    media_type="text/x-python",
    classes=frozenset({"class_definition"}),
    functions=frozenset({"function_definition"}),
    wrappers=frozenset({"decorated_definition"}),
    containers=frozenset({"if_statement", "else_clause", "elif_clause", "try_statement", "except_clause", "block"}),
    comments=frozenset({"comment"}),
)


def parse_python(source: Source) -> ParsedDocument:
    """Blocks by class and function, also those under an `if` or `try` of the module."""
    return parse_code(source, _PYTHON)
