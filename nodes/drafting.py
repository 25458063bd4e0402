"""From a model's growing text to sentences that may be shown: what passes is released, once, in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nodes.characters import begun, whole
from nodes.citations.markers import complete_prefix
from nodes.citations.render import release
from nodes.citations.results import NO_TOOLS, ToolTexts
from nodes.citations.verdicts import Passage, SentenceVerdict, judge, split_insufficient

LOOKAHEAD = 2
"""A sentence may share the marker of the one after it, so it fails only when this many have followed."""


@dataclass(slots=True)
class Gate:
    """Judges a draft sentence by sentence while it is being written.

    Text that was released is only ever extended. A sentence that states nothing waits for one that does.
    """

    passages: Mapping[int, Passage]
    free: Sequence[str]
    allow_uncited: bool
    tools: ToolTexts = NO_TOOLS
    released: str = ""
    shown: list[int] = field(default_factory=list)
    text: str = ""
    problems: list[str] = field(default_factory=list)
    _half: str = ""
    _complete: int = 0
    _judged: int = 0
    _waiting: list[SentenceVerdict] = field(default_factory=list)

    def feed(self, piece: str) -> str:
        """Take in more of the draft; returns what may be shown now."""
        piece = self._half + piece
        end = begun(piece)
        self._half = piece[end:]
        self.text += whole(piece[:end])
        complete = complete_prefix(self.text)
        if complete == self._complete:
            return ""
        self._complete = complete
        return self._advance(self._verdicts(self.text[:complete]), final=False)

    def finish(self) -> str:
        """The draft is complete; returns the rest of what may be shown."""
        self.text += whole(self._half)
        shown = self._advance(self._verdicts(self.text), final=True)
        if self._waiting and (self.allow_uncited or self.released):
            shown += self._show_waiting()
        return shown

    @property
    def missing(self) -> list[str]:
        """What the model said it could not find."""
        return split_insufficient(self.text)[1]

    def _verdicts(self, draft: str) -> list[SentenceVerdict]:
        text, _ = split_insufficient(draft)
        return judge(text, self.passages, free=self.free, allow_uncited=self.allow_uncited, tools=self.tools)

    def _advance(self, verdicts: Sequence[SentenceVerdict], *, final: bool) -> str:
        shown = ""
        while self._judged < len(verdicts):
            verdict = verdicts[self._judged]
            if not verdict.ok and not final and len(verdicts) - self._judged <= LOOKAHEAD:
                break
            self._judged += 1
            if verdict.plain:
                self._waiting.append(verdict)
            elif verdict.ok:
                shown += self._show_waiting() + self._show(verdict)
            else:
                self.problems.append(verdict.source)
        return shown

    def _show_waiting(self) -> str:
        waiting, self._waiting = self._waiting, []
        return "".join(self._show(verdict) for verdict in waiting)

    def _show(self, verdict: SentenceVerdict) -> str:
        text, self.shown = release(verdict, self.shown, after=self.released)
        self.released += text
        return text
