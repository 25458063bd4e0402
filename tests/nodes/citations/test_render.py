"""What a reader sees: shown numbers, citations, and text that is only ever extended."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.citations.markers import find_markers
from nodes.citations.quote import best_quote
from nodes.citations.render import Citation, as_json, citations_for, release
from nodes.citations.verdicts import Passage, SentenceVerdict, judge
from stores.documents.document import Chunk, Document, Location

TEXTS = {
    2: "过滤器的超时为 30 秒。拦截器的超时为 60 秒。",
    5: "Filters run before the servlet. Interceptors run inside Spring MVC.",
    7: "上传大小上限为 10 MB。",
}
PASSAGES = {n: Passage(number=n, chunk_id=f"c{n}", text=text, context="notes.md") for n, text in TEXTS.items()}


def chunk(number: int) -> tuple[Chunk, Document]:
    text = TEXTS[number]
    return (
        Chunk(
            chunk_id=f"c{number}",
            document_id=f"d{number}",
            position=0,
            text=text,
            start=0,
            end=len(text),
            kind="prose",
            language="zh",
            location=Location(page=37, heading=("A", "B")),
            context="notes.md",
        ),
        Document(
            document_id=f"d{number}",
            owner="local",
            collection="default",
            path=f"{number}/notes.md",
            title="notes.md",
            media_type="text/markdown",
            encoding="utf-8",
            pages=40,
            chunks=1,
            sha256="0",
            revision=3,
            state="ready",
            reason=None,
            updated_at="2026-11-30T00:00:00Z",
        ),
    )


def released(verdicts: list[SentenceVerdict]) -> tuple[str, list[int], list[str]]:
    text, shown, steps = "", [], []
    for verdict in verdicts:
        if verdict.ok:
            piece, shown = release(verdict, shown, after=text)
            text += piece
            steps.append(text)
    return text, shown, steps


def answer(draft: str) -> tuple[str, list[int], list[str]]:
    return released(judge(draft, PASSAGES, free=(), allow_uncited=False))


def test_c12_numbers_are_shown_by_first_use() -> None:
    text, shown, _ = answer(
        "Filters run before the servlet [5]. 过滤器的超时为 30 秒【2】。上传大小上限为 10 MB [7, 2, 5]。"
    )
    assert shown == [5, 2, 7]
    assert text == "Filters run before the servlet. [1] 过滤器的超时为 30 秒。[2]上传大小上限为 10 MB。[3]"


def test_markers_stand_behind_the_stop_and_once() -> None:
    text, _, _ = answer("过滤器的超时为 30 秒[2]，拦截器的超时为 60 秒[2]。")
    assert text == "过滤器的超时为 30 秒，拦截器的超时为 60 秒。[1]"


def test_paragraphs_lists_and_tables_keep_their_shape() -> None:
    text, _, _ = answer(
        "根据资料：\n\n- 过滤器的超时为 30 秒[2]\n- 拦截器的超时为 60 秒[2]\n\nFilters run before the servlet [5]."
    )
    assert (
        text
        == "根据资料：\n\n- 过滤器的超时为 30 秒[1]\n- 拦截器的超时为 60 秒[1]\n\nFilters run before the servlet. [2]"
    )


def test_a_cut_sentence_leaves_no_gap() -> None:
    text, _, _ = answer(
        "Filters run before the servlet [5]. Penguins live on ice [5].\n\nInterceptors run inside Spring MVC [5]."
    )
    assert text == "Filters run before the servlet. [1]\n\nInterceptors run inside Spring MVC. [1]"


def test_a_lone_fence_is_not_shown_because_it_would_swallow_the_markers_after_it() -> None:
    for draft in ("Filters run before the servlet [5].```\nx[1]\n```", "拦截器的超时为 60 秒[2]。\n\n```\n```\n"):
        text, shown, _ = released(judge(draft, PASSAGES, free=(), allow_uncited=False))
        assert "```" not in text
        assert [number for marker in find_markers(text) for number in marker.numbers] == list(range(1, len(shown) + 1))


def test_a_repaired_sentence_joins_what_was_shown() -> None:
    [verdict] = judge("Filters run before the servlet [5].", PASSAGES, free=(), allow_uncited=False)
    assert release(verdict, [2], after="It is so. [1]")[0] == " Filters run before the servlet. [2]"
    assert release(verdict, [2], after="是这样。")[0] == "Filters run before the servlet. [2]"


def test_s02_a_released_sentence_has_no_live_link() -> None:
    [verdict] = judge(
        "Filters run before the servlet ![x](http://evil.example/?q=1) [5].", PASSAGES, free=(), allow_uncited=True
    )
    assert verdict.support.reason != "ok"
    shown = SentenceVerdict(text=verdict.text, source="", before="", kind="prose", cited=(5,), ok=True)
    assert release(shown, [])[0] == "Filters run before the servlet x (`http://evil.example/?q=1`). [1]"


SENTENCES = st.sampled_from(
    [
        "Filters run before the servlet [5].",
        "过滤器的超时为 30 秒【2】。",
        "上传大小上限为 10 MB [7][9]。",
        "拦截器的超时为 60 秒[2, 7]。",
        "Penguins live on ice [5].",
        "根据资料：",
        "一句没有来源的话。",
        "Interceptors run inside Spring MVC.",
        "[3]",
        "[[1]2]",
        "`a[1]` [5]",
        "过滤器的超时为 31 秒[2]。",
        "| a | 1 [2] |",
        "```\nx[1]\n```",
        "[1](http://e)",
        "![[2]](x)",
    ]
)
DRAFTS = st.lists(st.tuples(SENTENCES, st.sampled_from(["", " ", "\n", "\n\n", "\n- "])), max_size=8).map(
    lambda parts: "".join(sentence + gap for sentence, gap in parts)
)


@settings(max_examples=60, deadline=None)
@given(DRAFTS)
def test_c01_only_numbers_with_a_citation_are_shown_and_text_only_grows(draft: str) -> None:
    verdicts = judge(draft, PASSAGES, free=(), allow_uncited=False)
    text, shown, steps = released(verdicts)
    numbers = [number for marker in find_markers(text) for number in marker.numbers]
    assert sorted(set(numbers)) == list(range(1, len(shown) + 1))
    firsts = list(dict.fromkeys(numbers))
    assert firsts == sorted(firsts)
    assert all(later.startswith(earlier) for earlier, later in pairwise(steps))
    assert set(shown) <= set(PASSAGES)


def test_c02_c04_c11_each_number_resolves_to_its_chunk_place_and_words() -> None:
    verdicts = judge(
        "Interceptors run inside Spring MVC [5]. 拦截器的超时为 60 秒[2]。", PASSAGES, free=(), allow_uncited=False
    )
    found = {f"c{number}": chunk(number) for number in TEXTS}
    two, five = citations_for(verdicts, PASSAGES, found)
    assert (two.number, two.chunk_id, two.path, two.revision) == (2, "c2", "2/notes.md", 3)
    assert (five.number, five.chunk_id, five.path) == (5, "c5", "5/notes.md")
    assert two.location == {"page": 37, "heading": ["A", "B"]}
    assert TEXTS[2][slice(*two.span)] == "拦截器的超时为 60 秒。"
    assert TEXTS[5][slice(*five.span)] == "Interceptors run inside Spring MVC."
    assert as_json(two, "拦截器的超时为 60 秒。")["quote"] == "拦截器的超时为 60 秒。"


def test_c03_c13_an_answer_without_numbers_has_no_citations() -> None:
    found = {f"c{number}": chunk(number) for number in TEXTS}
    assert citations_for(judge("你好！", PASSAGES, free=(), allow_uncited=True), PASSAGES, found) == []
    assert citations_for([], PASSAGES, found) == []


def test_a_citation_comes_back_from_storage_and_holds_no_passage_text() -> None:
    [citation] = citations_for(
        judge("上传大小上限为 10 MB[7]。", PASSAGES, free=(), allow_uncited=False), PASSAGES, {"c7": chunk(7)}
    )
    assert Citation.read(citation.stored()) == citation
    assert "上传" not in str(citation.stored())


def test_the_quotation_is_the_closest_sentence_or_row() -> None:
    rows = "| 城市 | 住宿 |\n|---|---|\n| 一线城市 | 500 |\n| 二线城市 | 400 |"
    start, end = best_quote("二线城市的住宿标准为 400 元。", rows)
    assert rows[start:end] == "| 二线城市 | 400 |"
    english = "Jetty is small. The upload limit is 10 MB. Tomcat is older."
    start, end = best_quote("上传上限为 10 MB。", english)
    assert english[start:end] == "The upload limit is 10 MB."
    assert best_quote("x", "") == (0, 0)


@given(st.text(max_size=80), st.text(max_size=120))
def test_a_quotation_is_always_a_stretch_of_its_chunk(sentence: str, text: str) -> None:
    start, end = best_quote(sentence, text)
    assert 0 <= start <= end <= len(text)
    assert bool(text.strip()) == (start < end)


def test_a_frame_line_bears_no_number_and_what_it_announces_does() -> None:
    text, shown, _ = answer("关于过滤器的超时[2]：\n过滤器的超时为 30 秒[2]。")
    assert text == "关于过滤器的超时：\n过滤器的超时为 30 秒。[1]"
    assert shown == [2]


def test_c11_the_best_quotation_is_one_of_all_and_older_records_still_read() -> None:
    found = {f"c{number}": chunk(number) for number in TEXTS}
    draft = "拦截器的超时为 60 秒[2]。过滤器的超时是 30 秒[2]。"
    [citation] = citations_for(judge(draft, PASSAGES, free=(), allow_uncited=False), PASSAGES, found)
    assert citation.quotes(TEXTS[2]) == [TEXTS[2]]
    long = "过滤器的超时为 30 秒。" + "中间隔着别的说明。" * 9 + "拦截器的超时为 60 秒。"
    apart = Passage(number=2, chunk_id="c2", text=long, context="notes.md")
    verdicts = judge(draft, {2: apart}, free=(), allow_uncited=False)
    [citation] = citations_for(verdicts, {2: apart}, {"c2": (replace(found["c2"][0], text=long), found["c2"][1])})
    assert citation.quotes(long) == ["过滤器的超时为 30 秒。", "拦截器的超时为 60 秒。"]
    assert citation.quote(long) == "拦截器的超时为 60 秒。"
    assert as_json(citation, citation.quote(long), citation.quotes(long))["quotes"] == citation.quotes(long)
    assert Citation.read(citation.stored()) == citation
