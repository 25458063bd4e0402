"""Path patterns, against a table and against a plain reading of the same rules."""

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.documents.globs import Glob

PATH = "/home/ann/docs/课程 一/过滤器.md"


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("*.md", PATH, True),
        ("过滤器.md", PATH, True),
        ("*.MD", PATH, False),
        ("*.m", PATH, False),
        ("docs/**/*.md", PATH, True),
        ("docs/*.md", PATH, False),
        ("docs/*/*.md", PATH, True),
        ("ocs/**/*.md", PATH, False),
        ("docs/**", PATH, True),
        ("docs/", PATH, True),
        ("docs", PATH, False),
        ("**/docs/**/过滤?.md", PATH, True),
        ("/home/**/*.md", PATH, True),
        ("/docs/**/*.md", PATH, False),
        ("./docs/**/*.md", PATH, True),
        ("docs/**/一/*.md", PATH, False),
        ("课程 [一二]/*", PATH, True),
        ("课程 [!一]/*", PATH, False),
        ("docs\\**\\*.md", PATH, True),
        ("docs/**/*.md", "C:\\Users\\ann\\docs\\a\\b.md", True),
        ("C:/Users/**/b.md", "C:\\Users\\ann\\docs\\a\\b.md", True),
        ("D:/Users/**/b.md", "C:\\Users\\ann\\docs\\a\\b.md", False),
        ("docs/**/a.md", "/x/docs/a.md", True),
        ("docs/**", "/x/docs", False),
        ("course.zip/**/*.md", "/x/course.zip/inner/a.md", True),
        (".*", "/x/.env", True),
        ("*", "/x/.env", True),
        ("caf\u00e9.md", "/x/cafe\u0301.md", True),
        ("a[b.md", "/x/a[b.md", True),
        ("**", PATH, True),
    ],
)
def test_a_pattern_means_what_the_table_says(pattern, path, meant):
    assert Glob(pattern).matches(path) is meant


def plainly(parts: list[str], names: list[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(plainly(parts[1:], names[at:]) for at in range(len(names) + 1))
    return bool(names) and fnmatch.fnmatchcase(names[0], parts[0]) and plainly(parts[1:], names[1:])


@given(
    st.lists(st.sampled_from(["a", "b", "*", "**", "a*", "?"]), min_size=1, max_size=5),
    st.lists(st.sampled_from(["a", "b", "ab", "c"]), min_size=1, max_size=6),
)
def test_any_pattern_means_what_a_plain_reading_of_it_says(parts, names):
    read = [*parts[:-1], "**", "*"] if parts[-1] == "**" else parts
    assert Glob("/".join(parts)).matches("/" + "/".join(names)) is plainly(["**", *read], ["", *names])


def test_a_pattern_full_of_stars_is_read_at_once():
    names = "/".join(["a"] * 200)
    patterns = ["**/a/" * 60 + "b", "*a" * 300 + "b", "/".join(["**", "*a*"] * 80)]
    # Read without care, the first would take longer than the suite may.
    assert [Glob(one).matches(f"/{names}/{'a' * 200}") for one in patterns] == [False, False, True]
