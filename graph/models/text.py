"""Keep a model's reasoning out of its text, whole or in stream pieces."""

import re

_TAGS = ("think", "thinking", "thought", "reasoning")
_NAMES = "|".join(sorted(_TAGS, key=len, reverse=True))
_OPENING = re.compile(rf"<({_NAMES})>", re.IGNORECASE)
_CLOSING = re.compile(rf"</(?:{_NAMES})>", re.IGNORECASE)
_PARTS = tuple(f"<{slash}{name}>" for name in _TAGS for slash in ("", "/"))
_LONGEST = max(map(len, _PARTS))


class ReasoningFilter:
    """Takes text in pieces, gives back what is not reasoning.

    `<think>…</think>` goes, also when the tags are split over pieces and when the block is never closed.
    A closing tag without an opening one means that everything before it was reasoning: what was already given
    back cannot be recalled, so `orphan_close` says so, and `hold=True` waits for that tag from the start.
    """

    def __init__(self, *, hold: bool = False) -> None:
        self._pending = ""
        self._inside = False
        self._hold = hold
        self._shown = False
        self.seen = False
        """Some reasoning was taken out."""
        self.orphan_close = False
        """A closing tag came without an opening one."""

    def feed(self, piece: str) -> str:
        """The visible part of what has come so far and was not given back yet."""
        self._pending += piece
        return self._trimmed("".join(iter(self._step, None)))

    def finish(self) -> str:
        """What is left at the end of the text. An unclosed block is dropped."""
        rest, self._pending = self._pending, ""
        if self._inside:
            return ""
        return self._trimmed(rest)

    def _trimmed(self, text: str) -> str:
        """Blank lines between the reasoning and the answer belong to neither."""
        if not self._shown and (self.seen or self._hold):
            text = text.lstrip()
        self._shown = self._shown or bool(text)
        return text

    def _step(self) -> str | None:
        if self._inside:
            return self._leave()
        opening, closing = _OPENING.search(self._pending), _CLOSING.search(self._pending)
        if closing and (opening is None or closing.start() < opening.start()):
            self.seen = self.orphan_close = True
            return self._take(closing, keep=not self._hold)
        if opening:
            self.seen = self._inside = True
            return self._take(opening, keep=True)
        return self._give()

    def _take(self, tag: re.Match[str], *, keep: bool) -> str:
        before, self._pending = self._pending[: tag.start()], self._pending[tag.end() :]
        if not keep:
            self._hold = False
        return before if keep else ""

    def _leave(self) -> str | None:
        closing = _CLOSING.search(self._pending)
        if closing is None:
            self._pending = self._pending[-_LONGEST:]
            return None
        self._inside, self._hold = False, False
        self._pending = self._pending[closing.end() :]
        return ""

    def _give(self) -> str | None:
        if self._hold:
            return None
        tail = self._possible_tag()
        given = self._pending[: len(self._pending) - tail]
        self._pending = self._pending[len(self._pending) - tail :]
        return given or None

    def _possible_tag(self) -> int:
        """How many characters at the end may be the beginning of a tag."""
        start = self._pending.rfind("<", max(0, len(self._pending) - _LONGEST))
        if start < 0:
            return 0
        tail = self._pending[start:].lower()
        return len(tail) if any(part.startswith(tail) for part in _PARTS) else 0


def strip_reasoning(text: str) -> str:
    """`text` without reasoning blocks; everything before a closing tag that nothing opened goes too."""
    start = _end_of_last_orphan(text)
    kept = ReasoningFilter()
    visible = kept.feed(text[start:]) + kept.finish()
    return visible.strip() if kept.seen or start else visible


def _end_of_last_orphan(text: str) -> int:
    """Where the last closing tag ends that no opening one precedes; 0 without any."""
    end, opened = 0, False
    for tag in re.finditer(rf"<(/?)(?:{_NAMES})>", text, re.IGNORECASE):
        if tag[1] and not opened:
            end = tag.end()
        opened = not tag[1]
    return end
