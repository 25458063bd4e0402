"""From a model's growing text to sentences that may be shown: what passes is released, once, in order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nodes.characters import begun, whole
from nodes.citations.inert import addresses
from nodes.citations.markers import complete_prefix
from nodes.citations.opinions import Opinions
from nodes.citations.record import Sentence, cut, passed
from nodes.citations.render import release
from nodes.citations.results import NO_TOOLS, ToolTexts
from nodes.citations.verdicts import Passage, SentenceVerdict, judge, split_insufficient

LOOKAHEAD = 2
"""A sentence may share the marker of the one after it, so it fails only when this many have followed."""
FINE, LONG, GROWTH = 100, 2_000, 20
"""The draft is looked at when it has grown by a hundredth; by a twentieth, once so many characters were no sentence."""
_STOP = re.compile(r"[。！？；…｡؟।॥．.!?;\n]")


@dataclass(slots=True)
class Gate:
    """Judges a draft sentence by sentence while it is being written.

    Text that was released is only ever extended. A sentence that states nothing waits for one that does.
    """

    passages: Mapping[int, Passage]
    free: Sequence[str]
    allow_uncited: bool
    tools: ToolTexts = NO_TOOLS
    opinions: Opinions | None = None
    repairing: bool = False
    """The draft is the one repair of sentences that failed."""
    released: str = ""
    shown: list[int] = field(default_factory=list)
    text: str = ""
    problems: list[str] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    """What became of each sentence so far, in order."""
    _half: str = ""
    _complete: int = 0
    _looked: int = 0
    _done: list[SentenceVerdict] = field(default_factory=list)
    _waiting: list[SentenceVerdict] = field(default_factory=list)

    def feed(self, piece: str) -> str:
        """Take in more of the draft; returns what may be shown now. Blocks while sentences are checked."""
        return self.look() if self.take(piece) else ""

    def take(self, piece: str) -> bool:
        """Take in more of the draft; may something be whole now that was not before?"""
        piece = self._half + piece
        end = begun(piece)
        self._half = piece[end:]
        self.text += whole(piece[:end])
        return self._worth_looking()

    def look(self) -> str:
        """Judge what is whole by now; returns what may be shown of it. Blocks while sentences are checked."""
        self._looked = len(self.text)
        complete = complete_prefix(self.text)
        if complete == self._complete:
            return ""
        self._complete = complete
        return self._advance(self._verdicts(self.text[:complete]), final=False)

    def _worth_looking(self) -> bool:
        """Nothing can be whole without a stop; where nothing was for long, a further piece hardly changes that."""
        waiting = len(self.text) - self._complete
        grown = len(self.text) - self._looked
        if grown * (GROWTH if waiting > LONG else FINE) < len(self.text):
            return False
        return _STOP.search(self.text, self._complete) is not None

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
        return judge(
            text,
            self.passages,
            free=self.free,
            allow_uncited=self.allow_uncited,
            tools=self.tools,
            opinions=self.opinions,
            known=self._done,
        )

    def _advance(self, verdicts: Sequence[SentenceVerdict], *, final: bool) -> str:
        shown = ""
        for at in range(len(self._done), len(verdicts)):
            verdict = verdicts[at]
            if not verdict.ok and not final and len(verdicts) - at <= LOOKAHEAD:
                break
            self._done.append(verdict)
            if verdict.plain:
                self._waiting.append(verdict)
            elif verdict.ok:
                shown += self._show_waiting() + self._show(verdict)
            else:
                self.problems.append(verdict.source)
            self.sentences.append(self._record(verdict))
        return shown

    def _record(self, verdict: SentenceVerdict) -> Sentence:
        if verdict.ok:
            return passed(verdict, self.shown, repairing=self.repairing)
        return cut(verdict, [*(one.material for one in self.passages.values()), *self.free, self.tools.asked])

    def _show_waiting(self) -> str:
        waiting, self._waiting = self._waiting, []
        return "".join(self._show(verdict) for verdict in waiting)

    def _show(self, verdict: SentenceVerdict) -> str:
        given = [self.tools.asked, *(self.passages[number].text for number in verdict.cited)]
        allowed = frozenset().union(*map(addresses, given))
        text, self.shown = release(verdict, self.shown, after=self.released, allowed=allowed)
        self.released += text
        return text
