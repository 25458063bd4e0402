"""What RECITE_VECTOR_STORE may say."""

import pytest

from stores.documents.backends.address import StoreAddress
from stores.errors import InputRefusedError


def test_each_form_names_its_backend():
    assert StoreAddress.parse("chroma").kind == "embedded"
    server = StoreAddress.parse("chroma://db.example:8000")
    assert (server.kind, server.host, server.port) == ("chroma", "db.example", 8000)
    assert StoreAddress.parse("milvus:http://127.0.0.1:19530").uri == "http://127.0.0.1:19530"
    assert StoreAddress.parse("milvus:./data/知识.db").uri == "./data/知识.db"


REFUSED = """Chroma|chroma:|chroma://host|chroma://:8000|chroma://host:8000/path|chroma://u:p@host:8000|chroma://host:99999|
milvus|milvus:|milvus:.db|milvus:folder|milvus:http://host|milvus:ftp://host:1"""


@pytest.mark.parametrize("value", ["", *REFUSED.replace("\n", "").split("|")])
def test_anything_else_is_refused_with_what_is_allowed(value):
    with pytest.raises(InputRefusedError, match=r"allowed are .*chroma://HOST:PORT.*milvus:PATH\.db"):
        StoreAddress.parse(value)
