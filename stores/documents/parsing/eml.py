"""Mail: the head that people read, the body, and every attachment that is of a format read here."""

import re
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from pathlib import Path, PurePosixPath

from stores.documents.document import ParsedDocument
from stores.documents.parsing import parse_source
from stores.documents.parsing.assembly import Assembly
from stores.documents.parsing.encodings import decode
from stores.documents.parsing.html import write_html
from stores.documents.parsing.source import Source
from stores.errors import DocumentDamagedError, DocumentError

_HEAD = ("Subject", "From", "To", "Cc", "Date")
_MAX_PARTS = 100
_BLANK_LINES = re.compile(r"\n{3,}")


def parse_eml(source: Source) -> ParsedDocument:
    """Sections: the message, then each attachment under its name. One that cannot be read leaves its name and why.

    Raises:
        DocumentDamagedError: no mail: neither sender nor subject nor date.
    """
    message = BytesParser(EmailMessage, policy=policy.default).parsebytes(source.data)
    assembly = Assembly()
    head = list(_head(message))
    if not head:
        raise DocumentDamagedError(f"{source.name} has no head of a mail (From, Subject, Date). Rename or convert it.")
    subject = _field(message, "Subject")
    assembly.heading(1, subject)
    assembly.add("\n".join(head))
    _write_body(assembly, message, source)
    for part in _attachments(message):
        _write_attachment(assembly, part, source)
    text, blocks = assembly.finish()
    return ParsedDocument(text=text, blocks=blocks, title=subject or source.path.stem, media_type="message/rfc822")


def _head(message: EmailMessage) -> Iterator[str]:
    for name in _HEAD:
        value = _field(message, name)
        if value:
            yield f"{name}: {value}"


def _field(message: EmailMessage, name: str) -> str:
    """A line of the head, decoded; malformed ones make the standard parser fail in many ways."""
    try:
        return " ".join(str(message.get(name) or "").split())
    except (ValueError, TypeError, AttributeError, IndexError, LookupError):
        return ""


def _write_body(assembly: Assembly, message: EmailMessage, source: Source) -> None:
    try:
        body = message.get_body(("plain", "html"))
    except (ValueError, TypeError, AttributeError, IndexError, LookupError):
        body = None
    if body is None:
        return
    text = _text(body, source.name)
    if body.get_content_type() == "text/html":
        write_html(assembly, text)
    else:
        assembly.add(_BLANK_LINES.sub("\n\n", text))


def _text(part: MIMEPart, name: str) -> str:
    """The part's text: by the charset it states, else by ours."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = str(part.get_content_charset() or "")
    try:
        text = data.decode(
            {"gb2312": "gb18030", "gbk": "gb18030", "us-ascii": "utf-8"}.get(charset, charset or "utf-8")
        )
    except (UnicodeDecodeError, LookupError):
        text = decode(data, name=name)[0] if data else ""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _attachments(message: EmailMessage) -> Iterator[EmailMessage]:
    for count, part in enumerate(message.iter_attachments()):
        if count >= _MAX_PARTS:
            return
        if isinstance(part, EmailMessage):
            yield part


def _write_attachment(assembly: Assembly, part: EmailMessage, source: Source) -> None:
    if part.get_content_type() == "message/rfc822":
        _write_attached_mail(assembly, part, source)
        return
    name = PurePosixPath(str(part.get_filename() or "").replace("\\", "/")).name
    payload = part.get_payload(decode=True)
    if not name or not isinstance(payload, bytes):
        return
    assembly.heading(2, name)
    try:
        parsed = parse_source(Source(Path(name), payload, source.rules))
    except DocumentError as error:
        assembly.add(f"({error})")
        return
    for block in parsed.blocks:
        assembly.add(parsed.text[block.start : block.end], block.kind, header=block.header)


def _write_attached_mail(assembly: Assembly, part: EmailMessage, source: Source) -> None:
    """A forwarded mail: its head and body. What hangs on that mail again is left out, so depth has an end."""
    inner = part.get_payload()
    message = inner[0] if isinstance(inner, list) and inner else None
    if isinstance(message, EmailMessage):
        assembly.heading(2, _field(message, "Subject") or "Forwarded message")
        assembly.add("\n".join(_head(message)))
        _write_body(assembly, message, source)
