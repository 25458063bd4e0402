"""The embedder's tables behind a cross-encoder's own bytes."""

import pytest

from stores.rerankers.shared_graph import SHARED, _field, _fields, _initializers, with_shared


def tensor(name: str, size: int) -> bytes:
    return _field(8, name.encode()) + _field(9, b"x" * size)


def model(*tensors: bytes) -> bytes:
    graph = b"".join(_field(5, one) for one in tensors)
    return b"\x08\x0a" + _field(2, b"maker") + _field(7, graph)


def test_the_shared_tensors_and_no_others_join_the_own_ones():
    embedder = model(*(tensor(name, 300) for name in SHARED), tensor("l0.q.w", 70_000))
    own = model(tensor("own", 3))
    whole = with_shared(own, embedder)
    names = [bytes(value).decode() for one in _initializers(whole) for number, value in _fields(one) if number == 8]
    assert names == ["own", *SHARED]
    assert whole.startswith(own) and len(whole) < 2_000


def test_an_embedder_without_a_table_is_refused():
    with pytest.raises(ValueError, match=r"no tensor emb\.scale, eln\.b"):
        with_shared(b"", model(*(tensor(name, 1) for name in SHARED if name not in {"emb.scale", "eln.b"})))


@pytest.mark.parametrize("content", [b"\xff", b"\x07", b"no model at all"])
def test_what_is_no_onnx_file_is_refused(content):
    with pytest.raises(ValueError, match=r"ONNX|no tensor"):
        with_shared(b"", content)
