"""Selection: copies of a passage, conflicts that look like copies, and the preference for variety."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.documents.document import Chunk, Hit, Kind, Location
from stores.documents.sameness import duplicates, same_passage
from stores.documents.selection import COPY_WORTH, VARIETY, collapsed, selected, varied

LEAVE = "年假申请须提前 5 个工作日提交，由直属主管批准，逾期不予受理。"
PASSWORD = 'The password must be changed every 90 days, and "admin" is refused as a user name by AuthService.check().'
POLICY = (
    "Employees who travel for the company book their tickets through the travel desk, keep the receipts of hotels and "
    "meals, and hand them in with the signed form at the end of the journey, so that the costs are refunded in full."
)


def hit(
    text: str,
    *,
    of: str = "d",
    score: float = 0.9,
    heading: str = "h",
    kind: Kind = "prose",
    name: str = "",
    at: int = 0,
) -> Hit:
    chunk = Chunk(
        chunk_id=name or f"{of}/{heading}/{text}/{at}", document_id=of, position=at, text=text, start=0, end=len(text),
        kind=kind, language="zh", location=Location(heading=(heading,)), context="",
    )  # fmt: skip
    return Hit(chunk=chunk, title=of, path=f"{of}.md", score=score, source="both")


def same(one: str, other: str, kind: Kind = "prose") -> bool:
    pair = [hit(one, kind=kind).chunk, hit(other, kind=kind).chunk]
    assert duplicates(pair) == ([(0, 1)] if same_passage(*pair) else [])  # the sieve loses nothing
    return same_passage(*pair)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LEAVE, "年假申请须提前 5 个工作日提交,由直属主管批准;逾期不予受理"),
        (LEAVE, LEAVE.replace(" 5 ", "５")),
        (LEAVE, "年假申請須提前 5 個工作日提交，由直屬主管批准，逾期不予受理。"),
        (PASSWORD, PASSWORD.replace(" ", "\n  ").replace("The", "THE")),
        (PASSWORD, PASSWORD.replace('"admin"', "“admin”")),
        ("It costs 1,500 yuan a year.", "It costs 1500 yuan a year"),
        (POLICY, f"# Travel costs\n\n{POLICY}"),
        (POLICY, f"{POLICY}\n\nThe travel desk"),
        (LEAVE * 3, f"简述\n\n{LEAVE * 3}"),
        ("- tea\n- milk and sugar", "* Tea\n* milk and sugar"),
    ],
)
def test_the_same_words_in_other_dress_are_the_same(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "old", "new"),
    [
        (LEAVE, "5", "10"),
        (LEAVE, "须", "不须"),
        (LEAVE, "不予", "可予"),
        (LEAVE, "直属主管", "部门经理"),
        ("访客必须登记后进入机房。", "必须", "不得"),
        ("合同金额为三十万元。", "三十", "五十"),
        ("温度不得低于 -5 度。", "-5", "5"),
        ("自 2024 年 3 月 1 日起施行。", "3 月 1 日", "1 月 3 日"),
        ("参见《员工手册》第三章。", "《员工手册》", "员工手册"),
        (PASSWORD, "must be", "must not be"),
        (PASSWORD, "must", "may"),
        (PASSWORD, "90", "9"),
        (PASSWORD, '"admin"', '"root"'),
        (PASSWORD, '"admin"', "admin"),
        (PASSWORD, "AuthService.check()", "AuthService.verify()"),
        (PASSWORD, "AuthService", "Authservice"),
        ("Requires Java 1.8.0 or newer.", "1.8.0", "1.80"),
        ("Install version 2.10 first.", "2.10", "2.1"),
        ("The ratio is .5 of the sum.", ".5", "5"),
        ("The limit is 10² units.", "10²", "102"),
        ("Retry if count < 3 and the host is up.", "<", ">"),
        ("Guests ✅ may park here.", "✅", "❌"),
        (POLICY, POLICY, f"{POLICY} Interns are not included."),
        (POLICY, POLICY, f"{POLICY} Only for managers."),
        (POLICY, POLICY, f"{POLICY} Version B2."),
        (POLICY, POLICY, f"Until 2025: {POLICY}"),
        (POLICY, "travel desk", "head office"),
        (LEAVE * 3, LEAVE * 3, f"{LEAVE * 3}试用期除外。"),
    ],
)
def test_a_conflict_is_never_a_copy(one: str, old: str, new: str) -> None:
    other = one.replace(old, new)
    assert other != one
    assert not same(one, other)
    ranked = selected([hit(one, of="old"), hit(other, of="new", score=0.8)], "q")
    assert [one.also_in for one in ranked] == [(), ()]


@pytest.mark.parametrize(
    ("kind", "one", "other", "equal"),
    [
        ("code", "int port = config.getPort();", "int port  =\n  config.getPort();", True),
        ("code", "if (ready) start();", "if (!ready) start();", False),
        ("code", "int a = b;", "int A = b;", False),
        ("configuration", "timeout: 5", "timeout: 50", False),
        ("table", "| fee | 5 | |", "| fee | | 5 |", False),
    ],
)
def test_in_code_and_tables_every_sign_counts(kind: Kind, one: str, other: str, equal: bool) -> None:
    assert same(one, other, kind) is equal


def test_the_best_copy_stays_and_names_the_others_which_go_behind_the_passages() -> None:
    first, copy = hit(LEAVE, of="a"), hit(LEAVE, of="b", score=0.88, heading="B")
    other = hit(PASSWORD, of="c", score=0.72)
    ranked = selected([first, copy, other], "年假")
    assert [one.chunk.document_id for one in ranked] == ["a", "c", "b"]
    [place] = ranked[0].also_in
    assert (place.chunk_id, place.document_id, place.title, place.path, place.location.heading) == (
        copy.chunk.chunk_id, "b", "b", "b.md", ("B",)
    )  # fmt: skip
    assert ranked[2].also_in == ()


def test_a_copy_stands_before_passages_that_are_nothing_to_the_question() -> None:
    ranked = selected([hit(LEAVE, of="a"), hit(LEAVE, of="b"), hit(PASSWORD, of="c", score=0.1)], "年假")
    assert [one.chunk.document_id for one in ranked] == ["a", "b", "c"]


def test_a_copy_that_scored_better_in_another_search_stays_behind_its_passage() -> None:
    interleaved = [hit(PASSWORD, of="c", score=0.9), hit(LEAVE, of="a", score=0.3), hit(LEAVE, of="b", score=0.9)]
    assert [one.chunk.document_id for one in collapsed(interleaved)] == ["c", "a", "b"]


def test_the_same_section_again_is_overtaken_by_one_of_nearly_the_same_score() -> None:
    hits = [
        hit("filters run first", of="a", score=0.95),
        hit("filters again", of="a", score=0.93, at=1),
        hit("filters elsewhere", of="b", score=0.89),
        hit("filters far behind", of="c", score=0.87),
    ]
    assert [one.chunk.document_id for one in varied(hits, "filters")] == ["a", "b", "a", "c"]


def test_the_same_section_is_not_overtaken_when_it_matches_more_of_the_question() -> None:
    hits = [
        hit("filters run first", of="a", score=0.95),
        hit("the order of filters", of="a", score=0.93, at=1),
        hit("filters elsewhere", of="b", score=0.92),
    ]
    assert [one.chunk.document_id for one in varied(hits, "filters order")] == ["a", "a", "b"]


TEXTS = [LEAVE, LEAVE.replace("5", "10"), POLICY, f"Travel\n{POLICY}", f"{POLICY} The desk", "filters", "order", ""]


SCORES = [0.0, 0.1, 0.4, 0.7, 0.72, 0.78, 0.9]


@st.composite
def rankings(draw: st.DrawFn) -> list[Hit]:
    """Hits best first, many of them copies, in few documents and sections."""
    drawn = draw(
        st.lists(
            st.tuples(
                st.sampled_from(TEXTS), st.sampled_from("abc"), st.sampled_from("hi"), st.sampled_from(SCORES)
            ),
            max_size=12,
        )
    )  # fmt: skip
    hits = [
        hit(text, of=of, heading=heading, score=score, name=str(at), at=at)
        for at, (text, of, heading, score) in enumerate(drawn)
    ]
    return sorted(hits, key=lambda one: -one.score)


def ids(hits: list[Hit]) -> list[str]:
    return [one.chunk.chunk_id for one in hits]


@given(rankings())
def test_selection_keeps_every_hit_the_first_one_first_and_settles_at_once(hits: list[Hit]) -> None:
    ranked = selected(hits, "filters order")
    assert sorted(ids(ranked)) == sorted(ids(hits))
    assert ids(ranked)[:1] == ids(hits)[:1]
    assert [replace(one, also_in=()) for one in sorted(ranked, key=lambda one: one.chunk.chunk_id)] == sorted(
        hits, key=lambda one: one.chunk.chunk_id
    )
    assert selected(ranked, "filters order") == ranked
    assert collapsed(ranked) == ranked


@given(rankings(), st.integers(1, 12))
def test_every_copy_is_named_by_a_passage_before_it_and_behind_what_is_worth_more(hits: list[Hit], k: int) -> None:
    ranked = selected(hits, "filters order")
    named = {other.chunk_id: at for at, one in reversed(list(enumerate(ranked))) for other in one.also_in}
    for at, one in enumerate(ranked):
        if one.chunk.chunk_id in named:
            assert named[one.chunk.chunk_id] < at
            behind = [other for other in ranked[at:] if other.chunk.chunk_id not in named]
            assert all(other.score < COPY_WORTH * one.score for other in behind)
    assert len(ranked[:k]) == min(k, len(hits))


@given(rankings())
def test_variety_lets_nobody_overtake_by_more_than_its_margin(hits: list[Hit]) -> None:
    ranked = varied(hits, "filters order")
    for at, one in enumerate(ranked):
        assert all(later.score <= one.score + VARIETY + 1e-9 for later in ranked[at:])


@given(st.lists(st.text(max_size=40), max_size=6))
def test_any_text_can_be_compared_and_is_the_same_as_itself(texts: list[str]) -> None:
    chunks = [hit(text).chunk for text in [*texts, *texts]]
    found = set(duplicates(chunks))
    for at, text in enumerate(texts):
        copy = (at, at + len(texts))
        assert (copy in found) is same_passage(chunks[at], chunks[at])
        assert same_passage(chunks[at], chunks[at]) or not any(sign.isalnum() for sign in text)
