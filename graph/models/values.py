"""Values: what in a text could be an answer by itself, and is not said in the question: numbers, dates, names."""

import re
from collections.abc import Iterator

from graph.models.answer_kinds import SURNAMES, asks_for
from graph.models.wording import Question
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
_PERSON_ZH = re.compile(rf"(?=((?:欧阳|司马|诸葛|上官|[{SURNAMES}])[\u4e00-\u9fff]{{1,2}}))")
_PLACE_ZH = re.compile(
    r"(?=([\u4e00-\u9fff]{2})[省市区县国州])|(?=([\u4e00-\u9fff]{3})[省市区县国州])|(?<=[位在落])于?([\u4e00-\u9fff]{2})"
)
_GIVEN_NAME = 2


def values_of(text: str, question: Question) -> frozenset[str]:
    """The values of a text that the question does not hold itself, in one spelling; only of the kind that it asks for,
    where it asks for a certain one.

    Chinese names carry no mark: where a person or a place is asked for, what looks like one is taken for one, and what
    several passages share of that tells.
    """
    folded = fold(text)
    found = set(_marked(folded, fold(question.text).casefold()))
    numbers = {value for value in found if any(character.isdigit() for character in value)}
    match asks_for(question):
        case "person":
            return frozenset((found - numbers) | set(_people(folded, question.text)))
        case "place":
            places = (next(filter(None, match.groups())) for match in _PLACE_ZH.finditer(folded))
            return frozenset((found - numbers) | {place for place in places if place not in question.text})
        case "number" | "time":
            return frozenset(numbers)
        case None:
            return frozenset(found)


def _marked(folded: str, asked: str) -> Iterator[str]:
    """Numbers, dates and marked names. A name that only begins the sentence is none: any first word has a capital."""
    numbers = set(re.findall(r"\d+(?:[.,]\d+)*", asked))
    start = _SENTENCE_START.match(folded)
    first = start.end() if start else 0
    for match in _VALUE.finditer(folded):
        if match["number"] and match["number"] in numbers:
            continue
        if match["name"] and (match[0].casefold() in asked or (match.start() == first and " " not in match[0])):
            continue
        yield "".join(match[0].casefold().split())


def _people(text: str, asked: str) -> Iterator[str]:
    """What may be a Chinese name, with and without its last character: where a name ends is not known."""
    for match in _PERSON_ZH.finditer(text):
        yield from (name for name in {match[1], match[1][:_GIVEN_NAME]} if name not in asked)
