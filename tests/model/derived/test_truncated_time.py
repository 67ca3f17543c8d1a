"""Truncated times: the text of a unit, its order, and the units of a range."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import Between, KeyRefused, Since
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.codecs.codec import SortOrder
from singletable.model.derived.truncated_time import TruncatedTime, truncated_time
from singletable.model.parameter_types import Equal

MOMENT = datetime(2026, 4, 10, 14, 5, 6, 789_123, tzinfo=UTC)
FORMATS = ("milliseconds", "seconds", "minutes", "hours", "days", "%Y-%m", "%Y", "seconds:desc", "%Y%m%d%H")


def truncated(python_type: type, spec: str) -> TruncatedTime:
    found = truncated_time("at", choose_codec(python_type, spec, "#"))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("python_type", "spec", "value", "text", "unit"),
    [
        (datetime, "milliseconds", MOMENT, "2026-04-10T14:05:06.789Z", "millisecond"),
        (datetime, "seconds", MOMENT, "2026-04-10T14:05:06Z", "second"),
        (datetime, "minutes", MOMENT, "2026-04-10T14:05Z", "minute"),
        (datetime, "hours", MOMENT, "2026-04-10T14Z", "hour"),
        (datetime, "days", MOMENT, "2026-04-10", "day"),
        (datetime, "%Y-%m", MOMENT, "2026-04", "month"),
        (datetime, "%Y", MOMENT, "2026", "year"),
        (datetime, "seconds:desc", MOMENT, "7973-95-89T85:94:93Z", "second"),
        (datetime, "days", datetime(2026, 4, 11, 1, tzinfo=timezone(timedelta(hours=2))), "2026-04-10", "day"),
        (date, "%Y-%m", date(2026, 4, 10), "2026-04", "month"),
    ],
)
def test_a_truncated_time_is_the_start_of_its_unit_in_utc(
    python_type: type, spec: str, value: Any, text: str, unit: str
) -> None:
    found = truncated(python_type, spec)
    assert (found.compute(value), found.unit) == (text, unit)


@pytest.mark.parametrize(("python_type", "spec"), [(datetime, ""), (datetime, "microseconds"), (date, ""), (str, "")])
def test_a_format_that_keeps_the_whole_value_is_no_truncated_time(python_type: type, spec: str) -> None:
    assert truncated_time("at", choose_codec(python_type, spec, "#")) is None


@pytest.mark.parametrize("spec", FORMATS)
@given(first=st.datetimes(timezones=st.just(UTC)), second=st.datetimes(timezones=st.just(UTC)))
def test_truncated_times_sort_like_the_times(spec: str, first: datetime, second: datetime) -> None:
    found = truncated(datetime, spec)
    low, high = found.compute(min(first, second)), found.compute(max(first, second))
    assert low >= high if found.order is SortOrder.DESCENDING else low <= high
    last = found.last_text
    assert last is not None
    assert max(low, high) <= last


@pytest.mark.parametrize("spec", FORMATS[2:])
@given(start=st.datetimes(timezones=st.just(UTC)), step=st.integers(0, 10**10))
def test_truncated_times_list_every_unit_of_a_range(spec: str, start: datetime, step: int) -> None:
    found = truncated(datetime, spec)
    unit = {"minute": 60, "hour": 3600, "day": 86400, "second": 1}.get(found.unit, 86400)
    high = min(start.timestamp() + step % (9 * unit), datetime.max.replace(tzinfo=UTC).timestamp() - 1)
    end = max(start, datetime.fromtimestamp(high, UTC)) if start.year > 1970 else start
    units = found.expand({"at": Between(start, end)})
    assert units[0] == found.compute(start)
    assert units[-1] == found.compute(end)
    assert len(set(units)) == len(units)
    assert list(units) == sorted(units, reverse=found.order is SortOrder.DESCENDING)


def test_a_truncated_time_ends_its_units_with_the_year_9999() -> None:
    last = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    assert truncated(datetime, "%Y").expand({"at": Between(last, last)}) == ("9999",)
    assert truncated(datetime, "hours").expand({"at": Between(last, last)}) == ("9999-12-31T23Z",)
    assert truncated(date, "%Y-%m").expand({"at": Between(last.date(), last.date())}) == ("9999-12",)


def test_a_truncated_time_reaches_one_unit_or_the_units_of_a_range() -> None:
    found = truncated(datetime, "hours")
    (one, several) = found.reach({"at": Equal}), found.reach({"at": Between})
    assert one is not None
    assert several is not None
    assert (one.count, several.count, several.what) == (1, None, "one partition for each hour of the range of at")
    assert found.reach({"at": Since}) is None


def test_a_truncated_time_rejects_long_ranges_and_naive_times() -> None:
    found = truncated(datetime, "seconds")
    with pytest.raises(KeyRefused, match="more than 10000 seconds"):
        found.expand({"at": Between(MOMENT, MOMENT + timedelta(days=1))})
    with pytest.raises(KeyRefused, match="has no time zone"):
        found.compute(datetime(2026, 1, 1))
