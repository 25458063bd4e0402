"""SentenceTransformerEmbeddings: any sentence-transformers model, by name or folder (extra `sentence-transformers`)."""

from langchain_core.embeddings import Embeddings
from sentence_transformers import SentenceTransformer


class SentenceTransformerEmbeddings(Embeddings):
    """A sentence-transformers encoder. Its own query and document prompts are used where the model has them.

    Raises:
        OSError: the name is no folder and no model that can be fetched.
    """

    def __init__(self, name: str) -> None:
        self._model = SentenceTransformer(name)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One normalised vector a text."""
        vectors: list[list[float]] = self._model.encode_document(texts, normalize_embeddings=True).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The normalised vector of a query."""
        vector: list[float] = self._model.encode_query(text, normalize_embeddings=True).tolist()
        return vector
