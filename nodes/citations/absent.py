"""What a model says is missing, told only as far as the user asked for it: a gap is no place for outside knowledge."""

import re
from collections.abc import Sequence

from nodes.citations.inert import inert_line
from nodes.citations.material import read_material
from nodes.citations.numbers import missing_figure
from nodes.citations.words import content_terms, coverage
from stores.documents.terms import fold

LONGEST = 160
"""Characters of one missing thing; more is an essay."""
_NEW_WORDS = 3
"""So many content words beside what was asked for: one name for the gap, not a statement."""
_KNOWN = 0.5
_ABOUT_GAPS = re.compile(
    r"资料|文档|文件|材料|段落|片段|上下文|原文|内容|信息|说明|介绍|描述|规定|依据|证据|数据|细节|答案|具体|详细|明确|直接|相关|有关|关于|方面"
    r"|没有|并未|未能|不足|缺少|缺乏|提到|提及|提供|给出|涉及|包含|找到|记载|写明|讨论|回答|问题|用户|所问"
    r"|(?<![a-z])(?:materials?|documents?|passages?|texts?|sources?|files?|context|information|details?|data|evidence|facts?|statements?"
    r"|answers?|specific\w*|explicit\w*|direct\w*|relevant|regarding|concerning|related|not|no|any|mention\w*|stat\w+|contain\w*"
    r"|provid\w+|cover\w*|discuss\w*|address\w*|find|found|give\w*|say\w*|said|question|asked|user|missing|lack\w*|about)(?![a-z])",
    re.IGNORECASE,
)


def told_missing(missing: Sequence[str], question: str, searched: Sequence[str]) -> list[str]:
    """Each missing thing as it may be told: one that says more than was asked for gives way to the question itself."""
    asked = "\n".join([question, *searched])
    told = [line if _is_asked(line, asked) else inert_line(question) for one in missing if (line := inert_line(one))]
    return [one for one in dict.fromkeys(told) if any(sign.isalnum() for sign in one)]


def _is_asked(line: str, asked: str) -> bool:
    if len(line) > LONGEST:
        return False
    claim, known = read_material(line, claims=True), read_material(asked)
    if missing_figure(claim.figures, [known.figures], known.units) is not None:
        return False
    terms = content_terms(_ABOUT_GAPS.sub(" ", fold(line)))
    return len(terms - known.terms) <= _NEW_WORDS or coverage(terms, known.terms) >= _KNOWN
