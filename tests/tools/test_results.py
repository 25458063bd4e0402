"""Results and errors as they enter the conversation."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.errors import ToolTimeoutError
from tools.results import RESULT_LIMIT, as_error, as_text, bounded


def test_t06_a_huge_result_keeps_head_and_tail_and_says_how_much_is_gone():
    text = "开头" + "x" * 5_000_000 + "结尾"

    cut = bounded(text)

    assert len(cut.encode()) <= RESULT_LIMIT
    assert cut.startswith("开头")
    assert cut.endswith("结尾")
    dropped = int(re.search(r"(\d+) bytes dropped", cut)[1])
    kept = len(re.sub(r"\n\[… \d+ bytes dropped …\]\n", "", cut).encode())
    assert dropped + kept == len(text.encode())


@settings(deadline=None)
@given(st.text(alphabet="aé中😀", max_size=400), st.integers(min_value=80, max_value=300))
def test_a_bounded_text_fits_and_is_whole_characters(text, limit):
    cut = bounded(text, limit)

    assert len(cut.encode()) <= limit
    assert "\ufffd" not in cut
    assert (cut == text) == (len(text.encode()) <= limit)


@pytest.mark.parametrize(
    ("message", "secret"),
    [
        ("401 for key sk-proj-abcdefghijklmnop", "abcdefghijklmnop"),
        ("Authorization: Bearer abc.def.ghi-123456", "abc.def"),
        ("could not connect to postgres://admin:s3cret@db.example/x", "s3cret"),
        ("bad request: api_key=abcDEF", "abcDEF"),
        ("{'password': 'correct horse'}", "correct horse"),
        ("口令：mima2026 无效", "mima2026"),
        ("密码是 abc123，请检查", "abc123"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789 expired", "abcdefghijkl"),
    ],
)
def test_an_error_never_shows_a_secret(message, secret):
    told = as_error(RuntimeError(message))

    assert secret not in told
    assert told.startswith("RuntimeError: ")


@pytest.mark.parametrize(
    "message", ["token: the name of the branch is missing", "The password is too short", "密码不能为空"]
)
def test_prose_about_secrets_stays_readable(message):
    assert message in as_error(ValueError(message))


def test_an_error_is_one_bounded_line_without_a_trace():
    told = as_error(ValueError("first line " + "x" * 1_000 + "\nTraceback (most recent call last):\n  File"))

    assert told.startswith("ValueError: first line")
    assert "Traceback" not in told
    assert len(told) < 400
    assert as_error(KeyError()) == "KeyError"


def test_our_own_errors_come_as_they_were_written():
    assert as_error(ToolTimeoutError("slow gave no answer within 1 s.")) == "slow gave no answer within 1 s."


def test_anything_but_text_becomes_text_that_utf8_can_carry():
    assert as_text({"名": 1}) == '{"名": 1}'
    assert as_text("a\ud800b").encode() == b"a?b"
