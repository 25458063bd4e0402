"""The date tool: the context's clock, any time zone, distances between days."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tools.arguments import checked_arguments
from tools.current_date import current_date, tell_date
from tools.errors import ToolArgumentsError
from tools.tool import ToolContext

NOW = datetime(2026, 11, 30, 20, 50, 12, tzinfo=UTC)


def test_today_is_told_in_both_languages():
    assert tell_date(NOW).splitlines() == [
        "date: 2026-11-30",
        "weekday: Monday 星期一",
        "time: 20:50:12",
        "timezone: UTC (UTC+0000)",
    ]


def test_another_time_zone_may_have_another_day():
    told = tell_date(NOW, timezone="Asia/Shanghai")

    assert "date: 2026-12-01" in told
    assert "Tuesday 星期二" in told
    assert "time: 04:50:12" in told
    assert "Asia/Shanghai (UTC+0800)" in told


def test_the_zone_of_the_context_is_used_if_none_is_asked():
    local = NOW.astimezone(timezone(timedelta(hours=-8)))

    assert "date: 2026-11-30" in tell_date(local)
    assert "time: 12:50:12" in tell_date(local)


def test_distances_and_shifted_days_cross_months_and_leap_years():
    assert "days until 2026-12-25 (Friday 星期五): 25" in tell_date(NOW, days_until="2026-12-25")
    assert "days until 2026-11-29 (Sunday 星期日): -1" in tell_date(NOW, days_until="2026-11-29")
    assert "+456 days: 2028-02-29 (Tuesday 星期二)" in tell_date(NOW, offset_days=456)
    assert "-30 days: 2026-10-31 (Saturday 星期六)" in tell_date(NOW, offset_days=-30)


@pytest.mark.parametrize("zone", ["Asia/Peking", "../../etc/passwd", "/etc/localtime", "北京", "Asia", "A" * 300])
def test_an_unknown_time_zone_is_an_error_of_the_arguments(zone):
    with pytest.raises(ToolArgumentsError, match="time zone"):
        tell_date(NOW, timezone=zone)


@pytest.mark.parametrize("arguments", [{"days_until": "2026-13-01"}, {"offset_days": 3_660_000}])
def test_a_day_that_does_not_exist_is_an_error_of_the_arguments(arguments):
    with pytest.raises(ToolArgumentsError):
        tell_date(NOW, **arguments)


async def test_the_tool_takes_its_clock_from_the_context():
    context = ToolContext(user_id="u", thread_id="t", call_id="c", now=NOW)
    arguments = checked_arguments(current_date, {"offset_days": 1.0})

    assert "+1 days: 2026-12-01" in await current_date.run(arguments, context)
    with pytest.raises(ToolArgumentsError):
        checked_arguments(current_date, {"days_until": "tomorrow"})
