"""Date buckets: years, months, days and hours in UTC, and the buckets of a range."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.derived.bucket import MOST_BUCKETS, Span, bucket
from singletable.model.derived.derived_value import Reach
from singletable.model.parameter_types import Between, Equal, Since
from singletable.model.regular_language import literal, overlap

SPANS: tuple[Span, ...] = get_args(Span)
NOON = datetime(2026, 4, 10, 12, 30, 15, 500, tzinfo=UTC)
EAST, WEST = timezone(timedelta(hours=5)), timezone(timedelta(hours=-5))
each_span = pytest.mark.parametrize("span", SPANS)


@pytest.mark.parametrize(
    ("span", "value", "text"),
    [
        ("year", NOON, "2026"),
        ("month", NOON, "2026-04"),
        ("day", NOON, "2026-04-10"),
        ("hour", NOON, "2026-04-10T12"),
        ("month", date(2026, 4, 10), "2026-04"),
        ("day", date(2026, 4, 10), "2026-04-10"),
        ("day", datetime(2026, 4, 10, 22, tzinfo=WEST), "2026-04-11"),
        ("day", datetime(2026, 4, 10, 2, tzinfo=EAST), "2026-04-09"),
        ("year", datetime(5, 1, 1, tzinfo=UTC), "0005"),
        ("year", datetime(9999, 12, 31, 23, 59, tzinfo=UTC), "9999"),
    ],
)
def test_a_bucket_contains_a_datetime_by_its_utc_time(span: Span, value: date, text: str) -> None:
    assert bucket("at", span).compute(value) == text


@each_span
@given(st.datetimes(timezones=st.just(UTC)))
def test_a_bucket_has_a_fixed_width_and_is_in_its_language(span: Span, moment: datetime) -> None:
    derived = bucket("at", span)
    text = derived.compute(moment)
    assert len(text) == derived.width
    assert overlap(derived.language("#"), literal(text))


@each_span
@given(st.datetimes(timezones=st.just(UTC)), st.timedeltas(timedelta(0), timedelta(days=400)), st.floats(0, 1))
def test_the_buckets_of_a_range_contain_every_datetime_in_it(
    span: Span, low: datetime, length: timedelta, share: float
) -> None:
    high = low + min(length, datetime.max.replace(tzinfo=UTC) - low)
    derived = bucket("at", span)
    buckets = derived.expand({"at": Between(low, high)})
    assert derived.compute(low + share * (high - low)) in buckets
    assert buckets[0] == derived.compute(low)
    assert buckets[-1] == derived.compute(high)
    assert list(buckets) == sorted(set(buckets))


@pytest.mark.parametrize(
    ("span", "low", "high", "expected"),
    [
        ("month", datetime(2025, 11, 30, tzinfo=UTC), NOON, "2025-11 2025-12 2026-01 2026-02 2026-03 2026-04"),
        ("year", datetime(2024, 12, 31, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC), "2024 2025 2026"),
        ("day", date(2024, 2, 28), date(2024, 3, 1), "2024-02-28 2024-02-29 2024-03-01"),
        ("day", date(2025, 2, 28), date(2025, 3, 1), "2025-02-28 2025-03-01"),
        ("day", date(2025, 12, 31), date(2026, 1, 1), "2025-12-31 2026-01-01"),
        (
            "hour",
            datetime(2025, 12, 31, 22, 59, tzinfo=UTC),
            datetime(2026, 1, 1, 1, tzinfo=UTC),
            "2025-12-31T22 2025-12-31T23 2026-01-01T00 2026-01-01T01",
        ),
        ("day", NOON, NOON, "2026-04-10"),
        ("day", NOON, NOON - timedelta(days=1), ""),
        ("hour", NOON, NOON - timedelta(minutes=20), "2026-04-10T12"),
        ("month", date(9999, 11, 1), date(9999, 12, 31), "9999-11 9999-12"),
        ("year", date(9998, 11, 1), date(9999, 12, 31), "9998 9999"),
        ("day", date(9999, 12, 30), date(9999, 12, 31), "9999-12-30 9999-12-31"),
        (
            "hour",
            datetime(9999, 12, 31, 22, tzinfo=UTC),
            datetime(9999, 12, 31, 23, 59, tzinfo=UTC),
            "9999-12-31T22 9999-12-31T23",
        ),
        ("year", date(1, 1, 1), date(2, 1, 1), "0001 0002"),
        ("month", datetime(2026, 1, 31, 23, tzinfo=WEST), datetime(2026, 2, 1, tzinfo=EAST), ""),
        ("month", datetime(2026, 2, 1, tzinfo=EAST), datetime(2026, 1, 31, 23, tzinfo=WEST), "2026-01 2026-02"),
    ],
)
def test_a_range_expands_to_the_buckets_it_touches(span: Span, low: date, high: date, expected: str) -> None:
    assert " ".join(bucket("at", span).expand({"at": Between(low, high)})) == expected


def test_a_value_is_in_one_bucket() -> None:
    assert bucket("at", "day").expand({"at": Equal(NOON)}) == ("2026-04-10",)


def test_the_number_of_buckets_depends_on_the_range() -> None:
    month = bucket("at", "month")
    assert month.reach({"at": Equal}) == Reach(1, "bucket(at, 'month')")
    assert month.reach({"at": Between}) == Reach(None, "one partition for each month of the range of at")
    assert month.reach({"at": Since}) is None
    assert month.reach({}) is None


def test_a_range_with_too_many_buckets_is_rejected() -> None:
    low = datetime(2000, 1, 1, tzinfo=UTC)
    hours = bucket("at", "hour")
    assert len(hours.expand({"at": Between(low, low + timedelta(hours=MOST_BUCKETS - 1))})) == MOST_BUCKETS
    with pytest.raises(KeyRefused, match="touches more than 10000 hour buckets; pass a shorter range"):
        hours.expand({"at": Between(low, low + timedelta(hours=MOST_BUCKETS))})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (datetime(2026, 4, 10), "has no time zone"),
        ("2026-04-10", "is neither a datetime nor a date"),
        (5, "is neither a datetime nor a date"),
        (datetime(9999, 12, 31, 23, tzinfo=WEST), "outside the years 1 to 9999 in UTC"),
        (datetime(1, 1, 1, tzinfo=EAST), "outside the years 1 to 9999 in UTC"),
    ],
)
def test_values_without_a_bucket_are_rejected(value: Any, message: str) -> None:
    day = bucket("at", "day")
    with pytest.raises(KeyRefused, match=message):
        day.compute(value)
    with pytest.raises(KeyRefused, match=message):
        day.expand({"at": Between(NOON, value)})


@pytest.mark.parametrize(
    ("span", "python_type", "fits"),
    [
        ("hour", datetime, True),
        ("hour", date, False),
        ("day", datetime, True),
        ("day", date, True),
        ("year", date, True),
        ("day", str, False),
        ("day", int, False),
    ],
)
def test_a_bucket_needs_a_datetime_or_date_field(span: Span, python_type: type, fits: bool) -> None:
    problem = bucket("at", span).problem_with({"at": python_type})
    assert problem == (None if fits else f"a bucket by {span} needs a datetime field or a date field")


def test_a_bucket_has_one_of_four_spans() -> None:
    with pytest.raises(ValueError, match="span must be one of year, month, day, hour, got 'week'"):
        bucket("at", "week")  # type: ignore[arg-type]  # that is the point


def test_a_bucket_needs_its_field_or_a_range() -> None:
    with pytest.raises(KeyRefused, match=r"bucket\(at, 'day'\) needs a value for at"):
        bucket("at", "day").expand({"at": Since(NOON)})
