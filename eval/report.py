"""A measurement as Markdown."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from eval.metrics import METRICS
from stores.counting import counted

FAILURES = 10
"""Failed questions of each pipeline that are shown; the JSON holds all."""
_WORDS = 60
"""Characters of a title and of a passage that are shown."""
_CELL = str.maketrans({"|": "\\|", "\n": " ", "`": "\\`", "*": "\\*", "_": "\\_", "<": "&lt;"})


def as_markdown(report: Mapping[str, Any], *, chart: str | None = None, failures: int = FAILURES) -> str:
    """Tables of figures, the gain over the baseline, refusal, times, and so many failed questions of each pipeline.

    `chart` is the address of a picture that belongs to it.
    """
    head = f"## {report['dataset']}: {report['passages']} passages, {counted(report['queries'], 'question')}"
    if report["unanswerable"]:
        head += f" and {report['unanswerable']} without an answer"
    parts = [
        [head],
        [f"![{report['dataset']}](<{chart}>)"] if chart else [],
        _table("pipeline", [*METRICS, "p50 ms", "p95 ms"], {name: _quality(of) for name, of in _pipelines(report)}),
        _kinds(report),
        _gains(report),
        _refusal(report),
        _stages(report),
        _costs(report),
        _not_taken_in(report),
        _losses(report),
        *(_failed(name, rows[:failures], len(rows)) for name, rows in report["failures"].items() if failures),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _pipelines(report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return list(report["pipelines"].items())


def _table(first: str, heads: Sequence[str], rows: Mapping[str, Sequence[str]]) -> list[str]:
    lines = [f"| {first} | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    return lines + [f"| {name} | {' | '.join(values)} |" for name, values in rows.items()]


def _quality(figures: Mapping[str, Any]) -> list[str]:
    values = [f"{figures[metric]:.3f}" if metric in figures else "–" for metric in METRICS]
    return values + [f"{figures['latency_ms'][share]:.0f}" for share in ("p50", "p95")]


def _kinds(report: Mapping[str, Any]) -> list[str]:
    """nDCG@10 by kind of question, for a set that names kinds."""
    by_type = {name: figures["by_type"] for name, figures in _pipelines(report) if "by_type" in figures}
    if not by_type:
        return []
    kinds = next(iter(by_type.values()))
    heads = [f"{_cell(kind)} ({row['queries']})" for kind, row in kinds.items()]
    rows = {name: [f"{of[kind]['ndcg@10']:.3f}" for kind in kinds] for name, of in by_type.items()}
    return _table("nDCG@10 by kind of question", heads, rows)


def _gains(report: Mapping[str, Any]) -> list[str]:
    lines = []
    for name, figures in _pipelines(report):
        if gain := figures.get("ndcg@10_over_stock"):
            mean, low, high = gain
            lines.append(
                f"- {name} over stock, nDCG@10: {mean:+.3f} [{low:+.3f}, {high:+.3f}] (paired bootstrap, 95 %)"
            )
    return lines


def _refusal(report: Mapping[str, Any]) -> list[str]:
    keys = {"false_answer_rate": "false answers", "false_refusal_rate": "false refusals"}
    keys["reranker_fallbacks"] = "reranker fell back"
    rows = {
        name: [f"{figures[key]:.1%}" if key in figures else "–" for key in keys]
        for name, figures in _pipelines(report)
        if any(key in figures for key in keys)
    }
    first = f"threshold {report['min_score']:g}, first {report['top_k']}"
    return _table(first, list(keys.values()), rows) if rows else []


def _stages(report: Mapping[str, Any]) -> list[str]:
    """p50 / p95 of each stage, for pipelines that tell stages."""
    staged = {name: figures["stages_ms"] for name, figures in _pipelines(report) if len(figures["stages_ms"]) > 1}
    stages = list(dict.fromkeys(stage for of in staged.values() for stage in of if stage != "total"))
    if not stages:
        return []
    rows = {name: [_share(of[one]) if one in of else "–" for one in [*stages, "total"]] for name, of in staged.items()}
    return _table("ms by stage, p50 / p95", [*stages, "total"], rows)


def _share(of: Mapping[str, float]) -> str:
    return f"{of['p50']:.1f} / {of['p95']:.1f}"


def _costs(report: Mapping[str, Any]) -> list[str]:
    seconds = report["index_seconds"]
    built = f"{seconds:g} s to build and " if seconds is not None else ""
    lines = [f"- index: {built}{report['index_megabytes']:g} MB"]
    calling = {name: figures for name, figures in _pipelines(report) if figures["model_calls"]}
    lines += [
        f"- {name}: {counted(of['model_calls'], 'model call')}, {of['model_calls_per_question']:g} a question, "
        f"{of['input_tokens']} tokens read and {of['output_tokens']} written"
        for name, of in calling.items()
    ]
    return lines if calling else [*lines, "- no model calls"]


def _not_taken_in(report: Mapping[str, Any]) -> list[str]:
    return [f"- not taken in: {_cell(row['path'])} ({_cell(row['reason'])})" for row in report.get("not_taken_in", ())]


def _losses(report: Mapping[str, Any]) -> list[str]:
    lines = []
    for name, failed in report["failures"].items():
        stages = Counter(row["lost"] for row in failed if "lost" in row)
        told = ", ".join(f"{count} {stage}" for stage, count in stages.most_common())
        lines.append(f"- {name}: {counted(len(failed), 'question')} failed{f' ({told})' if told else ''}")
    return lines


def _failed(name: str, rows: Sequence[Mapping[str, Any]], count: int) -> list[str]:
    if not rows:
        return []
    shown = f"the first {len(rows)} of {count}" if len(rows) < count else f"all {count}"
    lines = [f"### {name}: what failed, {shown}", "", "| question | lost | came instead |", "|---|---|---|"]
    for row in rows:
        lost = row.get("lost", "–") + (f" ({row['score']:.2f})" if "score" in row else "")
        instead = _passage(row["instead"][0]) if row["instead"] else "nothing"
        lines.append(f"| {_cell(row['query'])} | {lost} | {instead} |")
    return lines


def _passage(passage: Mapping[str, str]) -> str:
    title, begins = (_cell(_cut(passage[key])) for key in ("title", "begins"))
    return f"{title}: {begins}" if title else begins


def _cut(text: str) -> str:
    return text if len(text) <= _WORDS else f"{text[:_WORDS]}…"


def _cell(text: str) -> str:
    return text.translate(_CELL)
