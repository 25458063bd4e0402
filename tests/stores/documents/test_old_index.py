"""An index from before a field was added: refused with what to do, and made anew by it."""

import shutil
import sqlite3
from contextlib import closing

import pytest
import tantivy

from stores.errors import IndexMismatchError


async def test_an_index_with_fewer_fields_is_refused_by_version_and_mended_by_reindex(
    open_store, embedder, library, ingest, search, home
):
    async with open_store(embedder) as documents:
        await ingest(documents, library)
        before = await search(documents, "Zanzibar")
    [folder] = home.glob("index/*/keywords")
    shutil.rmtree(folder)
    folder.mkdir()
    fields = tantivy.SchemaBuilder()
    fields.add_text_field("chunk_id", stored=True)
    tantivy.Index(fields.build(), path=str(folder))
    with closing(sqlite3.connect(home / "recite.db")) as database, database:
        database.execute("UPDATE index_meta SET value = '0.2' WHERE key = 'tokenizer'")

    async with open_store(embedder) as documents:
        with pytest.raises(IndexMismatchError, match=r"built with tokenizer '0\.2'.*Run `recite documents reindex`"):
            await documents.search("Zanzibar", reader="local")
        assert len(await documents.documents(reader="local")) == 3
        async for _ in documents.reindex():
            pass
        assert await search(documents, "Zanzibar") == before
        assert len(await search(documents, "Zanzibar", kinds=("prose",))) < len(before)
