"""Where a quotation stands: all lines that an answer uses, under their own headings."""

import pytest

from nodes.citations.place import joined_spans, quoted_location
from nodes.citations.render import GAP, Citation
from stores.documents.document import Chunk, Location

ZH = "# 员工手册\n\n本手册适用于全体员工。\n\n## 请假制度\n\n年假每年15天。\n\n## 报销\n\n发票应在30日内提交。"
EN = (
    "# Guide\n\nThis guide explains.\n\n## Limits\n\nThe limit is 5 MB.\n\n### Time\n\n"
    "The timeout is 30 s.\n\n```\n# no heading\nx = 1\n```"
)


def chunk(text: str, heading: str) -> Chunk:
    return Chunk(
        chunk_id="c",
        document_id="d",
        position=0,
        start=0,
        end=len(text),
        text=text,
        location=Location(lines=(1, text.count("\n") + 1), heading=(heading,)),
        context="",
        kind="prose",
        language="zh",
    )


def spans(text: str, *parts: str) -> tuple[tuple[int, int], ...]:
    return joined_spans([(text.index(part), text.index(part) + len(part)) for part in parts], text)


@pytest.mark.parametrize(
    ("text", "parts", "heading", "lines"),
    [
        (ZH, ["本手册适用于全体员工。"], ("员工手册",), (3, 3)),
        (ZH, ["年假每年15天。"], ("员工手册", "请假制度"), (7, 7)),
        (ZH, ["发票应在30日内提交。"], ("员工手册", "报销"), (11, 11)),
        (ZH, ["发票应在30日内提交。", "年假每年15天。"], ("员工手册",), (7, 11)),
        (EN, ["The limit is 5 MB."], ("Guide", "Limits"), (7, 7)),
        (EN, ["The timeout is 30 s."], ("Guide", "Limits", "Time"), (11, 11)),
        (EN, ["The limit is 5 MB.", "The timeout is 30 s."], ("Guide", "Limits"), (7, 11)),
        (EN, ["x = 1"], ("Guide", "Limits", "Time"), (15, 15)),
    ],
)
def test_c11_a_quotation_has_its_own_heading_and_lines(
    text: str, parts: list[str], heading: tuple[str, ...], lines: tuple[int, int]
) -> None:
    location = quoted_location(chunk(text, text[2 : text.index("\n")]), spans(text, *parts), headed=True)
    assert (location.heading, location.lines) == (heading, lines)


@pytest.mark.parametrize(
    ("text", "parts", "quote"),
    [
        (ZH, ["发票应在30日内提交。", "年假每年15天。"], "年假每年15天。 … 发票应在30日内提交。"),
        (ZH, ["年假每年15天。", "年假每年15天。"], "年假每年15天。"),
        (EN, ["The timeout is 30 s.", "The limit is 5 MB."], "The limit is 5 MB. … The timeout is 30 s."),
        (EN, ["The limit is", "5 MB."], "The limit is 5 MB."),
    ],
)
def test_c02_a_quotation_covers_every_line_used_in_document_order(text: str, parts: list[str], quote: str) -> None:
    found = spans(text, *parts)
    citation = Citation(
        number=1,
        chunk_id="c",
        document_id="d",
        revision=1,
        title="",
        path="a.md",
        location={},
        span=(found[0][0], found[-1][1]),
        support=1.0,
        parts=found,
    )
    assert citation.quote(text) == quote
    assert all(part in text for part in quote.split(GAP))
    assert Citation.read(citation.stored()).quote(text) == quote
