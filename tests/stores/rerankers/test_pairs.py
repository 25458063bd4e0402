"""Rows of tokens: their layout, and what is read of a passage that is too long."""

import numpy as np
import pytest
from tokenizers import Tokenizer

from stores.embeddings.local import LocalEmbeddings
from stores.rerankers.pairs import BOS, EOS, HEAD_TOKENS, PAD, QUERY_TOKENS, padded, pair_rows


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return LocalEmbeddings()._tokenizer


def test_a_row_is_the_query_then_the_passage(tokenizer):
    query, passage = (tokenizer.encode(text, add_special_tokens=False).ids for text in ("年假", "ten days"))
    assert pair_rows(tokenizer, [("年假", "ten days")]) == [[BOS, *query, EOS, EOS, *passage, EOS]]


def test_of_a_long_passage_the_beginning_and_the_part_that_answers_are_read(tokenizer):
    filler = "Nothing of interest happens here. " * 80
    passage = f"Annual report. {filler}The launch code is zebra. {filler}"
    (row,) = pair_rows(tokenizer, [("zebra launch code", passage)])
    text = tokenizer.decode(row)
    assert len(row) == 192
    assert "Annual report." in text and "launch code is zebra" in text


def test_a_long_passage_without_any_word_of_the_query_is_read_from_its_beginning(tokenizer):
    (row,) = pair_rows(tokenizer, [("zebra", "word " * 400)])
    assert row == pair_rows(tokenizer, [("zebra", "word " * 300)])[0]


def test_the_end_of_a_long_passage_can_be_the_part_that_is_read(tokenizer):
    (row,) = pair_rows(tokenizer, [("zebra", "word " * 400 + "zebra")], longest=HEAD_TOKENS + 60)
    assert "zebra" in tokenizer.decode(row[4:])


def test_a_long_query_leaves_room_for_the_passage(tokenizer):
    (row,) = pair_rows(tokenizer, [("why " * 500, "because it rains")])
    assert len(row) <= QUERY_TOKENS + 10 and "because it rains" in tokenizer.decode(row)


def test_a_lone_surrogate_is_no_error(tokenizer):
    assert pair_rows(tokenizer, [("a\ud800b", "c\udfffd")]) == pair_rows(tokenizer, [("a?b", "c?d")])


def test_padding_is_masked():
    ids, mask = padded([[5], [6, 7, 8]])
    assert ids.tolist() == [[5, PAD, PAD], [6, 7, 8]] and ids.dtype == np.int64
    assert mask.tolist() == [[True, False, False], [True, True, True]]
