"""Counters and histograms of one process."""

import json
import threading

import pytest

from stores.memory_meter import MemoryMeter
from stores.metrics import DEGRADED, METRICS, NO_METER, ROUNDS, SEARCHES, STAGE_SECONDS


def values(meter: MemoryMeter, name: str) -> list[dict]:
    return meter.snapshot()[name]["values"]


def test_counts_add_up_by_label() -> None:
    meter = MemoryMeter()
    for outcome in ("hit", "miss", "hit"):
        meter.count(SEARCHES, outcome=outcome)
    meter.count(SEARCHES, 5, outcome="miss")
    assert values(meter, SEARCHES) == [
        {"labels": {"outcome": "hit"}, "value": 2},
        {"labels": {"outcome": "miss"}, "value": 6},
    ]


def test_a_histograms_buckets_hold_everything_up_to_their_bound() -> None:
    meter = MemoryMeter()
    for rounds in (0, 1, 1, 3, 4, 40):
        meter.observe(ROUNDS, rounds)
    [value] = values(meter, ROUNDS)
    assert value["buckets"] == {"0": 1, "1": 3, "2": 3, "3": 4, "5": 5, "10": 5, "+Inf": 6}
    assert (value["count"], value["sum"], value["labels"]) == (6, 49, {})


def test_values_of_labels_cannot_pile_up() -> None:
    meter = MemoryMeter()
    for number in range(1000):
        meter.observe(STAGE_SECONDS, 0.1, stage=f"stage {number}")
        meter.count(DEGRADED, part="keyword", query=f"what is {number}?")
    meter.count(DEGRADED)
    assert [(one["labels"], one["count"]) for one in values(meter, STAGE_SECONDS)] == [({"stage": "other"}, 1000)]
    assert [(one["labels"], one["value"]) for one in values(meter, DEGRADED)] == [
        ({"part": "keyword"}, 1000),
        ({"part": "other"}, 1),
    ]


def test_threads_lose_no_count() -> None:
    meter = MemoryMeter()

    def work() -> None:
        for _ in range(2_000):
            meter.count(SEARCHES, outcome="hit")
            meter.observe(ROUNDS, 1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values(meter, SEARCHES)[0]["value"] == values(meter, ROUNDS)[0]["count"] == 16_000


def test_a_snapshot_names_every_metric_with_unit_and_meaning_and_is_json() -> None:
    meter = MemoryMeter()
    meter.observe(STAGE_SECONDS, 0.0042, stage="fuse")
    told = json.loads(json.dumps(meter.snapshot()))
    assert set(told) == set(METRICS)
    assert all(one["meaning"] and one["unit"] for one in told.values())
    assert {one["kind"] for name, one in told.items() if name.endswith("_total")} == {"counter"}
    assert told[STAGE_SECONDS]["kind"] == "histogram"
    assert told[STAGE_SECONDS]["values"][0]["buckets"]["0.005"] == 1
    assert told[STAGE_SECONDS]["values"][0]["buckets"]["0.0025"] == 0


@pytest.mark.parametrize("name", METRICS)
def test_names_say_their_unit_and_bounds_rise(name: str) -> None:
    metric = METRICS[name]
    assert name.startswith("recite_") and name.endswith("_total") == (not metric.buckets)
    assert list(metric.buckets) == sorted(set(metric.buckets))


def test_no_meter_takes_everything() -> None:
    NO_METER.count(SEARCHES, outcome="hit")
    NO_METER.observe(ROUNDS, 1)
