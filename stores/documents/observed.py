"""What a search tells the meter."""

from collections.abc import Awaitable

from stores.documents.document import SearchResult
from stores.metrics import BELOW_THRESHOLD, DEGRADED, SEARCHES, STAGE_SECONDS, Meter


async def metered(search: Awaitable[SearchResult], meter: Meter) -> SearchResult:
    """The search's result, told to the meter; so is a search that an error ended. A blank query is no search."""
    try:
        result = await search
    except Exception:
        meter.count(SEARCHES, outcome="failed")
        raise
    if result.ms.keys() != {"total"}:
        _tell(result, meter)
    return result


def _tell(result: SearchResult, meter: Meter) -> None:
    meter.count(SEARCHES, outcome="hit" if result.hits else "miss")
    if result.below_threshold:
        meter.count(BELOW_THRESHOLD, result.below_threshold)
    for part in result.degraded:
        meter.count(DEGRADED, part=part)
    for stage, ms in result.ms.items():
        meter.observe(STAGE_SECONDS, ms / 1000, stage=stage)
