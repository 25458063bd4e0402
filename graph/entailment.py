"""EntailmentSupport: any sentence-transformers cross-encoder that says whether a text entails a sentence."""

import math
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from nodes.citations.features import Asked, passage_sentences
from nodes.citations.opinions import SupportFailedError
from stores.documents.rerank import sigmoid

BATCH = 16
STRETCH = 1_200
"""Characters of a passage read at once, cut between sentences; the stretch that entails most counts."""


class EntailmentSupport:
    """A model by name or folder, read at first use: of three classes, or two, the one called entailment counts.

    A model with a single output gives its sigmoid. Passages are the premise and the sentence the hypothesis.
    """

    def __init__(self, model: str) -> None:
        self.model = model
        self._loading = Lock()
        self._encoder: Any = None

    def score(self, asked: Sequence[Asked]) -> list[float]:
        """See `SupportModel`."""
        pairs = [(premise, one.sentence) for one in asked for premise in premises(one)]
        probabilities = iter(self._probabilities(pairs))
        return [max(next(probabilities) for _ in premises(one)) for one in asked]

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        encoder = self._loaded()
        try:
            import torch  # noqa: PLC0415 - an optional, heavy dependency

            logits = encoder.predict(
                list(pairs), batch_size=BATCH, activation_fn=torch.nn.Identity(), show_progress_bar=False
            ).tolist()
            labels: Mapping[int, str] = encoder.model.config.id2label
        except Exception as error:
            raise SupportFailedError(f"The support model {self.model} failed ({error}).") from error
        return [self._entailed(one, labels) for one in logits]

    def _entailed(self, logits: float | list[float], labels: Mapping[int, str]) -> float:
        if isinstance(logits, float):
            return sigmoid(logits)
        if len(logits) == 1:
            return sigmoid(logits[0])
        highest = max(logits)
        shares = [math.exp(one - highest) for one in logits]
        return shares[self._entailment(labels, len(logits))] / sum(shares)

    def _entailment(self, labels: Mapping[int, str], count: int) -> int:
        named = [at for at, label in labels.items() if label.casefold().startswith(("entail", "support"))]
        if len(named) == 1:
            return named[0]
        raise SupportFailedError(
            f"The support model {self.model} has {count} classes and none, or several, called entailment: "
            f"{', '.join(labels.values())}. Set RECITE_SUPPORT to a model for natural language inference."
        )

    def _loaded(self) -> Any:
        with self._loading:
            if self._encoder is None:
                try:
                    from sentence_transformers import CrossEncoder  # noqa: PLC0415 - optional and heavy

                    self._encoder = CrossEncoder(self.model)
                except Exception as error:
                    raise SupportFailedError(
                        f"The support model {self.model} cannot be loaded ({error}). "
                        "Check the name, and that recite-agent[sentence-transformers] is installed."
                    ) from error
            return self._encoder


def premises(asked: Asked) -> list[str]:
    """What a sentence is held against: each passage in stretches, and all of it at once where it is short."""
    stretches = [stretch for text in asked.passages for stretch in _stretches(text)]
    whole = "\n".join(asked.passages)
    return [*stretches, whole] if len(stretches) > 1 and len(whole) <= 2 * STRETCH else stretches


def _stretches(text: str) -> list[str]:
    if len(text) <= STRETCH:
        return [text]
    found, last = [""], ""
    for sentence in passage_sentences(text):
        if found[-1] and len(found[-1]) + len(sentence) > STRETCH:
            found.append(last)  # a sentence in common: what belongs together is not parted
        found[-1] = f"{found[-1]} {sentence}".strip()
        last = sentence
    return found
