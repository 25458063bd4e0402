"""The chart of a report: how good and how fast each pipeline is, side by side."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.errors import EvaluationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = frozenset({".png", ".svg"})
_FONT = Path(__file__).parents[1] / "examples" / "fonts" / "WenQuanYiMicroHei-GB2312.ttf"
"""For Chinese names of datasets; matplotlib's own font has no Chinese."""
_GOOD = {"ndcg@10": "#35618f", "recall@10": "#8fb3d9"}
_FAST = {"p50": "#b5651d", "p95": "#e2b98a"}
_BAR = 0.38


def ready(file: Path) -> None:
    """Find out before the measurement whether the chart can be drawn.

    Raises:
        EvaluationError: matplotlib is not installed, or the file is of another format.
    """
    if file.suffix not in SUFFIXES:
        raise EvaluationError(f"--chart {file}: the name must end in {' or '.join(sorted(SUFFIXES))}.")
    if find_spec("matplotlib") is None:
        raise EvaluationError("--chart needs matplotlib: pip install 'recite-agent[eval]', or leave it out.")


def draw(report: Mapping[str, Any], file: Path) -> None:
    """nDCG@10 and recall@10 with the 95 % interval of their means, and p50 and p95 of the time a question takes."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - the extra's, with the next
    from matplotlib.style import context  # noqa: PLC0415

    names = list(report["pipelines"])
    families, title = drawable(f"{report['dataset']}: {report['queries']} questions, {report['passages']} passages")
    with context({"font.family": families, "svg.hashsalt": "recite"}):
        figure = Figure(figsize=(9.5, 1.3 + 0.62 * len(names)), layout="constrained")  # draws without a display
        good, fast = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
        figure.suptitle(title, fontsize=11)
        for place, (metric, colour) in enumerate(_GOOD.items()):
            _bars(good, place, [_value(report, name, metric) for name in names], colour, metric, "{:.3f}")
        for place, (share, colour) in enumerate(_FAST.items()):
            values = [report["pipelines"][name]["latency_ms"][share] for name in names]
            _bars(fast, place, [(value, value, value) for value in values], colour, f"{share} ms", "{:.1f}")
        good.set_xlim(0, 1.12)
        fast.set_xlim(0, 1.18 * max([1.0, *(report["pipelines"][name]["latency_ms"]["p95"] for name in names)]))
        good.set_yticks(range(len(names)), names)
        good.invert_yaxis()
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else None)


def _value(report: Mapping[str, Any], name: str, metric: str) -> tuple[float, float, float]:
    """The figure with the ends of its interval; 0 where no question has an answer."""
    figures = report["pipelines"][name]
    value = figures.get(metric, 0.0)
    low, high = figures.get("intervals", {}).get(metric, (value, value))
    return value, low, high


def _bars(
    axes: "Axes", place: int, values: Sequence[tuple[float, float, float]], colour: str, label: str, shape: str
) -> None:
    """One bar a pipeline: its value, and the ends of its interval where they differ from it."""
    rows = [number + (place - 0.5) * _BAR for number in range(len(values))]
    axes.barh(rows, [value for value, _, _ in values], _BAR, color=colour, label=label)
    for row, (value, low, high) in zip(rows, values, strict=True):
        if low < high:
            axes.plot([low, high], [row, row], color="#333333", linewidth=1, marker="|", markersize=4)
        end = max(value, high), row
        axes.annotate(shape.format(value), end, (4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8)


def drawable(title: str) -> tuple[list[str], str]:
    """The fonts to use, and the title with `?` for what none of them can draw."""
    from matplotlib.font_manager import FontProperties, findfont, fontManager  # noqa: PLC0415
    from matplotlib.ft2font import FT2Font  # noqa: PLC0415

    families = ["DejaVu Sans"]
    if not title.isascii() and _FONT.is_file():
        fontManager.addfont(str(_FONT))
        families.append(FontProperties(fname=str(_FONT)).get_name())
    known = {code for family in families for code in FT2Font(findfont(family)).get_charmap()}
    return families, "".join(one if ord(one) in known else "?" for one in title)
