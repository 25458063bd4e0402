"""What is said when the material does not hold the answer: what was searched, what came nearest, what is missing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nodes.citations.inert import inert_line
from nodes.spoken import is_chinese
from nodes.state import Evidence
from stores.documents.document import Chunk, Document, Location

REFUSAL_ZH = "资料中没有足够的内容来回答这个问题。"
REFUSAL_EN = "The material does not hold enough to answer this question."
WORDLESS_ZH = "这个问题里没有文字，无从查找。请写下你想知道什么。"
WORDLESS_EN = "There are no words in this question to look for. Write what you want to know."

MOST_NEAR = 2
"""So many passages are named that were found and did not suffice."""

_CJK_MARK = re.compile("[\u3000-\u303f\uff01-\uff65]")
"""Full-width punctuation: typed with a Chinese keyboard."""


def has_words(question: str) -> bool:
    """Whether there is a letter, a digit or a character to look for; punctuation and pictures are none."""
    return any(character.isalnum() for character in question)


def wordless(question: str, earlier: Sequence[str]) -> str:
    """What is said to a question without words: in its punctuation's language, else in the conversation's.

    Where nothing tells the language, in both.
    """
    spoken = next((text for text in reversed(earlier) if has_words(text)), None)
    if _CJK_MARK.search(question) or (spoken and is_chinese(spoken)):
        return WORDLESS_ZH
    return WORDLESS_EN if spoken else f"{WORDLESS_ZH} {WORDLESS_EN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A passage that was found and does not suffice: where it stands, not what it says."""

    title: str
    path: str
    document_id: str
    location: Location

    def stored(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {
            "title": self.title,
            "path": self.path,
            "document_id": self.document_id,
            "location": self.location.as_json(),
        }

    def line(self, *, chinese: bool) -> str:
        """Title and place in one line, nothing in it alive."""
        title, place = inert_line(self.title), _place(self.location, chinese=chinese)
        if chinese:
            return f"《{title}》（{place}）" if place else f"《{title}》"
        return f"“{title}” ({place})" if place else f"“{title}”"


def nearest(evidence: Sequence[Evidence], passages: Mapping[str, tuple[Chunk, Document]]) -> list[Near]:
    """The readable passages nearest to the question, best first; none if nothing was found that is near."""
    ranked = sorted(evidence, key=lambda item: -max(item.worth, item.score))
    found = [passages[item.chunk_id] for item in ranked if item.chunk_id in passages]
    near = [
        Near(
            title=document.title or document.path.rpartition("/")[2],
            path=document.path,
            document_id=document.document_id,
            location=chunk.location,
        )
        for chunk, document in found
    ]
    named = [one for at, one in enumerate(near) if one not in near[:at]][:MOST_NEAR]
    return [_told_apart(one, named) for one in named]


def _told_apart(near: Near, named: Sequence[Near]) -> Near:
    """Under its file's name if another document has the same title."""
    shared = any(one.title == near.title and one.path != near.path for one in named)
    return replace(near, title=near.path.rpartition("/")[2]) if shared else near


def _place(location: Location, *, chinese: bool) -> str:
    parts = location.parts()
    if chinese:
        lines = location.lines
        numbered = [
            f"第 {location.page} 页" if location.page is not None else "",
            f"幻灯片 {location.slide}" if location.slide is not None else "",
            f"第 {lines[0]} 行" if lines and lines[0] == lines[1] else f"第 {lines[0]}–{lines[1]} 行" if lines else "",
        ]
        named = location.symbol or " › ".join(location.heading)
        parts = [part for part in (*numbered, named, "OCR" if location.ocr else "") if part]
    return inert_line(("，" if chinese else ", ").join(parts))


def refusal(question: str, *, searched: Sequence[str], missing: Sequence[str], near: Sequence[Near] = ()) -> str:
    """An honest refusal in the question's language. It cites nothing."""
    chinese = is_chinese(question)
    glue, colon = ("；", "：") if chinese else ("; ", ": ")
    told = [
        ("查找过" if chinese else "Searched", [line for query in searched if has_words(line := inert_line(query))]),
        (
            "最接近的段落（不足以回答）" if chinese else "Nearest passages, which do not answer it",
            [one.line(chinese=chinese) for one in near],
        ),
        ("缺少" if chinese else "Missing", [line for text in missing if has_words(line := inert_line(text))]),
    ]
    lines = [f"{label}{colon}{glue.join(items)}" for label, items in told if items]
    return "\n".join([REFUSAL_ZH if chinese else REFUSAL_EN, *lines])


def tools_told(question: str, results: Sequence[tuple[str, bool, str]]) -> str:
    """What the tools returned: of each its name, whether it succeeded, and its text."""
    chinese = is_chinese(question)
    ended = {
        (True, True): "{}：{}",
        (True, False): "{} 没有成功：{}",
        (False, True): "{}: {}",
        (False, False): "{} did not succeed: {}",
    }
    return "\n".join(ended[chinese, ok].format(name, content) for name, ok, content in results)
