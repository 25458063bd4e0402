"""The chart of a check of claims: what each kind comes to, and the reliability curve of the score."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.chart import drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WRONG_CAUGHT, _RIGHT_KEPT = "#35618f", "#8fb3d9"


def draw(report: Mapping[str, Any], file: Path) -> None:
    """The share told right of each kind with its 95 % interval, beside the share supported in truth by the score."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - the extra's, with the next
    from matplotlib.style import context  # noqa: PLC0415

    families, title = drawable(f"{report['dataset']}: {report['pairs']} claims, accuracy {report['accuracy']:.3f}")
    kinds = {drawable(name)[1]: of for name, of in report["by_kind"].items()}
    with context({"font.family": families, "svg.hashsalt": "recite"}):
        figure = Figure(figsize=(9.5, max(3.6, 1.3 + 0.36 * len(kinds))), layout="constrained")
        bars, curve = figure.subplots(1, 2, width_ratios=[3, 2])
        figure.suptitle(title, fontsize=11)
        _bars(bars, kinds)
        _curve(curve, report)
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else None)


def _bars(axes: "Axes", kinds: Mapping[str, Mapping[str, Any]]) -> None:
    for row, of in enumerate(kinds.values()):
        axes.barh([row], [of["right"]], 0.7, color=_WRONG_CAUGHT if "caught" in of else _RIGHT_KEPT)
        axes.plot(of["interval"], [row, row], color="#333333", linewidth=1, marker="|", markersize=4)
        axes.annotate(
            f"{of['right']:.0%}", (of["interval"][1], row), (4, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_yticks(range(len(kinds)), [f"{name} ({of['pairs']})" for name, of in kinds.items()])
    axes.invert_yaxis()
    axes.set_xlim(0, 1.12)
    axes.set_title("told right: wrong ones caught (dark), true ones let through (light)", fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def _curve(axes: "Axes", report: Mapping[str, Any]) -> None:
    rows = report["reliability"]
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle="--")
    axes.plot([row["score"] for row in rows], [row["supported"] for row in rows], color="#b5651d", marker="o")
    for row in rows:
        axes.annotate(
            str(row["pairs"]), (row["score"], row["supported"]), (4, -8), textcoords="offset points", fontsize=7
        )
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("score", fontsize=8)
    axes.set_ylabel("share supported in truth", fontsize=8)
    axes.set_title(f"reliability, expected calibration error {report['calibration_error']:.3f}", fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
