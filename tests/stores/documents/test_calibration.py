"""The calibrated score, with the real local model: what passes the default threshold and what does not."""

from collections.abc import Iterator

import numpy as np
import pytest

from stores.documents.across import means_of, moved_to
from stores.documents.calibration import ANY_WEIGHTS, FEATURES, LOCAL_WEIGHTS, Candidate, features, relevance
from stores.documents.entry import IndexEntry
from stores.documents.keywords import KeywordIndex
from stores.embeddings.local import LOCAL_MODEL, LocalEmbeddings

PASSES = 0.7

CORPUS: dict[str, tuple[str, str]] = {
    "refund": ("en", "A refund is paid within 14 days after the returned goods have reached the warehouse."),
    "backup": ("en", "The nightly backup starts at 02:30 and copies every database to the second site."),
    "badge": ("en", "Visitors wear a yellow badge and are met by their host at the front desk."),
    "parking": ("en", "Bicycles are parked in the cellar; cars need a permit that is renewed each January."),
    "error": ("en", "Error ORA-00942 means that the table or view does not exist or cannot be read."),
    "leave": ("zh", "员工入职满一年后每年享有十天带薪年假，未休完的年假可以顺延到次年三月底。"),
    "travel": ("zh", "出差住宿费按城市级别报销，一线城市每晚不超过六百元，其他城市不超过四百元。"),
    "filter": ("zh", "过滤器在请求到达控制器之前执行，可以用来统一设置字符编码和检查登录状态。"),
    "pool": ("zh", "数据库连接池耗尽时，新的请求会排队等待，超过三十秒就抛出连接超时异常。"),
    "code": ("code", "public User getUserById(long id) { return repository.findById(id).orElseThrow(); }"),
    "config": ("code", "server.port=8081\nspring.datasource.hikari.maximum-pool-size=20"),
}


@pytest.fixture(scope="module")
def model() -> LocalEmbeddings:
    return LocalEmbeddings()


@pytest.fixture(scope="module")
def vectors(model) -> np.ndarray:
    return np.array(model.embed_documents([text for _, text in CORPUS.values()]))


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Iterator[KeywordIndex]:
    index = KeywordIndex.open(tmp_path_factory.mktemp("keywords"))
    entries = [
        IndexEntry(chunk_id=one, document_id="d", owner="o", collection="c", text=text)
        for one, (_, text) in CORPUS.items()
    ]
    index.add(entries)
    index.commit()
    yield index
    index.close()


@pytest.fixture
def score(model, vectors, index):
    def scored(query: str, *, name: str = LOCAL_MODEL, keyword: bool = True, vector: bool = True) -> dict[str, float]:
        embedding = model.embed_query(query)
        cosines = vectors @ np.array(embedding)
        moved = vectors @ moved_to(query, embedding, means_of(LOCAL_MODEL))
        bm25 = index.scores(query, list(CORPUS))
        candidates = [
            Candidate(
                passage=text,
                language=language,
                bm25=bm25.get(one, 0.0) if keyword else None,
                cosine=float(cosine) if vector else None,
                across=float(across) if vector else None,
            )
            for (one, (language, text)), cosine, across in zip(CORPUS.items(), cosines, moved, strict=True)
        ]
        scores = relevance(
            query,
            candidates,
            frequencies=index.document_frequencies if keyword else None,
            embedding=embedding if vector else None,
            model=name,
        )
        return dict(zip(CORPUS, scores, strict=True))

    return scored


ANSWERABLE = [
    ("How long does a refund take after I return goods?", "refund"),
    ("When does the nightly backup start?", "backup"),
    ("What colour is the visitors' badge?", "badge"),
    ("ORA-00942", "error"),
    ("年假可以顺延到什么时候？", "leave"),
    ("一线城市出差住宿费每晚报销多少？", "travel"),
    ("過濾器可以用來做什麼？", "filter"),
    ("数据库连接超时是什么原因？", "pool"),
    ("getUserById", "code"),
    ("server.port 是多少", "config"),
]


@pytest.mark.parametrize(("query", "right"), ANSWERABLE)
def test_r14_the_passage_that_answers_comes_first_and_passes_in_a_tiny_corpus(score, query, right):
    scores = score(query)
    assert max(scores, key=lambda one: scores[one]) == right
    assert scores[right] >= PASSES


@pytest.mark.parametrize(
    "query",
    [
        "asdf qwer",
        "zzkx blorp wug",
        "啊吧啦嘎",
        "今天上海会下雨吗？",
        "How do I bake sourdough bread?",
        "红烧肉怎么做才不腻？",
        "Which team won the world cup in 1998?",
        "量子纠缠的实验验证有哪些？",
    ],
)
@pytest.mark.parametrize("name", [LOCAL_MODEL, "another model"])
def test_r07_gibberish_and_other_subjects_let_nothing_pass(score, query, name):
    scores = score(query, name=name)
    assert max(scores.values()) < PASSES


@pytest.mark.parametrize(("query", "right"), ANSWERABLE)
def test_another_model_ranks_the_answer_first_too(score, query, right):
    scores = score(query, name="another model")
    assert max(scores, key=lambda one: scores[one]) == right


@pytest.mark.parametrize(("query", "right"), ANSWERABLE)
@pytest.mark.parametrize("down", ["keyword", "vector"])
def test_r05_either_leg_alone_still_gives_an_order_and_a_probability(score, query, right, down):
    scores = score(query, **{down: False})
    assert right in sorted(scores, key=lambda one: -scores[one])[:2]
    assert all(0 <= one <= 1 for one in scores.values())


@pytest.mark.parametrize(
    ("query", "right"), [("夜间备份几点开始？", "backup"), ("When does the connection pool time out?", "pool")]
)
def test_a_question_in_the_other_language_finds_its_passage(score, query, right):
    scores = score(query)
    assert max(scores, key=lambda one: scores[one]) == right


def test_one_passage_alone_is_judged_by_itself(model, index):
    def alone(query: str) -> float:
        text = CORPUS["refund"][1]
        embedding = model.embed_query(query)
        cosine = float(np.dot(embedding, model.embed_documents([text])[0]))
        bm25 = index.scores(query, ["refund"]).get("refund", 0.0)
        one = Candidate(passage=text, language="en", bm25=bm25, cosine=cosine)
        return relevance(query, [one], frequencies=index.document_frequencies, embedding=embedding, model=LOCAL_MODEL)[
            0
        ]

    assert alone("How many days until a refund is paid?") > PASSES > alone("Who paints the Eiffel tower?")


def test_every_feature_has_its_weight_and_every_row_all_features(index):
    assert set(LOCAL_WEIGHTS) == set(ANY_WEIGHTS) == set(FEATURES)
    one = Candidate(passage="x", language="en", bm25=0.0, cosine=0.8)
    rows, _ = features("x", [one] * 3, frequencies=index.document_frequencies, background=None)
    assert rows.shape == (3, len(FEATURES))


def test_no_candidates_give_no_scores(index):
    assert relevance("x", [], frequencies=index.document_frequencies, embedding=None, model="m") == []
