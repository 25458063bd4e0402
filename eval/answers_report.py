"""The report on answers as Markdown, and its chart."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.chart import drawable

_TOLD = (0.01, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
_COLOURS = {"offline model": "#35618f", "search": "#b5651d"}


def answers_markdown(report: Mapping[str, Any], *, chart: str | None = None) -> str:
    """Tables: the four figures, every class, every file, the curve and what it costs."""
    head = f"## {report['source']}: {report['questions']} questions, model {report['model']}"
    parts = [
        [head],
        [f"![Refusal](<{chart}>)"] if chart else [],
        _main(report),
        _classes(report),
        _costs(report),
        _curves(report),
        _files(report),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


def _main(report: Mapping[str, Any]) -> list[str]:
    keys = ("accuracy", "refused_negative", "refused_answerable")
    return _table(keys, [[_percent(report[key]) for key in keys]])


def _classes(report: Mapping[str, Any]) -> list[str]:
    keys = ("accuracy", "refused", "partial", "named", "cited")
    rows = [
        [kind, str(of["questions"]), *(_interval(of.get(key)) for key in keys), _percent(of.get("cites_right")),
         str(of.get("unresolved_numbers", "–"))]
        for kind, of in report["by_class"].items()
    ]  # fmt: skip
    return _table(["class", "questions", *keys, "cites a right passage", "unresolved numbers"], rows)


def _costs(report: Mapping[str, Any]) -> list[str]:
    rows = [
        [kind, str(of["model_calls"]), str(of["input_tokens"]), str(of["output_tokens"]),
         f"{of['latency_ms']['p50']:.0f}", f"{of['latency_ms']['p95']:.0f}"]
        for kind, of in report["by_class"].items()
    ]  # fmt: skip
    return _table(["class", "model calls", "tokens read", "tokens written", "p50 ms", "p95 ms"], rows)


def _curves(report: Mapping[str, Any]) -> list[str]:
    """The area, and what would be refused as the threshold moves, each with its interval."""
    curves = report["curves"]
    if not curves:
        return []
    rows = [["AUC", *(f"{of['auc']:.3f} [{of['auc_interval'][0]:.3f}, {of['auc_interval'][1]:.3f}]"
             for of in curves.values())]]  # fmt: skip
    for share in _TOLD:
        told = (next(row for row in of["band"] if row[0] == share) for of in curves.values())
        rows.append([f"{share:.0%} false refusals", *(_interval(row[1:]) for row in told)])
    return _table(["negatives refused at", *curves], rows)


def _files(report: Mapping[str, Any]) -> list[str]:
    rows = []
    for name, of in report["by_file"].items():
        curve = of["curves"].get("offline model") or of["curves"].get("search") or {}
        rows.append(
            [name, str(of["questions"]), *(_percent(of[key]) for key in ("accuracy", "refused_negative",
             "refused_answerable")), f"{curve['auc']:.3f}" if curve else "–", _percent(curve.get("refused_at_15"))]
        )  # fmt: skip
    heads = ["file", "questions", "accuracy", "refused negative", "refused answerable", "AUC", "refused at 15 %"]
    return _table(heads, rows)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _interval(values: Sequence[float] | None) -> str:
    return "–" if values is None else f"{values[0]:.1%} [{values[1]:.1%}, {values[2]:.1%}]"


def draw_curves(report: Mapping[str, Any], file: Path) -> None:
    """Refused negatives against false refusals for each score with its interval, and where the product stands."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - the extra's, with the next
    from matplotlib.style import context  # noqa: PLC0415

    families, title = drawable(f"{report['source']}: refusal, model {report['model']}")
    with context({"font.family": families, "svg.hashsalt": "recite"}):
        figure = Figure(figsize=(6.4, 5.4), layout="constrained")
        axes = figure.subplots()
        axes.set_title(title, fontsize=11)
        for name, of in report["curves"].items():
            wrong, right = [0.0, *(p[0] for p in of["points"])], [0.0, *(p[1] for p in of["points"])]
            axes.plot(wrong, right, color=_COLOURS.get(name), label=f"{name}, AUC {of['auc']:.3f}")
            if band := of.get("band"):
                shares, _, low, high = zip(*band, strict=True)
                axes.fill_between(shares, low, high, color=_COLOURS.get(name), alpha=0.15, linewidth=0)
        if report["refused_answerable"] is not None and report["refused_negative"] is not None:
            axes.plot([report["refused_answerable"]], [report["refused_negative"]], "k*", ms=11, label="as configured")
        axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=0.8)
        axes.axvline(0.15, color="#bbbbbb", linewidth=0.8, linestyle=":")
        axes.set_xlabel("answerable questions refused")
        axes.set_ylabel("negative-only questions refused")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.legend(loc="lower right", frameon=False, fontsize=9)
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else None)
