"""The offline model's EXTRACT task: by rules, what to remember of the user's latest message."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from langchain_core.messages import BaseMessage

from graph.models.chatting import fitting_memories
from graph.models.clauses import clauses_of
from graph.models.dictation import Told, sentences_told
from graph.models.intents import asks, intent_of
from graph.models.statements import Slot, Statement, ended, now_at, statement_of
from graph.models.superseding import matched
from nodes.fences import Fenced, read_fences

_MAX_OPERATIONS = 8
_QUOTED = re.compile(
    r"“[^”]*”|‘[^’]*’|「[^」]*」|『[^』]*』|\"[^\"\n]*\"|(?<!\w)'[^'\n]{3,}'(?!\w)|```.*?(?:```|$)|`[^`\n]*`", re.DOTALL
)
_NOT_OWN = re.compile(
    r"假设|假如|假装|扮演|想象|如果我|要是我|设想|角色|比方说|(?:他|她|他们|她们|老板|同事|朋友|有人|别人|客户)(?:们)?(?:说|问|写|觉得|告诉)"
    r"|\b(?:suppose|imagine|pretend|as if|role-?play|if i (?:were|was|am|had)"
    r"|let's say|hypothetically|act as|(?:he|she|they|boss|friend|someone) (?:says?"
    r"|said|asked|wrote|told))\b",
    re.IGNORECASE,
)
_PRIVATE = re.compile(
    r"这(?:段|件事|句)?(?:别|不要)记|别记(?:住|录|下)?|不要记(?:住|录|下)?|\b(?:don't|do not) (?:remember"
    r"|store|save|record) (?:this|that|it)\b|off the record",
    re.IGNORECASE,
)
_PLANTED = re.compile(
    r"https?://|www\.|\b[\w-]+\.(?:com|net|org|cn|io|example)\b|忽略|无视|覆盖|绕过|转到"
    r"|转发|\b(?:ignore|override|bypass|disregard|forward to|redirect)\b",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"密码|口令|密钥|身份证|银行卡|私钥|\b(?:password|passwd|api[ _-]?key|secret|token|private key"
    r"|sk-\w+)\b|(?<!\d)\d{11,}(?!\d)|(?<!\d)\d{17}[\dxX]",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"^(?:请|先|再|要|顺便|我?)*(?:帮我|给我|替我)(?!们)|^(?:please )?(?:to )?(?:check|look up|find|send"
    r"|tell|remind|summari[sz]e|translate)\b",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"(?:所有|全部|一切|都|全).{0,8}(?:忘|删|清)|(?:忘|删|清)[^。]{0,12}(?:所有|全部|一切|都)|\b(?:everything"
    r"|all (?:of )?(?:my|your|the)?\s*(?:memories|you know))\b",
    re.IGNORECASE,
)
_FORGET_WORDS = re.compile(
    r"忘掉|忘记|忘了|删掉|删除|清除|从|记忆|里|中|请|帮我|能|可以|把|吗|\b(?:please|forget|delete|erase|remove|from|memory|that|about|can|could|you)\b",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"^(?:好|可以|行|没问题|嗯|对|同意|yes|ok(?:ay)?|sure|yes please)[的啊呀吧]*[，,。.!！\s]*(?:以后"
    r"|今后|都|就|always|from now on|do that|please do)",
    re.IGNORECASE,
)
_PROPOSAL = re.compile(
    r"((?:以后|今后)[^。！!?？]*?)(?:好吗|可以吗|行吗|好不好|怎么样)"
    r"|(?:shall|should|may|can) i ((?:always )?[^?]*?(?:from now on"
    r"|in future|always)?)\?",
    re.IGNORECASE,
)
_PASTED_LINES, _PASTED_LENGTH = 4, 400


def propose(messages: Sequence[BaseMessage], now: datetime) -> str:
    """One JSON object with the operations for the latest framed message; `now` only if that carries no time."""
    prompt = "\n".join(message.text for message in messages)
    said, memories = read_fences(prompt, "message"), read_fences(prompt, "memory")
    if not said:
        return _as_json([])
    latest = said[-1]
    text = own_words(latest.text)
    if _PRIVATE.search(text):
        return _as_json([])
    if intent_of(text) == "forget":
        return _as_json(_forgetting(text, memories))
    earlier = [own_words(message.text) for message in said[:-1]]
    statements = _statements(text, earlier, _day(latest, now))
    statements += _agreement(text, read_fences(prompt, "assistant"))
    return _as_json(_operations(statements, memories)[:_MAX_OPERATIONS])


def own_words(message: str) -> str:
    """The message without quotations and code, and of a pasted text only its first and last line."""
    unquoted = _QUOTED.sub(" ", message)
    lines = [line for line in unquoted.splitlines() if line.strip() and not line.lstrip().startswith((">", "|"))]
    if len(lines) >= _PASTED_LINES or (len(lines) > 1 and len(unquoted) > _PASTED_LENGTH):
        lines = [lines[0], lines[-1]]
    return "\n".join(lines)


def _statements(text: str, earlier: Sequence[str], today: date) -> list[Statement]:
    if _NOT_OWN.search(text):
        return []
    found: list[Statement] = []
    for told in sentences_told(text, earlier):
        if told.explicit or not asks(told.text) or intent_of(told.text) == "preference":
            found += _of_sentence(told, today)
    return found


def _of_sentence(told: Told, today: date) -> list[Statement]:
    """One statement a clause; what was dictated and falls into none is kept as it was said."""
    clauses = [one for one in clauses_of(told.text, dictated=told.explicit) if not _unwelcome(one)]
    over = [one for clause in clauses if (one := ended(clause)) is not None]
    slot = over[0].slot if over else None
    made = [one for clause in clauses if (one := _said(clause, slot, today, explicit=told.explicit)) is not None]
    if told.explicit and clauses and not made and not _unwelcome(told.text):
        whole = statement_of(told.text, today, explicit=True)
        made += [whole] if whole is not None else []
    return [replace(one, explicit=told.explicit) for one in made]


def _said(clause: str, over: Slot | None, today: date, *, explicit: bool) -> Statement | None:
    """What a clause says; beside one that tells what is over, `I'm at Y now` names what came instead."""
    instead = now_at(clause, over) if over is not None else None
    return ended(clause) or instead or statement_of(clause, today, explicit=explicit)


def _unwelcome(text: str) -> bool:
    """Planted, secret, or a task that was only asked for with the word 记得."""
    return any(pattern.search(text) for pattern in (_PLANTED, _SECRET, _TASK))


def _agreement(text: str, assistant: Sequence[Fenced]) -> list[Statement]:
    """The user takes up what the assistant proposed for the future; the proposal only says what is meant."""
    if not assistant or not _AGREES.search(text.strip()):
        return []
    proposal = _PROPOSAL.search(assistant[-1].text)
    if proposal is None:
        return []
    content = f"用户希望{proposal[1]}" if proposal[1] else f"The user wants the assistant to {proposal[2]}"
    return [
        Statement(
            type="procedural",
            slot="style",
            content=content,
            subject=content,
            negative=False,
            adds=False,
            confidence=0.9,
        )
    ]


def _operations(statements: Sequence[Statement], memories: Sequence[Fenced]) -> list[dict[str, Any]]:
    """One operation a statement, no memory meant twice. What is over comes last: its successor takes its place."""
    moved = {one.slot for one in statements if not one.ended} & {"employer", "place"}
    left = list(memories)
    operations: list[dict[str, Any]] = []
    for statement in sorted(statements, key=lambda one: one.ended):
        if statement.ended and moved:
            continue
        match = matched(statement, left)
        if match is None:
            if not statement.ended:
                operations.append(_written("ADD", statement.type, statement.content, None, statement.confidence))
            continue
        memory, content = match
        target = memory.attributes["id"]
        if content == memory.text:
            operations += [_written("IGNORE", None, None, target, 0.95)] if statement.explicit else []
        else:
            left.remove(memory)
            operations.append(_written("UPDATE", statement.type, content, target, statement.confidence))
    return operations


def _forgetting(text: str, memories: Sequence[Fenced]) -> list[dict[str, Any]]:
    """DELETE of the one memory that is meant. Forgetting everything is for the application to confirm."""
    if _EVERYTHING.search(text):
        return []
    meant = fitting_memories(_FORGET_WORDS.sub(" ", text), memories)
    return [_written("DELETE", None, None, memory.attributes["id"], 0.95) for memory in meant[:1]]


def _written(
    action: str, kind: str | None, content: str | None, target: str | None, confidence: float
) -> dict[str, Any]:
    return {"action": action, "type": kind, "content": content, "target_id": target, "confidence": confidence}


def _as_json(operations: Sequence[dict[str, Any]]) -> str:
    return json.dumps({"operations": list(operations)}, ensure_ascii=False)


def _day(message: Fenced, now: datetime) -> date:
    """The day on which the message was written, in the zone its time is given in."""
    try:
        return datetime.fromisoformat(message.attributes.get("time", "")).date()
    except ValueError:
        return now.date()
