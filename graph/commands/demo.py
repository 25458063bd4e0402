"""The demo: the whole promise on the example documents, on a fresh machine, without a key."""

import tempfile
from pathlib import Path

from rich.rule import Rule

from graph.agent import Agent, open_agent
from graph.commands import shared
from graph.commands.documents import COLOURS
from graph.commands.escaping import escape
from graph.commands.printing import print_footer, print_sources, print_step
from graph.errors import SettingsError
from graph.reply import Reply
from graph.settings import read_settings
from stores.counting import counted

EXAMPLES = Path(__file__).parents[2] / "examples"

FOLDERS = ("java-web-课程", "差旅制度")
QUESTIONS = (
    "酒店住宿每晚最多报销多少？",
    "登录功能为什么跳转失败？",
    "What does the Filter do before the Servlet runs?",
    "它和拦截器有什么区别？",
)
ABSENT = "公司食堂周五供应什么菜？"
CALCULATION = "计算 (123+456)*2"
PREFERENCE = "请记住：我希望回答尽量简短，只说结论。"


async def show() -> None:
    """`recite demo`: in a temporary data directory, so that nothing of yours is touched.

    Raises:
        SettingsError: the example documents are not there (they come with the source, not with the wheel).
    """
    if not EXAMPLES.is_dir():
        raise SettingsError(f"There is no folder {EXAMPLES}: the demo runs from a clone of the project.")
    with tempfile.TemporaryDirectory(prefix="recite-demo-") as home:
        settings = read_settings(home=home, chat_model="offline")
        async with open_agent(settings=settings, work=False) as agent:
            await _ingest(agent)
            await _questions(agent)
            await _memory(agent)
    shared.out.print()
    shared.out.print("Now yours: [bold]recite ingest PATH[/bold], then [bold]recite chat[/bold].")


async def _ingest(agent: Agent) -> None:
    shared.out.print(Rule("Documents in"))
    for result in await agent.ingest(*(EXAMPLES / name for name in FOLDERS)):
        name = Path(result.path).relative_to(EXAMPLES)
        colour = COLOURS[result.status]
        shared.out.print(
            f"[{colour}]{result.status:9}[/{colour}] {escape(str(name))} [dim]{counted(result.chunks, 'chunk')}[/dim]"
        )


async def _questions(agent: Agent) -> None:
    shared.out.print(Rule("Questions, answered with checked citations"))
    for question in QUESTIONS:
        await _ask(agent, question, thread="course")
    shared.out.print(Rule("A question whose answer is not there"))
    await _ask(agent, ABSENT, thread="absent")
    shared.out.print(Rule("A tool call, step by step"))
    await _ask(agent, CALCULATION, thread="tools", trace=True)


async def _memory(agent: Agent) -> None:
    shared.out.print(Rule("A preference, remembered in one thread and used in another"))
    await _ask(agent, PREFERENCE, thread="first")
    await agent.finish_jobs()
    for memory in await agent.memories():
        shared.out.print(f"  [dim]in memory: {memory.type}: {escape(memory.content)}[/dim]")
    await _ask(agent, QUESTIONS[0], thread="second")


async def _ask(agent: Agent, question: str, *, thread: str, trace: bool = False) -> Reply:
    shared.out.print(f"\n[bold]you>[/bold] {escape(question)}")
    reply = await agent.ask(question, thread=thread)
    shared.out.print(escape(reply.answer))
    print_sources(reply)
    if trace:
        for step in reply.steps:
            print_step(dict(step))
    print_footer(reply)
    return reply
