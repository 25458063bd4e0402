"""The model in the package: that it is the right one, and that it is the model it says."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import stores.embeddings
from stores.embeddings import local
from stores.embeddings.local import LocalEmbeddings, available_cores
from stores.errors import StoreError

MODEL = Path(str(files(stores.embeddings) / "e5_small_zh_en"))


@pytest.fixture
def model_copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MODEL, tmp_path / "model"))


@pytest.mark.parametrize("name", ["model.q4.onnx", "tokenizer.json"])
def test_a_changed_model_file_is_refused(model_copy, name):
    with (model_copy / name).open("r+b") as file:
        file.seek(1000)
        file.write(b"\x00\x01\x02")
    with pytest.raises(StoreError, match=f"{name} is damaged"):
        LocalEmbeddings(model_copy).embed_query("x")


def test_a_missing_model_file_is_named(model_copy):
    (model_copy / "tokenizer.json").unlink()
    with pytest.raises(StoreError, match=r"tokenizer\.json cannot be read"):
        LocalEmbeddings(model_copy).token_spans("x")


def test_nothing_is_read_before_first_use(tmp_path):
    assert LocalEmbeddings(tmp_path / "nowhere").dimension == 384


def test_many_threads_at_first_use_load_it_once(monkeypatch):
    local._load.cache_clear()
    reads = []
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: reads.append(path.name) or real(path))
    embedder = LocalEmbeddings()
    with ThreadPoolExecutor(8) as threads:
        vectors = list(threads.map(embedder.embed_query, ["过滤器"] * 8))
    assert sorted(reads) == ["model.q4.onnx", "tokenizer.json"]
    assert all(vector == vectors[0] for vector in vectors)


def test_it_never_takes_more_threads_than_there_are_cores():
    assert LocalEmbeddings(threads=1000)._threads <= available_cores()
    assert LocalEmbeddings()._threads <= 4


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("怎么防止重复提交表单？", "使用令牌可以避免用户多次提交同一请求。", "春天的公园里开满了樱花。"),
        (
            "How do I stop a form from being sent twice?",
            "A token prevents duplicate submission.",
            "Cherry trees bloom.",
        ),
        ("怎么防止重复提交表单？", "A token prevents duplicate form submission.", "Cherry trees bloom in spring."),
    ],
)
def test_a_question_lies_nearer_to_its_answer_than_to_other_text(local_embeddings, query, right, wrong):
    asked = np.array(local_embeddings.embed_query(query))
    near, far = np.array(local_embeddings.embed_documents([right, wrong])) @ asked
    assert near > far + 0.03


def test_query_and_passage_are_embedded_differently(local_embeddings):
    assert local_embeddings.embed_query("过滤器") != local_embeddings.embed_documents(["过滤器"])[0]


def test_a_caller_who_changes_a_query_vector_changes_only_their_own(local_embeddings):
    first = local_embeddings.embed_query("缓存")
    expected = list(first)
    first[0] = 99.0
    assert local_embeddings.embed_query("缓存") == expected


def test_a_long_passage_is_its_first_window_and_a_little_of_the_others(local_embeddings):
    beginning, end = "数据库连接池耗尽会让请求排队。" * 60, "The ferry leaves the north pier at nine. " * 60
    for part in (beginning, end):
        assert len(local_embeddings.token_spans(part)) > local_embeddings.window
    first, last, whole, turned = np.array(
        local_embeddings.embed_documents([beginning, end, beginning + end, end + beginning])
    )
    assert first @ whole > 0.98
    assert last @ turned > 0.98
    assert last @ whole > last @ first
    asked = np.array([local_embeddings.embed_query(one) for one in (beginning + end, end + beginning)])
    assert asked[0] @ asked[1] > 0.98
