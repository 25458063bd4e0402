"""Pictures written into a page as base64 are no text."""

from pathlib import Path

import pytest

from stores.documents.parsing import parse


@pytest.mark.parametrize("name", ["a.md", "a.html", "a.txt", "a.js"])
def test_an_embedded_picture_is_left_out_and_the_lines_stay(tmp_path: Path, name: str) -> None:
    picture = "iVBORw0KGgoAAAANSUhEUg" * 500
    lines = ["first line of text", f'<p><img src="data:image/png;base64,{picture}=="></p>', "third line of text"]
    if name.endswith(".js"):
        lines = ["const first = 1;", f'const picture = "data:image/png;base64,{picture}==";', "const third = 3;"]
    (tmp_path / name).write_text("\n\n".join(lines), encoding="utf-8")

    parsed = parse(tmp_path / name)

    assert "iVBORw0KGgo" not in parsed.text
    assert "third" in parsed.text
    assert len(parsed.text) < 500
