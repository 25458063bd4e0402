"""A query's vector moved to the other language, with the real local model."""

import numpy as np
import pytest

from stores.documents.across import Background, crossed, means_of, moved_to
from stores.embeddings.local import LOCAL_MODEL, LocalEmbeddings

ENGLISH = [
    "Bumblebee hives are exchanged every eight weeks; close the hive before spraying.",
    "A lost reader's card is replaced for four pounds.",
]
CHINESE = [
    "蜂蜜应当放在阴凉干燥的地方，避免阳光直射。",
    "借书证每年九月统一办理，需要交一张照片。",
    "喷洒农药的人员要戴口罩和手套。",
]


@pytest.fixture(scope="module")
def model() -> LocalEmbeddings:
    return LocalEmbeddings()


def test_a_moved_question_is_nearest_to_its_answer_in_the_other_language(model):
    query = "大棚里的熊蜂蜂箱多久换一次？"
    passages = np.array(model.embed_documents([*CHINESE, *ENGLISH]))
    asked = np.array(model.embed_query(query))
    assert int(np.argmax(passages @ asked)) < len(CHINESE)  # as it is, any Chinese passage is nearer
    moved = moved_to(query, asked, means_of(LOCAL_MODEL))
    assert int(np.argmax(passages @ moved)) == len(CHINESE)
    assert np.linalg.norm(moved) == pytest.approx(1.0)


def test_commented_code_is_not_compared_with_bare_code_alone(model):
    query = "限流器为什么不用系统时钟？"
    background = Background.of(query, model.embed_query(query), means_of(LOCAL_MODEL))
    assert background.across["code"] >= background.across["en"]


def test_code_goes_with_english():
    assert crossed("过滤器", "en") and crossed("过滤器", "code") and crossed("filter", "zh")
    assert not crossed("过滤器", "zh") and not crossed("filter", "code")


def test_another_model_has_no_known_means():
    assert means_of("another model") is None
