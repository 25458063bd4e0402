"""Bytes to text: byte order mark, UTF-8, what the file declares, the Chinese encodings, then a detector."""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from stores.documents.parsing.source import Source
from stores.errors import DocumentDamagedError, DocumentEmptyError, DocumentEncodingError

# UTF-32 before UTF-16: the mark of UTF-16 LE is the beginning of the mark of UTF-32 LE.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"""(?:charset|encoding|pageEncoding|coding)\s*[=:]\s*["']?\s*(?:[\w/]+;\s*charset=)?([A-Za-z][\w.-]*)"""
)
_DECLARED_WITHIN = 2048
_DECLARING_SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".xml", ".jsp", ".jspx", ".jspf", ".tag", ".tld", ".py"})

# The commonest characters of written Chinese, simplified and traditional. Right decodings of real text hold
# about a quarter of them, wrong ones next to none.
_COMMONEST = frozenset(
    "的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年"
    "用后後方行所然家种種事成作里裡过過如本点點多天小前学學法数數文件请請使用"
)
_EAST_ASIAN_LETTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class _Writing:
    """What ordinary text of an encoding is made of: inclusive ranges of its two-byte codes, commonest characters."""

    everyday: tuple[tuple[int, int], ...]
    least_trail: int
    commonest: frozenset[str]

    def likeness(self, text: str, encoding: str) -> float:
        """Share of everyday characters among those outside ASCII, the commonest counted three times."""
        foreign = [c for c in text[: 1 << 16] if c > "\x7f"]
        if not any(_EAST_ASIAN_LETTER.match(c) for c in foreign):
            return 0.0
        everyday = sum(self._is_everyday(c, encoding) for c in foreign)
        return (everyday + 2 * sum(c in self.commonest for c in foreign)) / len(foreign)

    def _is_everyday(self, character: str, encoding: str) -> bool:
        code = int.from_bytes(character.encode(encoding))
        return code & 0xFF >= self.least_trail and any(first <= code <= last for first, last in self.everyday)


# Punctuation, full-width forms, kana, and the first level of characters (or all of Hangul).
_EAST_ASIAN = {
    "gb18030": _Writing(((0xA1A1, 0xA1FE), (0xA3A1, 0xA3FE), (0xB0A1, 0xD7F9)), 0xA1, _COMMONEST),
    "big5hkscs": _Writing(((0xA140, 0xA17E), (0xA440, 0xC67E)), 0x40, _COMMONEST),
    "euc_jp": _Writing(
        ((0xA1A1, 0xA1FE), (0xA3A1, 0xA5FE), (0xB0A1, 0xCFD3)),
        0xA1,
        frozenset("のにはをたがでてとしれさいもするなかっ"),
    ),
    "euc_kr": _Writing(
        ((0xA1A1, 0xA1FE), (0xA3A1, 0xA3FE), (0xB0A1, 0xC8FE)),
        0xA1,
        frozenset("이다는의에을를가하고은로기지사한인어아도서리나자"),
    ),
}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")

_UTF8_SEQUENCE = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
# What the detector may answer. Single-byte encodings without holes (latin-1, EBCDIC pages) would "decode" anything.
_DETECTABLE = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "koi8_r", "koi8_u",
    "iso8859_2", "iso8859_5", "iso8859_7", "iso8859_15", "shift_jis", "cp932", "euc_jp", "euc_kr", "cp949", "cp874",
    "iso2022_jp", "mac_roman",
]  # fmt: skip
_MAX_CONTROL_SHARE = 0.002
_PLAUSIBLE = 0.35
_READABLE = 0.9
_MOSTLY = 4
_MAX_CHAOS = 0.15

_EMBEDDED = re.compile(r"(data:[\w.+-]+/[\w.+-]+;base64,)[A-Za-z0-9+/=_-]{40,}")
"""A picture or font written into the page: thousands of characters that say nothing to a reader or a search."""


def read_text(source: Source) -> tuple[str, str]:
    """The text (line ends `\\n`, no byte order mark, no embedded pictures, else as written) and its encoding.

    Raises:
        DocumentDamagedError: the bytes are no text.
        DocumentEncodingError: text, but in no encoding that can be told.
        DocumentEmptyError: nothing but white space.
    """
    text, encoding = decode(source.data, name=source.name, declares=source.suffix in _DECLARING_SUFFIXES)
    text = _EMBEDDED.sub(r"\1…", text.replace("\r\n", "\n").replace("\r", "\n"))
    if not text.strip():
        raise DocumentEmptyError(f"{source.name} holds nothing but white space. Give a file with content.")
    return text, encoding


def decode(data: bytes, *, name: str, declares: bool = False) -> tuple[str, str]:
    """Text and encoding of `data`; `declares` says that this kind of file may name its own encoding.

    Raises:
        DocumentDamagedError, DocumentEncodingError: see `read_text`.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data, encoding, name)
    wide = _wide_without_mark(data)
    if wide:
        return wide
    if b"\x00" in data:
        raise DocumentDamagedError(
            f"{name} holds NUL bytes: it is binary, not text. Give the file that its name says, or rename it."
        )
    decoded = _utf8(data) or (_declared(data) if declares else None)
    if not decoded:
        _refuse_broken_utf8(data, name)
        decoded = _east_asian(data) or _detected(data)
    if not decoded:
        raise DocumentEncodingError(
            f"{name} is text in no encoding that could be told (first bytes {data[:8].hex(' ')}). Save it as UTF-8."
        )
    _refuse_binary(decoded[0], name)
    return decoded


def _strictly(data: bytes, encoding: str, name: str) -> tuple[str, str]:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentEncodingError(
            f"{name} begins like {encoding} but is not (byte {error.start}: {error.reason}). Save it as UTF-8."
        ) from error
    _refuse_binary(text, name)
    return text.removeprefix("\ufeff"), encoding


def _wide_without_mark(data: bytes) -> tuple[str, str] | None:
    """UTF-16 without a mark: one of the two readings is ordinary text, the other is not."""
    if len(data) % 2:
        return None
    sample = data[: 1 << 16]
    # ASCII characters (line ends, spaces, digits) put a zero into every second byte and nowhere else.
    for encoding, zeros, others in (
        ("utf-16-le", sample[1::2], sample[::2]),
        ("utf-16-be", sample[::2], sample[1::2]),
    ):
        if zeros.count(0) and not others.count(0):
            text = _try(data, encoding)
            if text and not _CONTROL.search(text) and _readable_share(text) > _READABLE:
                return text, encoding
    return None


def _readable_share(text: str) -> float:
    sample = text[:4096]
    return sum(c < "\u0250" or "\u2010" <= c <= "\u9fff" or c >= "\uff00" for c in sample) / len(sample)


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _utf8(data: bytes) -> tuple[str, str] | None:
    text = _try(data, "utf-8")
    return None if text is None else (text, "utf-8")


def _declared(data: bytes) -> tuple[str, str] | None:
    found = _DECLARED.search(data[:_DECLARED_WITHIN])
    if found is None:
        return None
    encoding = found[1].decode("ascii").lower()
    # GB2312 in a declaration means its superset in practice.
    encoding = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252"}.get(encoding, encoding)
    text = _try(data, encoding)
    return None if text is None else (text, encoding)


def _refuse_broken_utf8(data: bytes, name: str) -> None:
    """Text that is UTF-8 but for a few bytes must not be read as something else: that would be mojibake."""
    bad = data.decode("utf-8", errors="replace").count("\ufffd")
    if sum(len(sequence) - 1 for sequence in _UTF8_SEQUENCE.findall(data)) > _MOSTLY * bad:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DocumentEncodingError(
                f"{name} is UTF-8 with broken bytes (first at byte {error.start}). Save it as UTF-8 again."
            ) from error


def _east_asian(data: bytes) -> tuple[str, str] | None:
    """GB18030, Big5, EUC-JP or EUC-KR, whichever reading looks most like writing; GB18030 where they are equal.

    Most files of one decode as another too, into rare characters: that the bytes decode proves nothing.
    """
    best: tuple[float, str, str] | None = None
    for encoding, writing in _EAST_ASIAN.items():
        text = _try(data, encoding)
        if text is not None:
            likeness = writing.likeness(text, encoding)
            if likeness >= _PLAUSIBLE and (best is None or likeness > best[0]):
                best = (likeness, text, encoding)
    return None if best is None else (best[1], "big5" if best[2] == "big5hkscs" else best[2])


def _detected(data: bytes) -> tuple[str, str] | None:
    matches = from_bytes(data, cp_isolation=_DETECTABLE, preemptive_behaviour=False)
    best = matches.best()
    if best is None or best.chaos > _MAX_CHAOS:
        return None
    # Short files leave several code pages equal; then the commonest one is right most of the time.
    equals = [match for match in matches if match.chaos <= best.chaos and match.coherence >= best.coherence]
    encoding = "cp1252" if any("cp1252" in match.could_be_from_charset for match in equals) else best.encoding
    text = _try(data, encoding)
    return None if text is None else (text, encoding)


def _refuse_binary(text: str, name: str) -> None:
    controls = len(_CONTROL.findall(text))
    if "\x00" in text or controls > max(2, len(text) * _MAX_CONTROL_SHARE):
        raise DocumentDamagedError(
            f"{name} holds {controls} control characters: it is binary, not text. Give the file that its name says."
        )
