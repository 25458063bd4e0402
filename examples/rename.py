"""Rename the examples by script, to show that nothing in Recite is tuned to them.

`python -m examples.rename TARGET SEED` writes all documents anew with other company, class, file and product
names and other figures, the same in every file and both languages, and rebuilds PDF, DOCX and PPTX.
"""

import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from examples.build import SUFFIX, build
from examples.vocabulary import FIGURES, NAMES, Figures

_RESERVED = {"200", "201", "204", "301", "302", "304", "400", "401", "403", "404", "405", "500", "502", "503"}
"""HTTP status codes: a figure that became one would read as one."""

_OLD_FIGURES = {value for figures in FIGURES for value in figures.values}


@dataclass(frozen=True)
class Renaming:
    """Maps any text: documents, file names, questions, expected strings. The longest old form wins."""

    table: Mapping[str, str]
    _pattern: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pattern", any_of(self.table))

    def __call__(self, text: str) -> str:
        """The text with every old form replaced by its new one."""
        return self._pattern.sub(lambda match: self.table[match[0]], text)

    def path(self, relative: Path) -> Path:
        """A relative path with every part renamed."""
        return Path(*(self(part) for part in relative.parts))


def rename(source: Path, target: Path, seed: int) -> Callable[[str], str]:
    """Write the documents of the examples folder `source` to `target`, renamed; returns the mapping of texts.

    Line numbers, pages and slides stay the same. `target` holds documents only: `rename_question` maps the questions.

    Raises:
        FileExistsError: `target` is there and not empty.
        ValueError: the vocabulary has no free alternative left for a name or a figure.
    """
    if target.exists() and any(target.iterdir()):
        raise FileExistsError(f"{target} is not empty; name a new folder")
    texts = dict(_texts(source))
    renaming = choose(_known(source, texts), seed)
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder)
        for path, text in texts.items():
            is_source = path.parts[0] == "sources"
            renamed = renaming.path(path.relative_to("sources") if is_source else path)
            _write((sources if is_source else target) / renamed, renaming(text))
        build(sources, target)
    return renaming


def rename_question(question: Mapping[str, Any], renaming: Callable[[str], str]) -> dict[str, Any]:
    """An entry of questions.json for the renamed documents: its texts are mapped, its location is not."""
    expect = dict(question["expect"])
    expect["contains"] = [renaming(text) for text in expect["contains"]]
    expect["document"] = expect["document"] and renaming(expect["document"])
    return {**question, "question": renaming(question["question"]), "expect": expect}


def choose(known: str, seed: int) -> Renaming:
    """Pick an alternative for every name and figure, none of which occurs in the text `known`.

    Raises:
        ValueError: no alternative is free.
    """
    pick = random.Random(seed)  # noqa: S311 — a repeatable choice, not a secret
    table: dict[str, str] = {}
    for name in NAMES:
        free = [forms for forms in name.alternatives if _is_free(forms, known, table)]
        if not free:
            raise ValueError(f"vocabulary: every alternative for {name.forms[0]!r} is taken")
        table.update(zip(name.forms, pick.choice(free), strict=True))
    for figures in FIGURES:
        table.update(_choose_figures(figures, known, table, pick))
    return Renaming(table)


def _choose_figures(
    figures: Figures, known: str, table: Mapping[str, str], pick: random.Random
) -> Iterator[tuple[str, str]]:
    def written(value: int) -> list[str]:
        return [form.format(value) for form in figures.forms]

    free = [value for value in figures.choices if value not in _OLD_FIGURES and _is_free(written(value), known, table)]
    if len(free) < len(figures.values):
        raise ValueError(f"vocabulary: {figures.choices} leaves too few numbers for {figures.values}")
    chosen = sorted(pick.sample(free, len(figures.values)))
    for old, new in zip(sorted(figures.values), chosen, strict=True):
        yield from zip(written(old), written(new), strict=True)


def _is_free(forms: Iterable[str], known: str, table: Mapping[str, str]) -> bool:
    forms = set(forms)
    if forms & _RESERVED or forms & set(table.values()) or forms & _numbers_in(known):
        return False
    words = {form for form in forms if not form.isdigit() and form in known}  # `in` is the fast part
    return not (words and any_of(words).search(known))


@lru_cache(maxsize=1)
def _numbers_in(text: str) -> frozenset[str]:
    return frozenset(re.findall(_number("[0-9]+"), text))


def any_of(forms: Iterable[str]) -> re.Pattern[str]:
    """A pattern for the forms as whole words or numbers; Chinese has no word borders and matches anywhere."""
    return re.compile("|".join(_whole(form) for form in sorted(forms, key=len, reverse=True)))


def _whole(form: str) -> str:
    if form.isdigit():
        return _number(form)
    before = r"(?<![A-Za-z0-9_])" if re.match(r"[A-Za-z0-9_]", form) else ""
    after = r"(?![A-Za-z0-9_])" if re.search(r"[A-Za-z0-9_]$", form) else ""
    return f"{before}{re.escape(form)}{after}"


def _number(digits: str) -> str:
    """Finds 45 in "45s" and "45 分钟", not in "2.45", "450" or "M45"."""
    return rf"(?<![A-Za-z0-9_.]){digits}(?![0-9]|\.[0-9])"


def _texts(source: Path) -> Iterator[tuple[Path, str]]:
    """The documents' text files and the sources of the built ones, by relative path."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        if path.is_file() and _is_text(source, relative):
            yield relative, path.read_bytes().decode("utf-8")


def _is_text(source: Path, relative: Path) -> bool:
    hidden = any(part.startswith((".", "__")) for part in relative.parts)
    if hidden or len(relative.parts) == 1 or relative.parts[0] == "fonts":
        return False  # a tool beside the documents, not one of them
    return not (source / "sources" / f"{relative}{SUFFIX}").exists()


def _known(source: Path, texts: Mapping[Path, str]) -> str:
    questions = source / "questions.json"
    asked = questions.read_text(encoding="utf-8") if questions.exists() else ""
    return "\n".join([asked, *map(str, texts), *texts.values()])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    rename(Path(__file__).parent, Path(sys.argv[1]), int(sys.argv[2]))
