"""Query and passage as one row of tokens, in training and in use alike: `<s> query </s></s> passage </s>`."""

from collections.abc import Sequence

import numpy as np
from tokenizers import Tokenizer

BOS, PAD, EOS = 0, 1, 2
QUERY_TOKENS = 64
"""A longer query is cut; a question is rarely as long."""
ROW_TOKENS = 192
"""What the model was trained with. Of a longer passage its beginning and its most promising part are read."""
HEAD_TOKENS = 24
"""The beginning says what a passage is about: its title, or its first words."""
STRIDE = 16


def pair_rows(tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], *, longest: int = ROW_TOKENS) -> list[list[int]]:
    """The token ids of each (query, passage), at most `longest` in a row."""
    texts = [_encodable(text) for pair in pairs for text in pair]
    ids = [one.ids for one in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
    return [_row(query[:QUERY_TOKENS], passage, longest) for query, passage in zip(ids[::2], ids[1::2], strict=True)]


def padded(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Ids (rows, longest) int64 filled with padding, and which of them are tokens (bool)."""
    lengths = np.array([len(row) for row in rows])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, PAD, np.int64)
    ids[mask] = [token for row in rows for token in row]
    return ids, mask


def _row(query: Sequence[int], passage: Sequence[int], longest: int) -> list[int]:
    return [BOS, *query, EOS, EOS, *_excerpt(passage, set(query), longest - 4 - len(query)), EOS]


def _excerpt(passage: Sequence[int], asked: set[int], room: int) -> Sequence[int]:
    """At most `room` tokens of a passage: the first ones, and the stretch in which most of the query's tokens stand."""
    if len(passage) <= room:
        return passage
    head = min(HEAD_TOKENS, room)
    width = room - head
    last = len(passage) - width
    starts = [*range(head, last, STRIDE), last]
    best = max(starts, key=lambda start: (len(asked.intersection(passage[start : start + width])), -start))
    return [*passage[:head], *passage[best : best + width]]


def _encodable(text: str) -> str:
    """The text with lone surrogates, which no tokenizer takes, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
