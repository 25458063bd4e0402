"""Near the topic is not an answer: what the material does not say is refused, what it says in other words is not."""

import pytest

from graph.models.questions import asked
from graph.models.quoting import Material
from graph.models.units import PassageText
from stores.rerankers.local import shared_scorer

CLINIC = (
    "# 阳光宠物诊所须知\n\n诊所周二至周日 9:00–18:00 接诊，周一休息。首次就诊挂号费 30 元，复诊免挂号费。"
    "住院的动物每天可以探视一次，每次不超过 20 分钟。\n\n"
    "| 服务 | 价格 | 周末 |\n| --- | --- | --- |\n| 洗澡 | 60 元 | 80 元 |\n| 寄养 | 50 元/天 | 70 元/天 |\n"
)
POOL = (
    "# Riverside Pool rules\n\nSwimmers must shower before entering. Children under eight need an adult with them. "
    "The water is tested twice a day. Season tickets cost 140 euros and are not transferable. "
    "The sauna closes half an hour before the pool."
)
TRIAL = "# 入职须知\n\n试用期为三个月。试用期内的工资是转正工资的八成。工牌遗失须在一天内报告前台。"


def answers(question: str, *passages: str, history: tuple[str, ...] = (), score: float = 0.85) -> str:
    given = [PassageText(n, text, title=f"d{n}", score=score) for n, text in enumerate(passages, start=1)]
    material = Material(given, judge=shared_scorer().score)
    return "\n".join(unit.text for unit in material.answers(asked(question, history)))


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("诊所所长是谁？", CLINIC),
        ("诊所的院长叫什么？", CLINIC),
        ("诊所在哪条路上？", CLINIC),
        ("诊所是哪一年开的？", CLINIC),
        ("诊所的电话是多少？", CLINIC),
        ("狗的疫苗多少钱一针？", CLINIC),
        ("试用期的奖金是多少？", TRIAL),
        ("年假有几天？", TRIAL),
        (
            "安装 SailBase 的步骤是什么？",
            "```xml\n<dependency>\n  <artifactId>sailbase</artifactId>\n</dependency>\n```",
        ),
        ("SailBase 为什么连接失败？", "```xml\n<dependency>\n  <artifactId>sailbase</artifactId>\n</dependency>\n```"),
        ("What year was Riverside Pool built?", POOL),
        ("Who is the manager of the pool?", POOL),
        ("Where is the pool located?", POOL),
        ("How deep is the pool?", POOL),
        ("What is the phone number of the pool?", POOL),
        ("How many lanes does the pool have?", POOL),
    ],
)
def test_c14_a_fact_that_is_absent_is_not_answered_with_what_stands_near_it(question: str, passage: str) -> None:
    assert answers(question, passage) == ""


@pytest.mark.parametrize(
    ("question", "passage", "said"),
    [
        ("周末给狗洗澡要多少钱？", CLINIC, "80 元"),
        ("首次就诊要交多少挂号费？", CLINIC, "30 元"),
        ("住院的动物能探视几次？", CLINIC, "每天可以探视一次"),
        ("工牌丢了怎么办？", TRIAL, "工牌遗失"),
        ("试用期有多长？", TRIAL, "三个月"),
        ("How often is the water checked?", POOL, "twice a day"),
        ("Can I give my season ticket to a friend?", POOL, "not transferable"),
        ("What is the price of a season ticket?", POOL, "140 euros"),
        ("When does the sauna close?", POOL, "half an hour"),
    ],
)
def test_c15_an_answer_in_other_words_or_in_a_cell_is_found(question: str, passage: str, said: str) -> None:
    assert said in answers(question, passage)


@pytest.mark.parametrize(
    ("history", "question", "passage", "said_before"),
    [
        ("试用期的工资是多少？", "那年假呢？", TRIAL, "八成"),
        ("首次就诊的挂号费是多少？", "那疫苗呢？", CLINIC, "30 元"),
        ("How much is a season ticket?", "What about parking?", POOL, "140"),
        ("How often is the water tested?", "What about its temperature?", POOL, "twice"),
    ],
)
def test_a_follow_up_about_what_is_absent_does_not_repeat_the_answer_before(
    history: str, question: str, passage: str, said_before: str
) -> None:
    assert said_before not in answers(question, passage, history=(history,))


def test_how_often_is_answered_by_a_frequency_and_not_by_an_amount() -> None:
    assert "every night" in answers(
        "How often are the baskets emptied?", "Guests pay 12 euros per visit. The baskets are emptied every night."
    )


def test_who_asks_for_a_list_gets_all_of_it() -> None:
    items = "".join(f"- 第{one}号展柜\n" for one in "甲乙丙丁戊己庚")

    said = answers("展厅有哪些展柜？", f"# 展厅\n\n展厅共有七个展柜。它们分别是：\n\n{items}\n其他事项见公告。")

    assert all(f"第{one}号" in said for one in "甲乙丙丁戊己庚")
    assert "公告" not in said


CODE = (
    "package park;\n\n/**\n * Keeps the barrier closed until a ticket has been\n"
    " * paid for, and then opens it <b>once</b>.\n"
    " * <ul>\n * <li>Counts the cars that pass.</li>\n * </ul>\n */\n@Component\npublic class BarrierGuard {\n\n"
    "    /** Hide the constructor. */\n    private BarrierGuard() {\n    }\n\n"
    '    public String name() {\n        return "BarrierGuard";\n    }\n}\n'
)


def test_what_a_class_does_is_told_by_the_whole_comment_before_it() -> None:
    said = answers("What does BarrierGuard do?", CODE)

    assert "Keeps the barrier closed until a ticket has been paid for, and then opens it once." in said
    assert "Counts the cars that pass." in said
    assert "Hide the constructor" not in said
    assert said.index("Keeps the barrier") < said.index("public class BarrierGuard")


def test_a_docstring_stands_inside_its_function() -> None:
    said = answers("What does open_gate do?", 'def open_gate(ticket):\n    """Lift the bar for one car."""\n    pass\n')

    assert "Lift the bar for one car." in said
