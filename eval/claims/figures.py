"""Figures of checked claims: how many are told right, against the majority, by kind, and what a score is worth."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean
from typing import Any, get_args

from eval.bootstrap import interval
from eval.claims.altering import Alteration
from eval.claims.checking import RIGHT, VERDICTS, Checked
from eval.claims.pairs import LABELS, Label
from eval.metrics import percentiles

BINS = 10
"""Of the reliability curve, each a tenth of the score wide."""
_ALTERED = frozenset(get_args(Alteration))


def figures(checked: Sequence[Checked]) -> dict[str, Any]:
    """All figures of a run. Shares are 0..1; an interval holds 95 % of the bootstrap samples.

    `accuracy` counts supported or not, `three_way` also tells contradicted from not told. `majority` is the accuracy of
    always giving the most frequent label, and `over_majority` the gain over that with its interval. `precision` and
    `recall` are those of "supported"; 0 where nothing is.
    """
    two = _accuracy([one.right for one in checked], [one.pair.supported for one in checked])
    labels = [one.pair.label for one in checked]
    three = _accuracy([one.judgement.verdict == RIGHT[one.pair.label] for one in checked], labels)
    return {
        **two,
        **_supported(checked),
        "confusion": confusion(checked),
        "three_way": three,
        "altered": _share([one for one in checked if one.pair.kind in _ALTERED]),
        "by_kind": _by(checked, lambda one: one.pair.kind),
        "by_form": _by((one for one in checked if one.pair.form), lambda one: f"{one.pair.form}, {one.pair.kind}"),
        "by_language": _by_language(checked),
        "by_reason": _by_reason(checked),
        "reliability": reliability(checked),
        "calibration_error": calibration_error(checked),
        "latency_ms": percentiles([one.ms for one in checked]),
    }


def confusion(checked: Iterable[Checked]) -> dict[str, dict[str, int]]:
    """How often each label got each verdict."""
    counts = Counter((one.pair.label, one.judgement.verdict) for one in checked)
    return {label: {verdict: counts[label, verdict] for verdict in VERDICTS} for label in LABELS}


def reliability(checked: Sequence[Checked]) -> list[dict[str, float]]:
    """By tenth of the score that any pair falls into: the mean score, and the share that is supported in truth."""
    tenths: dict[int, list[Checked]] = {}
    for one in checked:
        tenths.setdefault(min(int(one.judgement.score * BINS), BINS - 1), []).append(one)
    return [
        {
            "from": tenth / BINS,
            "to": (tenth + 1) / BINS,
            "pairs": len(within),
            "score": round(mean(one.judgement.score for one in within), 4),
            "supported": round(mean(one.pair.supported for one in within), 4),
        }
        for tenth, within in sorted(tenths.items())
    ]


def calibration_error(checked: Sequence[Checked]) -> float:
    """Expected calibration error over the tenths (Naeini et al. 2015): 0 if a score is the share that is supported."""
    off = sum(row["pairs"] * abs(row["score"] - row["supported"]) for row in reliability(checked))
    return round(off / len(checked), 4)


def _accuracy(right: Sequence[bool], truth: Sequence[Label] | Sequence[bool]) -> dict[str, Any]:
    (most, count), *_ = Counter(truth).most_common(1)
    ours, theirs = [float(one) for one in right], [float(one == most) for one in truth]
    accuracy, low, high = interval(ours, [0.0] * len(ours))
    return {
        "accuracy": round(accuracy, 4),
        "interval": [round(low, 4), round(high, 4)],
        "majority": round(count / len(truth), 4),
        "over_majority": [round(value, 4) for value in interval(ours, theirs)],
    }


def _supported(checked: Sequence[Checked]) -> dict[str, float]:
    let_through = [one.pair.supported for one in checked if one.supported]
    supported = [one.supported for one in checked if one.pair.supported]
    return {
        "precision": round(mean(let_through), 4) if let_through else 0.0,
        "recall": round(mean(supported), 4) if supported else 0.0,
    }


def _by(checked: Iterable[Checked], key: Callable[[Checked], str]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Checked]] = {}
    for one in checked:
        groups.setdefault(key(one), []).append(one)
    return {name: _share(groups[name]) for name in sorted(groups)}


def _share(checked: Sequence[Checked]) -> dict[str, Any]:
    """How many are told right; of the unsupported the share caught, of the supported the share stopped."""
    if not checked:
        return {"pairs": 0}
    right, low, high = interval([float(one.right) for one in checked], [0.0] * len(checked))
    caught = [not one.supported for one in checked if not one.pair.supported]
    alarms = [not one.supported for one in checked if one.pair.supported]
    found: dict[str, Any] = {
        "pairs": len(checked),
        "right": round(right, 4),
        "interval": [round(low, 4), round(high, 4)],
    }
    if caught:
        found["caught"] = round(mean(caught), 4)
    if alarms:
        found["false_alarms"] = round(mean(alarms), 4)
    return found


def _by_language(checked: Sequence[Checked]) -> dict[str, dict[str, Any]]:
    languages = sorted({one.pair.language for one in checked})
    return {name: _of_language([one for one in checked if one.pair.language == name]) for name in languages}


def _of_language(checked: Sequence[Checked]) -> dict[str, Any]:
    kinds = _by(checked, lambda one: one.pair.kind)
    altered = _share([one for one in checked if one.pair.kind in _ALTERED])
    return _share(checked) | _supported(checked) | {"altered": altered, "by_kind": kinds}


def _by_reason(checked: Sequence[Checked]) -> dict[str, Mapping[str, int]]:
    """How often each reason met each label."""
    counts = Counter((one.judgement.reason, one.pair.label) for one in checked)
    reasons = sorted({one.judgement.reason for one in checked})
    return {reason: {label: counts[reason, label] for label in LABELS} for reason in reasons}
