"""Values: what in a text could be an answer by itself, and is not said in the question: numbers, dates, names."""

import re

from stores.documents.terms import fold

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_VALUE = re.compile(
    r"(?:\d{4}\s?年\s?)?\d{1,2}\s?月\s?\d{1,2}\s?[日号]|\d{4}\s?年\s?\d{1,2}\s?月"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}} {_MONTH},? \d{{4}}|{_MONTH},? \d{{4}}"
    r"|\d{4}-\d\d?-\d\d?|\d{1,2}:\d\d"
    r"|(?P<number>\d+(?:[.,]\d+)*)\s?[%‰万亿千百]*[a-zA-Z\u4e00-\u9fff]?"
    r"|(?P<name>[A-Z][\w'’-]+(?: (?:of |the |de |van |von )?[A-Z][\w'’-]+)*"
    r"|[\u4e00-\u9fff]{1,6}(?:[·・][\u4e00-\u9fff]{1,7})+)"
)
_SENTENCE_START = re.compile(r"^\W*")


def values_of(text: str, question: str) -> frozenset[str]:
    """The values of a text that the question does not hold itself, in one spelling.

    A name that only begins the sentence is none: any first word has a capital.
    """
    folded, asked = fold(text), fold(question).casefold()
    numbers = set(re.findall(r"\d+(?:[.,]\d+)*", asked))
    start = _SENTENCE_START.match(folded)
    first = start.end() if start else 0
    found = set()
    for match in _VALUE.finditer(folded):
        value = "".join(match[0].casefold().split())
        if match["number"] and match["number"] in numbers:
            continue
        if match["name"] and (match[0].casefold() in asked or (match.start() == first and " " not in match[0])):
            continue
        found.add(value)
    return frozenset(found)
