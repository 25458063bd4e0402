"""The report on a check of claims: as JSON, and as Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.claims.checking import VERDICTS, Checked
from eval.claims.figures import figures
from eval.claims.pairs import LABELS, Part
from stores.counting import counted

FAILURES = 5
"""Failed claims of each kind that the Markdown shows; the JSON holds all."""
_WORDS = 160
"""Characters of a claim that are shown."""
_CELL = str.maketrans({"|": "\\|", "\n": " ", "`": "\\`", "*": "\\*", "_": "\\_", "<": "&lt;"})
_TOLD: Mapping[str, str] = {"SUPPORT": "supported", "CONTRADICT": "contradicted", "NOT_ENOUGH_INFO": "not told"}


def report(checked: Sequence[Checked], *, dataset: str, part: Part) -> dict[str, Any]:
    """The figures with what they are of, and every pair that was told wrong."""
    sources = {one.pair.source for one in checked}
    return {
        "dataset": dataset,
        "part": part,
        "pairs": len(checked),
        "documents": len(sources),
        **figures(checked),
        "failures": [_failure(one) for one in checked if not one.right],
    }


def dataset_name(files: Iterable[Path]) -> str:
    """What to call the sets: their names, with the folder's where a name is only `pairs` or `samples`."""
    plain = {"pairs", "samples"}
    return " + ".join(file.resolve().parent.name if file.stem in plain else file.stem for file in files)


def _failure(one: Checked) -> dict[str, Any]:
    pair, judged = one.pair, one.judgement
    return {
        "id": pair.pair_id,
        "kind": pair.kind,
        "form": pair.form,
        "language": pair.language,
        "label": pair.label,
        "verdict": judged.verdict,
        "score": judged.score,
        "reason": judged.reason,
        "detail": judged.detail,
        "claim": pair.claim,
        "document": pair.document,
    }


def as_markdown(report: Mapping[str, Any], *, chart: str | None = None, failures: int = FAILURES) -> str:
    """The tables of a report, and so many claims of each kind that were told wrong. `chart` is a picture's address."""
    of = "" if report["part"] == "all" else f", the {report['part']} part"
    pairs, documents = counted(report["pairs"], "claim"), counted(report["documents"], "document")
    parts = [
        [f"## {report['dataset']}{of}: {pairs} on {documents}"],
        [f"![{report['dataset']}](<{chart}>)"] if chart else [],
        _accuracy(report),
        _confusion(report["confusion"]),
        _shares("kind", report["by_kind"], report["altered"]),
        _shares("form, kind", report["by_form"]),
        *(_language(name, of) for name, of in report["by_language"].items() if len(report["by_language"]) > 1),
        _reasons(report["by_reason"]),
        _reliability(report),
        [f"- latency of one claim: p50 {report['latency_ms']['p50']:g} ms, p95 {report['latency_ms']['p95']:g} ms"],
        *(_failed(kind, rows, failures) for kind, rows in _by_kind(report["failures"]).items() if failures),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _accuracy(report: Mapping[str, Any]) -> list[str]:
    rows = {"supported or not": report, "supported, contradicted or not told": report["three_way"]}
    lines = [
        f"| {name} | {of['accuracy']:.3f} [{of['interval'][0]:.3f}, {of['interval'][1]:.3f}] | {of['majority']:.3f} "
        f"| {of['over_majority'][0]:+.3f} [{of['over_majority'][1]:+.3f}, {of['over_majority'][2]:+.3f}] |"
        for name, of in rows.items()
    ]
    told = f'"supported": precision {report["precision"]:.3f}, recall {report["recall"]:.3f}'
    return ["| | accuracy [95 %] | majority | over the majority [95 %] |", "|---|---|---|---|", *lines, "", told]


def _confusion(confusion: Mapping[str, Mapping[str, int]]) -> list[str]:
    lines = [f"| label | {' | '.join(f'judged {verdict}' for verdict in VERDICTS)} |", f"|---|{'---|' * len(VERDICTS)}"]
    return lines + [
        f"| {_TOLD[label]} | {' | '.join(str(confusion[label][verdict]) for verdict in VERDICTS)} |" for label in LABELS
    ]


def _shares(first: str, groups: Mapping[str, Mapping[str, Any]], altered: Mapping[str, Any] | None = None) -> list[str]:
    if not groups:
        return []
    rows = dict(groups) | ({"altered, all kinds": altered} if altered and altered["pairs"] else {})
    lines = [f"| {first} | claims | right [95 %] | caught | false alarms |", "|---|---|---|---|---|"]
    for name, of in rows.items():
        low, high = of["interval"]
        caught, alarms = (f"{of[key]:.1%}" if key in of else "–" for key in ("caught", "false_alarms"))
        lines.append(
            f"| {_cell(name)} | {of['pairs']} | {of['right']:.1%} [{low:.1%}, {high:.1%}] | {caught} | {alarms} |"
        )
    return lines


def _language(name: str, of: Mapping[str, Any]) -> list[str]:
    rates = f"precision {of['precision']:.3f}, recall {of['recall']:.3f}"
    told = f"### {name}: {of['pairs']} claims, {of['right']:.1%} right, {rates}"
    return [told, "", *_shares("kind", of["by_kind"], of["altered"])]


def _reasons(reasons: Mapping[str, Mapping[str, int]]) -> list[str]:
    lines = [f"| reason given | {' | '.join(_TOLD[label] for label in LABELS)} |", f"|---|{'---|' * len(LABELS)}"]
    return lines + [
        f"| {_cell(name)} | {' | '.join(str(of[label]) for label in LABELS)} |" for name, of in reasons.items()
    ]


def _reliability(report: Mapping[str, Any]) -> list[str]:
    lines = ["| score | claims | mean score | supported in truth |", "|---|---|---|---|"]
    lines += [
        f"| {row['from']:.1f} to {row['to']:.1f} | {row['pairs']} | {row['score']:.2f} | {row['supported']:.2f} |"
        for row in report["reliability"]
    ]
    return [*lines, "", f"Expected calibration error {report['calibration_error']:.3f}"]


def _by_kind(failures: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for row in failures:
        kinds.setdefault(row["kind"], []).append(row)
    return dict(sorted(kinds.items()))


def _failed(kind: str, rows: Sequence[Mapping[str, Any]], count: int) -> list[str]:
    shown = f"the first {count} of {len(rows)}" if count < len(rows) else f"all {len(rows)}"
    lines = [f"### {_cell(kind)}: told wrong, {shown}", "", "| claim | judged | because |", "|---|---|---|"]
    for row in rows[:count]:
        because = row["reason"] if not row["detail"] else f"{row['reason']}: {row['detail']}"
        lines.append(
            f"| {_cell(_cut(row['claim']))} | {row['verdict']} ({row['score']:.2f}) | {_cell(_cut(because))} |"
        )
    return lines


def _cut(text: str) -> str:
    return text if len(text) <= _WORDS else f"{text[:_WORDS]}…"


def _cell(text: str) -> str:
    return text.translate(_CELL)
