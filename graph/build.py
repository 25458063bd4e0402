"""The whole graph on one page: every node, every edge, and what each node is given."""

from functools import partial

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graph import routes
from graph.events import Node, observed
from graph.services import Services, now
from nodes.answer import answer
from nodes.check_citations import check_citations
from nodes.compress_history import compress_history
from nodes.extract_memory import extract_memory
from nodes.plan import plan
from nodes.recall_memory import recall_memory
from nodes.retrieve import retrieve
from nodes.state import Context, Input, State
from nodes.tool_call import tool_call

Compiled = CompiledStateGraph[State, Context, Input, State]

AFTER_THE_ANSWER = frozenset({"extract_memory", "compress_history"})
"""Nodes whose failure must not cost the user the answer that is already there."""


RECURSION_LIMIT = 100
"""More than any turn's own limits allow, so that those decide and a user never sees a recursion error."""


def compiled(services: Services, checkpointer: BaseCheckpointSaver[str] | None = None) -> Compiled:
    """The graph ready to run: with a checkpointer, or for a server that adds its own."""
    graph = build(services).compile(checkpointer=checkpointer, name="recite")
    return graph.with_config(recursion_limit=RECURSION_LIMIT)


def build(services: Services) -> StateGraph[State, Context, Input, State]:
    """Nodes and edges with their live objects bound. No side effects."""
    s = services
    nodes: dict[str, Node] = {
        "recall_memory": partial(
            recall_memory,
            conversations=s.conversations,
            recall=s.recall,
            memories=s.memories,
            limits=s.limits,
            clock=now,
        ),
        "plan": partial(
            plan,
            model=s.model,
            registry=s.registry,
            memories=s.memories,
            limits=s.limits,
            documents=s.documents,
            prompts=s.prompts,
        ),
        "tool_call": partial(tool_call, registry=s.registry, limits=s.limits, clock=now),
        "retrieve": partial(retrieve, documents=s.documents, limits=s.limits, meter=s.meter),
        "answer": partial(
            answer,
            model=s.model,
            documents=s.documents,
            memories=s.memories,
            limits=s.limits,
            clock=now,
            meter=s.meter,
            support=s.support,
            prompts=s.prompts,
        ),
        "check_citations": partial(
            check_citations,
            documents=s.documents,
            limits=s.limits,
            clock=now,
            meter=s.meter,
            support=s.support,
            handing=s.hand_off,
        ),
        "extract_memory": partial(extract_memory, jobs=s.jobs, enabled=s.extraction),
        "compress_history": partial(compress_history, model=s.model, limits=s.limits, prompts=s.prompts),
    }
    graph = StateGraph(State, context_schema=Context, input_schema=Input)
    for name, node in nodes.items():
        graph.add_node(name, observed(name, node, may_fail=name in AFTER_THE_ANSWER))

    graph.add_edge(START, "recall_memory")
    graph.add_conditional_edges("recall_memory", routes.after_recall, ["plan", "check_citations"])
    graph.add_conditional_edges("plan", routes.after_plan, ["retrieve", "tool_call", "answer", "check_citations"])
    graph.add_edge("tool_call", "plan")
    graph.add_conditional_edges("retrieve", routes.after_retrieve, ["plan", "answer"])
    graph.add_edge("answer", "check_citations")
    graph.add_conditional_edges("check_citations", routes.after_check, ["answer", "plan", "extract_memory"])
    graph.add_edge("extract_memory", "compress_history")
    graph.add_edge("compress_history", END)
    return graph
