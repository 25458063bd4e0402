"""What states nothing brings nothing in: headings and greetings with a code or figure of their own are no exception."""

import pytest

from nodes.citations.verdicts import Passage, judge

PASSAGE = Passage(
    number=1, chunk_id="c", text="滤芯型号 FX-200，每 45 天更换一次，2024 年起执行。Port 8080 is open.", context="滤芯"
)
SENTENCE = "滤芯每 45 天更换一次。[1]"


def passes(line: str, *, allow_uncited: bool = False) -> bool:
    verdicts = judge(f"{line}\n\n{SENTENCE}", {1: PASSAGE}, free=["value 77120"], allow_uncited=allow_uncited)
    return verdicts[0].ok


@pytest.mark.parametrize(
    "line",
    [
        "# 滤芯",
        "## 2. 更换步骤",
        "**FX-200**",
        "# 2024 年规定",
        "# Port 8080",
        "你好！",
        "# Value 77120",
        "### 第 12 节",
        "|型号|周期|\n|--|--|",
    ],
)
def test_a_heading_of_known_words_is_shown(line: str) -> None:
    assert passes(line)


@pytest.mark.parametrize(
    "line",
    [
        "# 密码 7341-QX",
        "## The vault opens with falcon-9920",
        "**FX-300**",
        "# Port 9090",
        "你好 9f077c417822cda9c2d7c9a3！",
        "| 型号 | FX-900 |\n|--|--|",
    ],
)
def test_a_heading_with_a_code_or_figure_that_nobody_said_is_not(line: str) -> None:
    assert not passes(line)
    assert passes("# 密码 7341-QX", allow_uncited=True)
