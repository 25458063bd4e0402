"""The offline model's ANSWER and REPAIR tasks: quotations with their numbers, or what is missing."""

from collections.abc import Sequence

from langchain_core.embeddings import Embeddings
from langchain_core.messages import BaseMessage, HumanMessage

from graph.models.chatting import chat_reply, fitting_memories, memory_answer, tool_sentence
from graph.models.citing import cited, laid_out
from graph.models.forms import in_form
from graph.models.intents import intent_of
from graph.models.language import Language, language_of
from graph.models.phrases import phrase
from graph.models.preferences import Style, style_of
from graph.models.questions import asked, parts_of
from graph.models.quoting import Material
from graph.models.sufficiency import Judge
from graph.models.units import PassageText, Unit
from graph.models.wording import Question
from nodes.fences import Fenced, read_fences
from nodes.prompts import INSUFFICIENT, task_in

_CHAT = frozenset({"documents", "arithmetic", "date"})
_LOOKS_LIKE = 0.6


def answer(messages: Sequence[BaseMessage], embeddings: Embeddings | None, judge: Judge | None = None) -> str:
    """Tool results first, then for each part of the question its quotations, then what is missing."""
    system, told = messages[0].text, messages[-1].text
    question = _question(told)
    memories = read_fences(system, "memory")
    style = style_of([m.text for m in memories if m.attributes.get("type") == "procedural"])
    language = style.language or language_of(question)
    passages, tools = passages_in(told), read_fences(told, "tool")
    intent = intent_of(question)
    if not passages and not tools and intent not in _CHAT:
        return chat_reply(intent, question, memories, language)
    said = [tool_sentence(result, language) for result in tools]
    if intent == "about_user" and fitting_memories(question, memories):
        return "\n\n".join([*said, memory_answer(question, memories, language)])
    earlier = [message.text for message in messages[1:-1] if isinstance(message, HumanMessage)]
    material = Material(passages, embeddings, judge)
    formed = in_form(task_in(system), question, earlier, material, style, language)
    quoted, missing = formed or _over_documents(question, earlier, material, style, language)
    lines = [*said, *([quoted] if quoted else [])]
    if missing and not (tools and not passages and not quoted and not _documents_asked(question)):
        lines.append(f"{INSUFFICIENT}: {_listed(missing, language)}")
    return "\n\n".join(lines)


def repair(messages: Sequence[BaseMessage], embeddings: Embeddings | None) -> str:
    """For each failed sentence the sentence of the passages that is nearest to it; none if none is near."""
    told = messages[-1].text
    material = Material(passages_in(told), embeddings)
    units: list[Unit] = []
    for sentence in read_fences(told, "sentence"):
        nearest = material.nearest(Question(sentence.text), _LOOKS_LIKE)
        if nearest is not None and nearest not in units:
            units.append(nearest)
    return "\n\n".join(cited(unit) for unit in units)


def passages_in(prompt: str) -> list[PassageText]:
    """The framed passages of a prompt."""
    return [_passage(frame) for frame in read_fences(prompt, "passage")]


def _passage(frame: Fenced) -> PassageText:
    attributes = frame.attributes
    score = attributes.get("score", "")
    return PassageText(
        number=int(attributes.get("n", "0")),
        text=frame.text,
        title=attributes.get("title", ""),
        place=attributes.get("place", ""),
        context=attributes.get("context", ""),
        score=float(score) if score.replace(".", "", 1).isdigit() else None,
    )


def _question(told: str) -> str:
    framed = read_fences(told, "question")
    return framed[0].text.strip() if framed else told.strip()


def _documents_asked(question: str) -> bool:
    return any(intent_of(part) == "documents" for part in parts_of(question))


def _over_documents(
    question: str, earlier: Sequence[str], material: Material, style: Style, language: Language
) -> tuple[str, list[str]]:
    """Quotations laid out as the user likes them, and the parts that nothing answers, in the user's words."""
    units: list[Unit] = []
    missing: list[str] = []
    parts = parts_of(question)
    for index, part in enumerate(parts):
        if intent_of(part) != "documents" and len(parts) > 1:
            continue
        found = material.answers(asked(part, earlier, parts[:index]))
        if not found:
            missing.append(part.strip().rstrip("?？。.!！"))
        units += [unit for unit in (found[:1] if style.brief else found) if unit not in units]
    if not units:
        return "", missing
    text = laid_out(units, style.form, language)
    foreign = all(unit.kind == "sentence" and unit.language != language for unit in units)
    return (f"{phrase('foreign_quotes', language)}\n\n{text}" if foreign else text), missing


def _listed(missing: Sequence[str], language: Language) -> str:
    return ("；" if language == "zh" else "; ").join(missing)
