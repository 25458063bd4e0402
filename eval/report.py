"""A measurement as Markdown."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from eval.metrics import METRICS


def markdown(report: Mapping[str, Any]) -> str:
    """One table of figures, the gain over the baseline, and where failed queries were lost."""
    columns = [*METRICS, "p50 ms", "p95 ms"]
    lines = [
        f"## {report['dataset']}: {report['passages']} passages, {report['queries']} questions",
        "",
        f"| pipeline | {' | '.join(columns)} |",
        f"|---|{'---|' * len(columns)}",
    ]
    for name, figures in report["pipelines"].items():
        values = [f"{figures[metric]:.3f}" if metric in figures else "–" for metric in METRICS]
        values += [f"{figures['latency_ms'][share]:.0f}" for share in ("p50", "p95")]
        lines.append(f"| {name} | {' | '.join(values)} |")
    lines += ["", *_kinds(report), *_gains(report), *_losses(report)]
    return "\n".join(lines).rstrip() + "\n"


def _kinds(report: Mapping[str, Any]) -> list[str]:
    """nDCG@10 by kind of question, for a set that names kinds."""
    by_type = {name: figures["by_type"] for name, figures in report["pipelines"].items() if "by_type" in figures}
    if not by_type:
        return []
    kinds = next(iter(by_type.values()))
    heads = [f"{kind} ({row['queries']})" for kind, row in kinds.items()]
    lines = [f"| nDCG@10 by kind of question | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for name, rows in by_type.items():
        values = [f"{rows[kind]['ndcg@10']:.3f}" for kind in kinds]
        lines.append(f"| {name} | {' | '.join(values)} |")
    return [*lines, ""]


def _gains(report: Mapping[str, Any]) -> list[str]:
    lines = []
    for name, figures in report["pipelines"].items():
        if gain := figures.get("ndcg@10_over_stock"):
            mean, low, high = gain
            lines.append(
                f"- {name} over stock, nDCG@10: {mean:+.3f} [{low:+.3f}, {high:+.3f}] (paired bootstrap, 95 %)"
            )
        if "false_answer_rate" in figures:
            lines.append(
                f"- {name}: of questions without an answer {figures['false_answer_rate']:.1%} pass the threshold"
            )
    return [*lines, ""] if lines else []


def _losses(report: Mapping[str, Any]) -> list[str]:
    lines = []
    for name, failed in report["failures"].items():
        stages = Counter(row["lost"] for row in failed if "lost" in row)
        told = ", ".join(f"{count} {stage}" for stage, count in stages.most_common())
        lines.append(
            f"- {name}: nothing relevant in the first ten for {len(failed)} questions{f' ({told})' if told else ''}"
        )
    return lines
