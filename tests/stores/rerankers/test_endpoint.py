"""A reranker behind HTTP, over the wire: both forms of request, every form of answer, and what goes wrong."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hits import hit

from stores.documents.rerank import RerankFailedError, RerankLateError
from stores.rerankers.endpoint import EndpointReranker

TEXTS = ("apples", "the filter runs", "过滤器先运行")


HITS = [hit(text) for text in TEXTS]


class Served:
    """A server on loopback; `answer` makes (status, body) of a request's body."""

    def __init__(self) -> None:
        self.answer: Callable[[dict], tuple[int, object]] = lambda _: (200, {})
        self.seen: list[tuple[dict, str | None]] = []
        self.late = threading.Event()
        self.late.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.seen.append((body, self.headers["Authorization"]))
                outer.late.wait(10)
                status, told = outer.answer(body)
                raw = told.encode() if isinstance(told, str) else json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/rerank"


@pytest.fixture
def served() -> Iterator[Served]:
    served = Served()
    thread = threading.Thread(target=served.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield served
    served.late.set()
    served.server.shutdown()
    served.server.server_close()
    thread.join(10)


def rows(*scores: float, key: str = "relevance_score") -> list[dict]:
    """The best first, as servers answer."""
    return sorted(({"index": i, key: score} for i, score in enumerate(scores)), key=lambda row: -row[key])


def of(served: Served, **given) -> EndpointReranker:
    return EndpointReranker(served.url, **({"deadline_seconds": 10} | given))


@pytest.mark.parametrize(
    "answer",
    [
        {"results": rows(0.1, 0.9, 0.5)},
        {"data": rows(0.1, 0.9, 0.5), "object": "list"},
        {"output": {"results": rows(0.1, 0.9, 0.5)}, "usage": {}},
        rows(0.1, 0.9, 0.5, key="score"),
    ],
    ids=["jina, cohere, vllm", "voyage", "dashscope", "tei"],
)
async def test_scores_come_in_the_order_of_the_hits(served, answer):
    served.answer = lambda _: (200, answer)
    assert await of(served, model="bge", api_key="k").rerank("哪个先运行？", HITS) == [0.1, 0.9, 0.5]
    body, key = served.seen[0]
    assert body == {"model": "bge", "query": "哪个先运行？", "documents": list(TEXTS), "top_n": 3}
    assert key == "Bearer k"


async def test_the_heading_path_is_read_and_no_key_is_sent_without_one(served):
    served.answer = lambda _: (200, {"results": rows(0.5)})
    await of(served).rerank("q", [hit("500 yuan", "Travel > Hotels")])
    assert served.seen == [({"query": "q", "documents": ["Travel > Hotels\n500 yuan"], "top_n": 1}, None)]


async def test_a_server_that_wants_texts_is_asked_so_and_remembered(served):
    served.answer = lambda body: (200, rows(0.1, 0.9, 0.5, key="score")) if "texts" in body else (422, "no texts")
    reranker = of(served)
    for _ in range(2):
        assert await reranker.rerank("q", HITS) == [0.1, 0.9, 0.5]
    assert ["texts" in body for body, _ in served.seen] == [False, True, True]


async def test_logits_become_probabilities_from_then_on(served):
    reranker = of(served)
    served.answer = lambda _: (200, {"results": rows(-2.0, 4.0, 0.0)})
    assert await reranker.rerank("q", HITS) == pytest.approx([0.1192, 0.9820, 0.5], abs=1e-4)
    served.answer = lambda _: (200, {"results": rows(0.2, 0.4, 0.0)})
    assert await reranker.rerank("q", HITS) == pytest.approx([0.5498, 0.5987, 0.5], abs=1e-4)


async def test_no_hits_ask_nothing(served):
    assert await of(served).rerank("q", []) == []
    assert not served.seen


@pytest.mark.parametrize(
    "answer",
    [
        {"results": rows(0.1, 0.9)},
        {"results": [*rows(0.1, 0.9), {"index": 1, "relevance_score": 0.2}]},
        {"results": [*rows(0.1, 0.9), {"index": 7, "relevance_score": 0.2}]},
        {"results": [*rows(0.1, 0.9), {"index": -1, "relevance_score": 0.2}]},
        {"results": [*rows(0.1, 0.9), {"index": 2, "relevance_score": "high"}]},
        {"results": [*rows(0.1, 0.9), {"index": True, "relevance_score": 0.2}]},
        '{"results": [{"index": 0, "score": 1}, {"index": 1, "score": 1}, {"index": 2, "score": NaN}]}',
        {"results": rows(0.1, 0.9, 0.2, 0.3)},
        {"results": None},
        {},
        [],
        "<html>busy</html>",
        "",
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
async def test_an_answer_that_is_not_one_score_a_passage_is_not_believed(served, answer):
    served.answer = lambda _: (200, answer)
    with pytest.raises(RerankFailedError, match=r"reranker at http://127\.0\.0\.1"):
        await of(served).rerank("q", HITS)


@pytest.mark.parametrize("status", [400, 401, 404, 422, 429, 500, 503])
async def test_a_refusal_is_told_with_its_status_and_reason(served, status):
    served.answer = lambda _: (status, '{"detail": "no such model"}')
    with pytest.raises(RerankFailedError, match=rf"answered {status}.*no such model"):
        await of(served).rerank("q", HITS)


async def test_late_is_late_and_the_loop_stays_free(served):
    served.late.clear()
    with pytest.raises(RerankLateError, match=r"longer than 0\.1 s for 3 passages"):
        await asyncio.gather(of(served, deadline_seconds=0.1).rerank("q", HITS), asyncio.sleep(0))


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/rerank", "http://", "https://[bad/rerank"])
async def test_nobody_there_is_a_failure_by_address(url):
    with pytest.raises(RerankFailedError, match="The reranker at http"):
        await EndpointReranker(url, deadline_seconds=10).rerank("q", HITS)


def test_one_reranker_serves_one_event_loop_after_another(served):
    served.answer = lambda _: (200, {"results": rows(0.1, 0.9, 0.5)})
    reranker = of(served)
    for _ in range(2):
        assert asyncio.run(reranker.rerank("q", HITS)) == [0.1, 0.9, 0.5]
