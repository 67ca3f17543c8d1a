"""Keys with truncated times: pages, cursors, counts and single items are exact for every precision and limit."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import (
    ALL,
    GSI,
    KEYS_ONLY,
    ArgumentRefused,
    Between,
    KeyRefused,
    Page,
    Since,
    Table,
    Until,
    collection,
    entity,
    get,
    key,
    pattern,
    query,
)

PRECISIONS = (
    "milliseconds",
    "seconds",
    "minutes",
    "hours",
    "days",
    "%Y-%m",
    "seconds:desc",
    "hours:desc",
    "microseconds",
)
UNIT_CHARACTERS = {
    "milliseconds": 23,
    "seconds": 19,
    "minutes": 16,
    "hours": 13,
    "days": 10,
    "%Y-%m": 7,
    "microseconds": 26,
}
START = datetime(2026, 3, 31, 23, 59, 59, 998_500, tzinfo=UTC)
STEPS = (0, 1, 400, 500, 999_000, 1_000_000, 1_300_000, 59_000_000, 3_600_000_000, 7_200_000_001, 86_400_000_000)
MOMENTS = st.sampled_from([START + timedelta(microseconds=step) for step in STEPS])
STREAMS = itertools.count()


@cache
def opened(precision: str) -> Any:
    """Return an open table whose sort key keeps times with this precision."""

    @entity(key=("STREAM#{stream}", f"AT#{{at:{precision}}}#{{id}}"))
    @dataclass(frozen=True)
    class Event:
        stream: str
        id: str
        at: datetime

    class Events(Table, entities=[Event]):
        @pattern()
        def every(self, stream: str, *, limit: int = 3, cursor: str | None = None) -> Page[Event]:
            """All events."""
            return query(Event, order_by=lambda event: event.at)

        @pattern()
        def newest(self, stream: str, *, limit: int = 3, cursor: str | None = None) -> Page[Event]:
            """All events, newest first."""
            return query(Event, newest_first=True)

        @pattern()
        def between(
            self, stream: str, at: Between[datetime], *, limit: int = 3, cursor: str | None = None
        ) -> Page[Event]:
            """Events of a period."""
            return query(Event, order_by=lambda event: event.at)

        @pattern()
        def newest_between(
            self, stream: str, at: Between[datetime], *, limit: int = 3, cursor: str | None = None
        ) -> Page[Event]:
            """Return the events of a period, newest first."""
            return query(Event, newest_first=True)

        @pattern()
        def since(self, stream: str, at: Since[datetime], *, limit: int = 3, cursor: str | None = None) -> Page[Event]:
            """Events since a time."""
            return query(Event, newest_first=True)

        @pattern()
        def until(self, stream: str, at: Until[datetime], *, limit: int = 3, cursor: str | None = None) -> Page[Event]:
            """Events until a time."""
            return query(Event, order_by=lambda event: event.at)

        @pattern()
        def at(self, stream: str, at: datetime, *, limit: int = 3, cursor: str | None = None) -> Page[Event]:
            """Events at one time."""
            return query(Event)

        @pattern()
        def one(self, stream: str, at: datetime, id: str) -> Event | None:
            """Get an event."""
            return get(Event)

    return Event, Events.open("memory:")


def unit_of(precision: str) -> Callable[[Any], str]:
    """Return a function that returns the unit of an event's time as text."""
    characters = UNIT_CHARACTERS[precision.removesuffix(":desc")]
    return lambda event: event.at.isoformat(timespec="microseconds")[:characters]


def pages_of(read: Callable[..., Page[Any]], *arguments: Any, limit: int) -> Iterator[Page[Any]]:
    page = read(*arguments, limit=limit)
    yield page
    while page.cursor is not None:
        page = read(*arguments, limit=limit, cursor=page.cursor)
        yield page


@pytest.mark.parametrize("precision", PRECISIONS)
@given(
    moments=st.lists(MOMENTS, max_size=9),
    bounds=st.tuples(MOMENTS, MOMENTS).map(sorted),
    limit=st.integers(1, 10),
    name=st.sampled_from(["every", "newest", "between", "newest_between", "since", "until", "at"]),
    data=st.data(),
)
@settings(max_examples=40)
def test_the_pages_of_truncated_times_together_are_what_brute_force_returns(
    precision: str, moments: list[datetime], bounds: list[datetime], limit: int, name: str, data: st.DataObject
) -> None:
    cls, table = opened(precision)
    stream, (low, high) = f"s{next(STREAMS)}", bounds
    names = data.draw(st.permutations([f"e{number}" for number in range(len(moments))]))
    events = [cls(stream, each, moment) for each, moment in zip(names, moments, strict=True)]
    table.put_many(events)
    ranges = {"since": (Since(low), low, None), "until": (Until(high), None, high), "at": (low, low, low)}
    ranges |= dict.fromkeys(("between", "newest_between"), (Between(low, high), low, high))
    argument, first, last = ranges.get(name, (None, None, None))
    matching = [each for each in events if (first or each.at) <= each.at <= (last or each.at)]
    by_rest = sorted(matching, key=lambda each: each.id)
    expected = sorted(by_rest, key=unit_of(precision), reverse=precision.endswith(":desc"))
    if not getattr(type(table), name).plan.forward:
        expected.reverse()
    arguments = (stream,) if argument is None else (stream, argument)
    read = getattr(table, name)

    pages = list(pages_of(read, *arguments, limit=limit))
    assert [each for page in pages for each in page] == expected
    assert all(len(page) == limit for page in pages[:-1]), "every page but the last one is full"
    assert list(read.all(*arguments)) == expected
    assert read.count(*arguments) == len(expected)
    page, back = pages[-1], list(pages[-1])
    while page.previous is not None:
        page = read(*arguments, limit=limit, cursor=page.previous)
        back = [*page, *back]
    assert back == expected


def test_a_single_truncated_time_finds_only_the_item_at_exactly_this_time() -> None:
    cls, table = opened("seconds")
    moment = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)
    event = cls("single", "e1", moment)
    table.put(event)
    paris = moment.astimezone(timezone(timedelta(hours=1)))
    other = moment.replace(microsecond=0)
    assert table.one.explain("single", moment, "e1").requests[0].operation == "Query"
    assert [table.one("single", each, "e1") for each in (moment, paris, other)] == [event, event, None]
    keys = [key(cls, stream="single", at=each, id="e1") for each in (moment, other)]
    assert [table.get(each) for each in keys] == [event, None]
    assert table.get_many(keys) == [event, None]
    assert asyncio.run(table.one.aio("single", moment, "e1")) == event
    assert asyncio.run(table.one.aio("single", other, "e1")) is None


def test_the_awaited_reads_of_truncated_times_are_exact() -> None:
    cls, table = opened("minutes")
    table.put_many([cls("awaited", f"e{number}", START + timedelta(seconds=10 * number)) for number in range(9)])
    period = Between(START + timedelta(seconds=25), START + timedelta(seconds=65))

    async def read() -> tuple[list[str], int, list[str]]:
        page = await table.between.aio("awaited", period, limit=9)
        every = [each.id async for each in table.between.all("awaited", period)]
        return [each.id for each in page], await table.between.count_aio("awaited", period), every

    assert asyncio.run(read()) == (["e3", "e4", "e5", "e6"], 4, ["e3", "e4", "e5", "e6"])


def test_truncated_times_reject_empty_ranges_and_times_without_a_zone() -> None:
    _, table = opened("seconds")
    moment = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)
    with pytest.raises(ArgumentRefused, match="swap low and high"):
        table.between("s", Between(moment, moment.replace(microsecond=0)))
    with pytest.raises(KeyRefused, match=r"\{at\}: .* has no time zone, but \{at:seconds\} needs an aware datetime"):
        table.between("s", Between(moment, datetime(2026, 1, 2)))
    with pytest.raises(KeyRefused, match=r"\{at\}: .* has no time zone"):
        table.one("s", datetime(2026, 1, 2), "e1")


@dataclass
class Short:
    id: str


@entity(key=("LOG#{log}", "META"))
@dataclass(frozen=True)
class Log:
    log: str


@entity(key=("LOG#{log}", "LINE#{at:seconds}#{id}"))
@dataclass(frozen=True)
class Line:
    log: str
    id: str
    at: datetime


@entity(
    key=("SAMPLE#{id}", "META"),
    thin=("THIN#{log}", "{at:minutes}#{id}"),
    hourly=("HOUR#{log}#{at:hours}", "{id}"),
)
@dataclass(frozen=True)
class Sample:
    log: str
    id: str
    at: datetime


@dataclass
class WholeLog:
    log: Log
    lines: list[Line]


class Logs(
    Table, entities=[Log, Line, Sample], indexes=[GSI("thin", projection=KEYS_ONLY), GSI("hourly", projection=ALL)]
):
    @pattern()
    def ids(self, log: str, at: Since[datetime], *, limit: int = 2, cursor: str | None = None) -> Page[Short]:
        """Return only the ids, since a time."""
        return query(Line, view=Short)

    @pattern()
    def hydrated(self, log: str, at: Since[datetime], *, limit: int = 2, cursor: str | None = None) -> Page[Sample]:
        """Return samples since a time, found in an index that contains only keys."""
        return query(Sample, hydrate=True)

    @pattern(fanout=50)
    def by_id(self, log: str, at: Between[datetime], *, limit: int = 3, cursor: str | None = None) -> Page[Sample]:
        """Return samples of a period, from one partition per hour."""
        return query(Sample, order_by=lambda sample: sample.id)

    @pattern()
    def whole(self, log: str, at: Since[datetime]) -> WholeLog | None:
        """Return a log with its lines."""
        return collection(WholeLog)


STEP = timedelta(milliseconds=600_500)


def test_truncated_times_are_trimmed_in_views_and_in_hydrated_items() -> None:
    logs = Logs.open("memory:")
    lines = [Line("a", f"l{number}", START + number * STEP / 1000) for number in range(12)]
    samples = [Sample("a", f"s{number}", START + number * STEP / 100) for number in range(12)]
    logs.put_many([*lines, *samples])
    since = Since(lines[5].at)
    short = [each.id for page in pages_of(logs.ids, "a", since, limit=2) for each in page]
    assert sorted(short) == sorted(each.id for each in lines[5:])
    assert logs.ids.count("a", since) == 7
    since = Since(samples[4].at)
    for limit in (1, 2, 3, 20):
        found = [each for page in pages_of(logs.hydrated, "a", since, limit=limit) for each in page]
        assert sorted(found, key=lambda each: each.at) == samples[4:]
    assert logs.hydrated.count("a", since) == 8
    assert sorted(logs.hydrated.all("a", since), key=lambda each: each.at) == samples[4:]


def test_truncated_times_in_a_partition_key_fan_out_over_the_units_of_a_range() -> None:
    logs = Logs.open("memory:")
    samples = [Sample("a", f"s{number:02d}", START + number * STEP) for number in range(12)]
    logs.put_many(samples)
    period = Between(samples[3].at, samples[8].at)
    assert len(logs.by_id.explain("a", period).requests) == 2
    for limit in (1, 2, 5, 6, 7):
        assert [each for page in pages_of(logs.by_id, "a", period, limit=limit) for each in page] == samples[3:9]
    assert logs.by_id.count("a", period) == 6
    with pytest.raises(KeyRefused, match="more than 10000 hours"):
        logs.by_id("a", Between(START, START + timedelta(days=10_000)))


def test_truncated_times_are_trimmed_in_collections() -> None:
    logs = Logs.open("memory:")
    logs.put(Log("a"))
    lines = [Line("a", f"l{number}", START + number * STEP / 10_000) for number in range(12)]
    logs.put_many(lines)
    whole = logs.whole("a", Since(lines[5].at))
    assert whole is not None
    assert sorted(whole.lines, key=lambda each: each.at) == lines[5:]
