"""Identifiers, names and quotations of a sentence, and whether a text holds them."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from nodes.citations.words import FUNCTION_WORDS, content_terms
from stores.documents.sentences import code_spans

_TOKEN = re.compile(
    r"(?<![A-Za-z0-9_$/\\.])(?:"
    r"(?P<path>(?:\.{0,2}/|~/|[A-Za-z]:\\)[\w.$*-]+(?:[/\\][\w.$*-]+)*)"
    r"|(?P<option>--?[A-Za-z][\w-]*(?:=[\w.-]+)?)"
    r"|(?P<version>[vV]?\d+(?:\.\d+){2,}[\w-]*)"
    r"|(?P<word>@?[A-Za-z_$][\w$]*(?:(?:\.|::|#|/|\\|-|:|@)[A-Za-z0-9_$]+)*(?:\(\))?)"
    r"|(?P<led>\d+[A-Za-z_]\w*)"
    r")",
    re.ASCII,
)
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_ACRONYM = re.compile(r"[A-Z][A-Z&]+s?")
_LETTERS_AND_DIGITS = re.compile(r"(?=.*[A-Za-z])(?=.*\d)")
_COUNTED = re.compile(
    r"\d+(?:st|nd|rd|th|[kmgt]?b|[kmgt]?hz|[mun]?s|[kcm]?m|[km]?g|m?l|h|d|w|k|x|kw|kwh|min|mins|hrs?|bn)",
    re.IGNORECASE,
)
_PLAIN_COMPOUND = re.compile(r"[a-z]{3,}-\d+", re.ASCII)
_FILE_NAME = re.compile(r"\.[A-Za-z]{1,4}\d?\Z|\.(?:json|yaml|toml|java|html|properties|gradle|conf)\Z")
_QUOTED = re.compile(
    r"“([^”\n]{1,400})”|「([^」\n]{1,400})」|『([^』\n]{1,400})』|\"([^\"\n]{2,400})\"|‘([^’\n]{2,400})’"
)
_TITLED = re.compile(r"《([^》\n]{1,200})》")
_ELLIPSIS = re.compile(r"…+|\.{3,}")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*", re.ASCII)
_CAPITALISED = re.compile(r"[A-Z][a-z]+(?:['’]s)?|[A-Z]")
_STARTS = re.compile(r"(?:^|[.!?:;。！？：；\n|\"“(（*#>-])\s*[*_`\"“(（]*$")
_PAST = re.compile(r"\s+(?:was|were|had|has|is|bought|won|founded|wrote|became|made|led|sold|beat|took|\w{3,}ed)\b")
_OF_A_COUNTRY = re.compile(r"^[a-z]{3,}(?:an|ish|ese)$")
_CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "  # noqa: SIM905 - a list of so many literals reads worse
    "thursday friday saturday sunday".split()
)
INDEFINITE = frozenset(
    "whoever whatever whichever whenever wherever anyone anybody anything everyone everybody everything someone "  # noqa: SIM905 - a list of so many literals reads worse
    "somebody something nobody nothing none others another many few several once after before now later first next "
    "last".split()
)
"""Words that name nobody, though they may begin a sentence."""
_UNREMARKABLE = INDEFINITE | frozenset("ok vs etc eg ie app apps id no yes am pm".split()) | _CALENDAR | FUNCTION_WORDS  # noqa: SIM905 - a list of so many literals reads worse
_CONFUSABLE = str.maketrans("0oO1lI|i", "ooollll" + "l")
_SHORTEST_FUZZY = 6
_FUZZY = 0.84
_SHORTEST_SHORT_FORM, LONGEST_SHORT_FORM = 4, 7


def identifiers(text: str) -> list[str]:
    """What must stand in the material to the letter: camel case, dotted names, paths, options, model numbers."""
    spans = [text[start:end].strip("`").strip() for start, end in code_spans(text)]
    prose = _prose(text)
    return list(dict.fromkeys([*filter(None, spans), *_identifier_tokens(prose)]))


def quotations(text: str) -> list[str]:
    """What stands in quotation marks, cut at ellipses."""
    found = (next(filter(None, match.groups())) for match in _QUOTED.finditer(_prose(text)))
    return [part for quoted in found for part in _ELLIPSIS.split(quoted) if squashed(part)]


def titles(text: str) -> list[str]:
    """What stands in 《》."""
    return [match[1] for match in _TITLED.finditer(text)]


def latin_words(text: str) -> list[str]:
    """Words in Latin letters of a Chinese sentence, identifiers aside: names nearly always."""
    prose = _without_identifiers(text)
    return [word for word in _WORD.findall(prose) if len(word) > 1 and word.lower() not in _UNREMARKABLE]


def proper_names(text: str) -> list[str]:
    """Capitalised words and acronyms of an English sentence that are no mere sentence openers."""
    prose = _without_identifiers(text)
    found: list[str] = []
    words = list(_WORD.finditer(prose))
    capitals = sum(1 for match in words if match[0][0].isupper())
    if len(words) > 3 and capitals > 0.7 * len(words):  # noqa: PLR2004 - a heading in title case
        return [match[0] for match in words if _ACRONYM.fullmatch(match[0])]
    for at, match in enumerate(words):
        word = match[0]
        if word.lower() in _UNREMARKABLE or not word[0].isupper():
            continue
        if prose[match.end() : match.end() + 1] == ":":
            continue  # a label
        following = words[at + 1][0] if at + 1 < len(words) else ""
        opener = bool(_STARTS.search(prose[max(0, match.start() - 12) : match.start()]))
        named = bool(following[:1].isupper() and _CAPITALISED.fullmatch(following)) or bool(
            _PAST.match(prose, match.end()) and not word.endswith(("s", "ing", "ion", "ment", "ness", "ed", "ly"))
        )
        if _ACRONYM.fullmatch(word) or (len(word) > 1 and (not opener or named)):
            found.append(re.sub(r"['’]s$", "", word))
    return found


def squashed(text: str) -> str:
    """Folded text without blanks, punctuation and case: what two quotations are compared by."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def holds_identifier(text: str, wanted: str, *, ocr: bool = False) -> bool:
    """Does folded `text` hold this identifier as a whole? A dotted name may stand there in its parts."""
    if any(ord(sign) > 127 for sign in wanted):  # noqa: PLR2004 - a code span in Chinese is a quotation
        return squashed(wanted) in squashed(text)
    bare = wanted.removesuffix("()").rstrip(".,;:")
    if _stands_in(text, bare) or (squeezed(bare) in squeezed(text) and " " in bare):
        return True
    if bare.endswith("s") and len(bare) > 3 and _stands_in(text, bare[:-1]):  # noqa: PLR2004
        return True
    parts = [part for part in re.split(r"[^\w$/-]+|(?<=\w)#|::", bare) if part]
    file_name = _FILE_NAME.search(bare) and " " not in bare
    member = bare[:1].isupper() or " " in bare
    if len(parts) > 1 and member and not file_name:
        return all(_stands_in(text, part) for part in parts)
    return ocr and _fuzzily_in(text, bare)


def introduced(text: str, wanted: str) -> bool:
    """Is this a short form that the text itself explains, behind the words it stands for: Immunoglobulin G (IgG)?"""
    if not (wanted.isalpha() and len(wanted) <= LONGEST_SHORT_FORM):
        return False
    before, found, _ = text.partition(f"({wanted})")
    return (
        bool(found) and initials(before)[-len(wanted) :].startswith(wanted[0].casefold()) and wanted != wanted.lower()
    )


def spells_out(letters: str, wanted: str) -> bool:
    """Are the words of a short form in the text whose initials these are: induced pluripotent stem cells, iPSC?"""
    return (
        wanted.isalpha() and _SHORTEST_SHORT_FORM <= len(wanted) <= LONGEST_SHORT_FORM and wanted.casefold() in letters
    )


def holds_name(text: str, words: frozenset[str], initials: str, wanted: str) -> bool:
    """Does the material hold this name as a word, inflected, inside an identifier, or spelled out?"""
    low = wanted.casefold()
    if low in words or low.rstrip("s") in words or f"{low}s" in words:
        return True
    if content_terms(wanted) <= content_terms(text) and content_terms(wanted):
        return True
    if _OF_A_COUNTRY.search(low) and any(word.startswith(low[:4]) for word in words):
        return True
    return len(low) > 2 and wanted.rstrip("s").isupper() and low.rstrip("s") in initials  # noqa: PLR2004


def holds_quotation(text: str, wanted: str, *, ocr: bool = False) -> bool:
    """Does the squashed `text` hold this quotation, blanks, case and punctuation aside?"""
    needle = squashed(wanted)
    if needle in text:
        return True
    return ocr and len(needle) >= _SHORTEST_FUZZY and _similar_in(text, needle)


def initials(text: str) -> str:
    """The first letters of a text's words in one string, to find what an acronym stands for."""
    return "".join(
        word[0].casefold() for word in _WORD.findall(text) if word.lower() not in {"of", "the", "and", "for"}
    )


def squeezed(text: str) -> str:
    """Lower-cased text without blanks."""
    return "".join(text.casefold().split())


def _identifier_tokens(prose: str) -> Iterator[str]:
    for match in _TOKEN.finditer(prose):
        token = match[0].rstrip(".-:/")
        if (match["path"] and len(token) > 1) or match["option"] or match["version"]:
            yield token
        elif match["led"]:
            if not _COUNTED.fullmatch(token):
                yield token
        elif match["word"]:
            yield from (part for part in _compound_parts(token) if _is_identifier(part))


def _compound_parts(token: str) -> list[str]:
    """`K63-linked` and `TCR/CD8` are several words; `ORA-00942`, `TDP-43` and `WEB-INF/web.xml` are one."""
    if "/" in token and not re.search(r"[._]", token):
        return [part for whole in token.split("/") for part in _compound_parts(whole)]
    parts = token.split("-")
    if len(parts) > 1 and any(re.fullmatch(r"[A-Za-z]?[a-z]{2,}", part) for part in parts):
        return parts
    return [token]


def _is_identifier(token: str) -> bool:
    if _ACRONYM.fullmatch(token):
        return False
    if any(sign in token for sign in "_$@") or token.endswith("()") or "::" in token:
        return True
    parts = re.split(r"[./\\:#-]", token)
    if "/" in token or "-" in token or ":" in token:
        return any(_CAMEL.search(part) for part in parts) or _is_model_number(token)
    if "." in token and all(len(part) > 1 for part in parts):
        return True
    return bool(_CAMEL.search(token)) or _is_model_number(token)


def _prose(text: str) -> str:
    """The text with its code spans blanked."""
    for start, end in reversed(code_spans(text)):
        text = f"{text[:start]} {text[end:]}"
    return text


def _is_model_number(token: str) -> bool:
    return bool(_LETTERS_AND_DIGITS.match(token)) and not _PLAIN_COMPOUND.fullmatch(token)


def _without_identifiers(text: str) -> str:
    prose = _prose(text)
    for token in sorted(set(_identifier_tokens(prose)), key=len, reverse=True):
        prose = prose.replace(token, " ")
    return prose


def _stands_in(text: str, token: str) -> bool:
    pieces = re.findall(
        r"[A-Za-z_$]+|\d+|[^\sA-Za-z0-9_$-]",
        token.lstrip("@").removeprefix("v" if token[1:2].isdigit() else "\0"),
    )
    if not pieces:
        return True
    before = r"(?<![A-Za-z0-9_$])" if not pieces[0][0].isdigit() else r"(?<![0-9_$])(?<!\d\.)(?<![A-Za-uw-z])"
    after = r"(?![A-Za-z0-9_$]|\.\d)" if pieces[-1][-1].isdigit() else r"(?![A-Za-z0-9_$])"
    pattern = before + r"[\s_-]?".join(map(re.escape, pieces)) + after
    return re.search(pattern, text, re.IGNORECASE) is not None


def _fuzzily_in(text: str, token: str) -> bool:
    """A scanner's confusions: 0 and O, 1 and l, or one letter in eight wrong in a long identifier."""
    wanted = token.translate(_CONFUSABLE).casefold()
    found = {match[0].translate(_CONFUSABLE).casefold() for match in re.finditer(r"[\w$.@|-]+", text)}
    if wanted in found:
        return True
    if len(wanted) < _SHORTEST_FUZZY or any(sign.isdigit() for sign in token):
        return False
    return any(
        abs(len(other) - len(wanted)) <= 1 and SequenceMatcher(None, wanted, other).ratio() >= _FUZZY for other in found
    )


def _similar_in(text: str, needle: str) -> bool:
    """Is there a stretch of `text` that differs from `needle` in one sign of ten or fewer?"""
    digits = re.findall(r"\d+", needle)
    pairs = [needle[at : at + 2] for at in range(len(needle) - 1)]
    allowed = 2 * -(-len(needle) // 10)
    starts = {text.find(pair) - at for at, pair in enumerate(pairs) if pair in text}
    for start in sorted(starts):
        window = text[max(0, start) : max(0, start) + len(needle)]
        held = {window[at : at + 2] for at in range(len(window) - 1)}
        if sum(pair not in held for pair in pairs) <= allowed and all(number in window for number in digits):
            return True
    return False
