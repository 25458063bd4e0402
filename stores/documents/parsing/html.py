"""HTML pages: the visible main text with headings, lists, code and tables."""

from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString

from stores.documents.document import ParsedDocument
from stores.documents.parsing.assembly import Assembly
from stores.documents.parsing.encodings import read_text
from stores.documents.parsing.source import Source
from stores.documents.parsing.tables import Cell, table_text
from stores.errors import DocumentEmptyError

_DROPPED = frozenset(
    {"script", "style", "template", "noscript", "nav", "head", "svg", "iframe", "object", "canvas", "audio", "video"}
    | {"select", "option", "button", "datalist"}
)
_INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins"}
    | {"kbd", "label", "mark", "q", "rb", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub"}
    | {"sup", "time", "tt", "u", "var", "wbr", "input", "img", "math", "nobr"}
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NAVIGATION_ROLES = frozenset({"navigation", "search", "menu", "menubar"})
_LAYOUT_CELL = 2_000
"""A cell with more characters than this is page layout, not data."""


def parse_html(source: Source) -> ParsedDocument:
    """Scripts, styles, navigation and whatever the page hides are left out.

    Raises:
        DocumentEmptyError: no visible text.
    """
    markup, encoding = read_text(source)
    assembly = Assembly()
    title = write_html(assembly, markup)
    text, blocks = assembly.finish()
    if not blocks:
        raise DocumentEmptyError(f"{source.name} shows no text (only markup, scripts or hidden parts).")
    return ParsedDocument(
        text=text, blocks=blocks, title=title or source.path.stem, media_type="text/html", encoding=encoding
    )


def write_html(assembly: Assembly, markup: str) -> str:
    """Write what a reader sees of the page, and say its title."""
    # The prefix keeps Beautiful Soup from guessing that XHTML is XML, or that a short page is a file name.
    soup = BeautifulSoup("<!doctype html>\n" + markup, "lxml")
    title = _title(soup)
    _drop_unseen(soup)
    _Walk(assembly).walk(_main(soup))
    return title


def _title(soup: BeautifulSoup) -> str:
    for found in (soup.title, soup.find("h1")):
        words = " ".join(found.get_text().split()) if isinstance(found, Tag) else ""
        if words:
            return words
    return ""


def _drop_unseen(soup: BeautifulSoup) -> None:
    for tag in soup.find_all(_is_unseen):
        tag.decompose()


def _is_unseen(tag: Tag) -> bool:
    style = "".join(str(tag.get("style") or "").lower().split())
    return (
        tag.name in _DROPPED
        or tag.has_attr("hidden")
        or str(tag.get("aria-hidden") or "").lower() == "true"
        or str(tag.get("role") or "").lower() in _NAVIGATION_ROLES
        or any(rule in style for rule in ("display:none", "visibility:hidden", "font-size:0;"))
        or style.endswith("font-size:0")
    )


def _main(soup: BeautifulSoup) -> Tag:
    """The page's `main` element when it holds most of the text, else the whole page."""
    found = soup.find_all(lambda tag: tag.name == "main" or tag.get("role") == "main")
    if len(found) == 1 and 2 * len(found[0].get_text()) >= len(soup.get_text()):
        return found[0]
    return soup.body or soup


class _Walk:
    """Goes through the page in order; `_line` is the running text of the current paragraph."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._line: list[str] = []
        self._bullet = ""
        self._in_list = False

    def walk(self, root: Tag) -> None:
        """Write everything below `root`."""
        self._children(root)
        self._end_paragraph()

    def _children(self, tag: Tag) -> None:
        for child in tag.children:
            if isinstance(child, Tag):
                self._tag(child)
            elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
                self._line.append(str(child))

    def _tag(self, tag: Tag) -> None:
        if tag.name == "br":
            self._line.append("\0")
        elif tag.name in _HEADINGS:
            self._end_paragraph()
            self._assembly.heading(int(tag.name[1]), tag.get_text(" "))
        elif tag.name == "pre":
            self._end_paragraph()
            self._assembly.add(_verbatim(tag), "code")
        elif tag.name == "table" and not _is_layout(tag):
            self._end_paragraph()
            self._table(tag)
        elif tag.name in _INLINE:
            self._children(tag)
        else:
            self._block(tag)

    def _block(self, tag: Tag) -> None:
        self._end_paragraph()
        if tag.name in {"li", "dd"}:
            self._bullet = "- " if tag.name == "li" else "  "
        self._children(tag)
        self._end_paragraph()
        self._bullet = ""
        if tag.name in {"ul", "ol", "dl"}:
            self._in_list = False

    def _table(self, tag: Tag) -> None:
        if tag.caption:
            self._assembly.add(" ".join(tag.caption.get_text(" ").split()))
        rows = list(_rows(tag))
        header_rows = sum(1 for _, is_header in _leading(rows)) or 1
        table = table_text([cells for cells, _ in rows], header_rows=header_rows)
        if table:
            self._assembly.add(table.text, "table", header=table.header)

    def _end_paragraph(self) -> None:
        lines = (" ".join(line.split()) for line in "".join(self._line).split("\0"))
        text = "\n".join(line for line in lines if line)
        self._line = []
        if text:
            self._assembly.add(self._bullet + text, tight=self._in_list and bool(self._bullet))
            self._in_list, self._bullet = bool(self._bullet), ""


def _verbatim(tag: Tag) -> str:
    for line_break in tag.find_all("br"):
        line_break.replace_with("\n")
    return tag.get_text().replace("\xa0", " ")


def _is_layout(table: Tag) -> bool:
    if table.find(["table", "pre", *_HEADINGS]):
        return True
    return any(len(cell.get_text()) > _LAYOUT_CELL for cell in table.find_all(["td", "th"]))


def _rows(table: Tag) -> Iterator[tuple[list[Cell], bool]]:
    """Each row's cells and whether it is a header row."""
    for row in table.find_all("tr"):
        cells = row.find_all(["td", "th"])
        header = (row.parent is not None and row.parent.name == "thead") or (
            len(cells) > 1 and all(cell.name == "th" for cell in cells)
        )
        yield [Cell(c.get_text(" "), _count(c, "colspan"), _count(c, "rowspan")) for c in cells], header


def _leading(rows: list[tuple[list[Cell], bool]]) -> Iterator[tuple[list[Cell], bool]]:
    for cells, is_header in rows:
        if not is_header:
            return
        if any(cell.text.strip() for cell in cells):
            yield cells, is_header


def _count(cell: Tag, name: str) -> int:
    value = str(cell.get(name) or "1").strip()
    return max(1, int(value)) if value.isascii() and value.isdigit() else 1
