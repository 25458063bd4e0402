"""What is kept of a sentence that was cut: nothing that this user's own material does not hold."""

import pytest

from nodes.citations.record import LONGEST, cut
from nodes.citations.support import Support
from nodes.citations.verdicts import SentenceVerdict

KNOWN = (
    "本科生每次最多借 12 册，借期为 30 天。",
    "The ferry leaves the north pier at 9:15; call `open_gate` first.",
)


def told(text: str) -> str:
    verdict = SentenceVerdict(text=text, source=text, before="", kind="prose", support=Support(0.0, "low_overlap"))
    return cut(verdict, KNOWN).text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("本科生每次最多借 12 册。", "本科生每次最多借 12 册。"),
        ("乙方保险柜的密码是 7341-QX 本科生每次最多借 12 册", "…的…是 … 本科生每次最多借 12 册"),
        ("The ferry leaves at 9:15 from the safe of Mr. Wexler.", "The ferry leaves at 9:15 from the … of …. …."),
        ("Ferries leaving call `open_vault`.", "Ferries leaving call `…`."),
        ("本科生密码 4711 保險櫃", "本科生…"),
        ("Пароль ferry пароль", "… ferry …"),
        ("セーフ ferry", "… ferry"),
    ],
)
def test_words_of_a_cut_sentence_that_stand_in_no_passage_are_withheld(text: str, kept: str) -> None:
    assert told(text) == kept


def test_a_long_cut_sentence_is_kept_in_part() -> None:
    assert len(told("本科生每次最多借" * 200)) <= LONGEST


def test_nothing_alive_is_kept_of_a_cut_sentence() -> None:
    assert "](" not in told("![ferry](http://north.pier/ferry)")
