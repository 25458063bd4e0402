"""Code by its syntax tree: blocks on the borders of classes and methods, also in a file with errors."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Language, Node
from tree_sitter import Parser as TreeParser

from stores.documents.document import Location, ParsedDocument
from stores.documents.parsing.encodings import read_text
from stores.documents.parsing.regions import Cut, blocks_between
from stores.documents.parsing.source import Source

_MAX_SIGNATURE = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """What the walk has to know of a language. Names are the node types of its tree-sitter grammar."""

    language: Language
    media_type: str
    classes: frozenset[str]
    """Nodes with a name and a `body` that holds members."""
    functions: frozenset[str]
    """Nodes that become a block with a symbol."""
    wrappers: frozenset[str]
    """Nodes that hold the real one (decorators, `export`); the block is the wrapper."""
    containers: frozenset[str]
    """Nodes without a name to walk into. `ERROR` is always one: a broken file still has methods."""
    comments: frozenset[str]
    package: str = ""
    """The node that names the package; its line leads every header."""
    name_of: Callable[[Node], str] | None = None
    """The name of a function-like node that has no `name` field, or "" for nodes that are none."""


@dataclass(frozen=True, slots=True)
class _Scope:
    symbol: str
    header: str

    def location(self) -> Location:
        return Location(symbol=self.symbol or None)

    def within(self, name: str, signature: str) -> "_Scope":
        symbol = f"{self.symbol}.{name}" if self.symbol else name
        return _Scope(symbol, f"{self.header}\n{signature}".strip())


def parse_code(source: Source, grammar: Grammar) -> ParsedDocument:
    """Blocks of kind code: what stands before the first class, a class's head and fields, each method.

    Comments before a declaration belong to it. Where nothing is recognised, the whole file is one block of lines.
    """
    text, encoding = read_text(source)
    data = text.encode()
    # A parser must not be shared between threads, so each file has its own.
    root = TreeParser(grammar.language).parse(data).root_node
    header = _package(root, grammar)
    cuts = [Cut(0, "code"), *_cuts(root, _Scope("", header), grammar)]
    return ParsedDocument(
        text=text,
        blocks=blocks_between(text, _in_characters(data, cuts)),
        title=source.name,
        media_type=grammar.media_type,
        encoding=encoding,
    )


def _cuts(container: Node, scope: _Scope, grammar: Grammar) -> Iterator[Cut]:
    """Cuts in bytes: one where a class or method begins, one where the container goes on after it."""
    comments_from: int | None = None
    for node in container.named_children:
        if node.type in grammar.comments:
            trailing = node.prev_sibling and node.prev_sibling.end_point.row == node.start_point.row
            if comments_from is None and not trailing:
                comments_from = _line_start(node)
            continue
        start = _line_start(node) if comments_from is None else comments_from
        comments_from = None
        inner = _unwrapped(node, grammar)
        name = _name(inner, grammar)
        body = inner.child_by_field_name("body")
        if inner.type in grammar.classes and name:
            here = scope.within(name, _signature(inner, body))
            yield Cut(start, "code", here.location(), here.header)
            if body is not None:
                yield from _cuts(body, here, grammar)
            yield _after(node, scope)
        elif name:
            here = scope.within(name, _signature(inner, _body_of(inner)))
            yield Cut(start, "code", here.location(), here.header)
            yield _after(node, scope)
        elif node.type == "ERROR" or node.type in grammar.containers:
            yield from _cuts(node, scope, grammar)


def _after(node: Node, scope: _Scope) -> Cut:
    return Cut(node.end_byte, "code", scope.location(), scope.header)


def _line_start(node: Node) -> int:
    """Where the node's line begins, if only white space stands before it, else the node itself."""
    before = node.prev_sibling or (node.parent if node.parent and node.parent.start_byte < node.start_byte else None)
    same_line = before is not None and (
        before.end_point.row == node.start_point.row
        if before is node.prev_sibling
        else before.start_point.row == node.start_point.row
    )
    return node.start_byte if same_line else node.start_byte - node.start_point.column


def _unwrapped(node: Node, grammar: Grammar) -> Node:
    while node.type in grammar.wrappers:
        wanted = [child for child in node.named_children if child.type not in grammar.comments]
        named = [child for child in wanted if _name(child, grammar) or child.type in grammar.wrappers]
        if not named:
            break
        node = named[-1]
    return node


def _name(node: Node, grammar: Grammar) -> str:
    if node.type in grammar.classes or node.type in grammar.functions:
        field = node.child_by_field_name("name")
        if field is not None:
            return _text(field)
    return grammar.name_of(node) if grammar.name_of else ""


def _body_of(node: Node) -> Node | None:
    """The first body at or below `node`: a function may stand as the value of a variable."""
    body = node.child_by_field_name("body")
    if body is not None:
        return body
    for child in node.named_children:
        found = _body_of(child) if child.type.endswith(("declarator", "function", "expression")) else None
        if found is not None:
            return found
    return None


def _signature(node: Node, body: Node | None) -> str:
    """The declaration up to its body, on one line."""
    written = (node.text or b"")[: (body.start_byte if body else node.end_byte) - node.start_byte]
    return " ".join(written.decode(errors="ignore").split())[:_MAX_SIGNATURE]


def _package(root: Node, grammar: Grammar) -> str:
    found = next((node for node in root.named_children if grammar.package and node.type == grammar.package), None)
    return _text(found) if found else ""


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="ignore")


def _in_characters(data: bytes, cuts: list[Cut]) -> list[Cut]:
    """The same cuts with their places counted in characters; the tree counts UTF-8 bytes."""
    moved: list[Cut] = []
    byte = character = 0
    for cut in sorted(cuts, key=lambda cut: cut.start):
        character += len(data[byte : cut.start].decode())
        byte = cut.start
        moved.append(Cut(character, cut.kind, cut.location, cut.header))
    return moved
