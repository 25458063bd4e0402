"""Search over tools: BM25 on what a tool is called, what it does and what it takes."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from stores.documents.terms import index_terms, query_terms
from tools.tool import Tool

# Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework", with Lucene's always positive idf.
# Computed over postings: a library that scores whole documents took 35 ms for a query over 4,000 tools.
_K1 = 1.2
_B = 0.75
_NAME_WEIGHT = 2

# English words that say nothing about which tool is meant. Chinese ones are already left out as terms.
_STOP_WORDS = frozenset(
    re.findall(
        r"[a-z]+",
        """
        a an and any are as at be been but by can could did do does for from had has have he her here his
        how i if in into is it its just let like me my need of on or our please she should so some than
        that the their them then there these they this to up us want was we were what when where which who
        will with would you your am im ive id help tell give get know about using use more looking
        """,
    )
)


class Catalogue:
    """An index over a fixed list of tools."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = list(tools)
        documents = [Counter(_tool_terms(tool)) for tool in self._tools]
        lengths = [document.total() for document in documents]
        average = sum(lengths) / len(lengths) if any(lengths) else 1.0
        frequencies = Counter(term for document in documents for term in document)
        self._weights: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, document in enumerate(documents):
            norm = _K1 * (1 - _B + _B * lengths[place] / average)
            for term, count in document.items():
                rarity = math.log(1 + (len(documents) - frequencies[term] + 0.5) / (frequencies[term] + 0.5))
                self._weights[term].append((place, rarity * count / (count + norm)))

    def ranked(self, query: str) -> list[tuple[Tool, float]]:
        """Tools that share a term with the query, best first; equal scores in the order of the list."""
        scores: dict[int, float] = defaultdict(float)
        for term in query_terms(query):
            if term not in _STOP_WORDS:
                for place, weight in self._weights.get(term, ()):
                    scores[place] += weight
        order = sorted(scores, key=lambda place: (-scores[place], place))
        return [(self._tools[place], scores[place]) for place in order]


def _tool_terms(tool: Tool) -> list[str]:
    properties = tool.parameters.get("properties", {})
    told = [str(schema.get("description", "")) for schema in properties.values() if isinstance(schema, dict)]
    texts = [*[tool.name] * _NAME_WEIGHT, tool.description, *properties, *told, *sorted(tool.tags)]
    return [term for text in texts for term in index_terms(text.replace("_", " "))]
