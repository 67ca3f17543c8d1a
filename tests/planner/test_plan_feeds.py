"""Feeds: pages of several entities in one order are exact, and other sort keys are rejected with keys that work."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import (
    Between,
    DesignError,
    Page,
    Since,
    Table,
    UnreadableItemWarning,
    Until,
    codec,
    entity,
    pattern,
    query,
)
from singletable.verify.design_check import check

PRECISIONS = ("microseconds", "milliseconds", "seconds", "minutes", "hours", "days", "seconds:desc", "days:desc")
CHARACTERS = {"microseconds": 26, "milliseconds": 23, "seconds": 19, "minutes": 16, "hours": 13, "days": 10}
START = datetime(2026, 3, 31, 23, 59, 59, 998_500, tzinfo=UTC)
STEPS = (0, 1, 500, 1_000_000, 1_300_000, 59_000_000, 3_600_000_000, 86_400_000_000)
MOMENTS = st.sampled_from([START + timedelta(microseconds=step) for step in STEPS])
WALLS = itertools.count()


@dataclass(frozen=True)
class Post:
    wall: str
    id: str
    at: datetime


@dataclass(frozen=True)
class Photo:
    board: str
    id: str
    taken: datetime
    width: int = 1


@dataclass(frozen=True)
class Other:
    wall: str


@cache
def opened(precision: str) -> Any:
    """Return an open table whose feed keeps times with this precision; the fields of its entities have other names."""
    entity(key=("WALL#{wall}", f"AT#{{at:{precision}}}#POST#{{id}}"))(Post)
    entity(key=("WALL#{board}", f"AT#{{taken:{precision}}}#PHOTO#{{id}}"))(Photo)
    entity(key=("WALL#{wall}", "META"))(Other)

    class Walls(Table, entities=[Post, Photo, Other]):
        @pattern()
        def every(self, wall: str, *, limit: int = 3, cursor: str | None = None) -> Page[Post | Photo]:
            """All posts and photos, oldest first."""
            return query(Post, Photo)

        @pattern()
        def newest(self, wall: str, *, limit: int = 3, cursor: str | None = None) -> Page[Post | Photo]:
            """All posts and photos, newest first."""
            return query(Post, Photo, newest_first=True)

        @pattern()
        def between(
            self, wall: str, at: Between[datetime], *, limit: int = 3, cursor: str | None = None
        ) -> Page[Post | Photo]:
            """The posts and photos of a period."""
            return query(Post, Photo)

        @pattern()
        def since(
            self, wall: str, at: Since[datetime], *, limit: int = 3, cursor: str | None = None
        ) -> Page[Post | Photo]:
            """The posts and photos since a time, newest first."""
            return query(Post, Photo, newest_first=True)

        @pattern()
        def until(
            self, wall: str, at: Until[datetime], *, limit: int = 3, cursor: str | None = None
        ) -> Page[Photo | Post]:
            """The posts and photos until a time."""
            return query(Post, Photo)

    return Walls.open("memory:")


def moment(each: Post | Photo) -> datetime:
    return each.at if isinstance(each, Post) else each.taken


def key_order(precision: str) -> Callable[[Post | Photo], tuple[str, str]]:
    """Return the order of the keys: by the unit of the time, then by entity and id."""
    characters = CHARACTERS[precision.removesuffix(":desc")]

    def order(each: Post | Photo) -> tuple[str, str]:
        text = moment(each).isoformat(timespec="microseconds")[:characters]
        unit = text.translate(str.maketrans("0123456789", "9876543210")) if precision.endswith(":desc") else text
        return unit, f"{type(each).__name__.upper()}#{each.id}"

    return order


def pages_of(read: Callable[..., Page[Any]], *arguments: Any, limit: int) -> Iterator[Page[Any]]:
    page = read(*arguments, limit=limit)
    yield page
    while page.cursor is not None:
        page = read(*arguments, limit=limit, cursor=page.cursor)
        yield page


@pytest.mark.parametrize("precision", PRECISIONS)
@given(
    moments=st.lists(st.tuples(MOMENTS, st.booleans()), max_size=9),
    bounds=st.tuples(MOMENTS, MOMENTS).map(sorted),
    limit=st.integers(1, 10),
    name=st.sampled_from(["every", "newest", "between", "since", "until"]),
)
@settings(max_examples=20)
def test_the_pages_of_a_feed_together_are_what_brute_force_returns(
    precision: str, moments: list[tuple[datetime, bool]], bounds: list[datetime], limit: int, name: str
) -> None:
    table, wall, (low, high) = opened(precision), f"w{next(WALLS)}", bounds
    made: list[Post | Photo] = [
        Post(wall, f"e{number}", at) if is_post else Photo(wall, f"e{number}", at)
        for number, (at, is_post) in enumerate(moments)
    ]
    table.put_many([*made, Other(wall)])
    ranges: dict[str, tuple[Any, ...]] = {
        "between": (Between(low, high),),
        "since": (Since(low),),
        "until": (Until(high),),
    }
    tests: dict[str, Callable[[datetime], bool]] = {
        "between": lambda at: low <= at <= high,
        "since": lambda at: at >= low,
        "until": lambda at: at <= high,
    }
    inside = tests.get(name, bool)
    is_backwards = (name in ("newest", "since")) is not precision.endswith(":desc")
    matching = (each for each in made if inside(moment(each)))
    expected = sorted(matching, key=key_order(precision), reverse=is_backwards)
    read = getattr(table, name)
    pages = list(pages_of(read, wall, *ranges.get(name, ()), limit=limit))
    assert [each for page in pages for each in page] == expected
    assert all(len(page) == limit for page in pages[:-1])
    assert list(read.all(wall, *ranges.get(name, ()))) == expected
    assert read.count(wall, *ranges.get(name, ())) == len(expected)
    if len(pages) > 1:
        back = read(wall, *ranges.get(name, ()), limit=limit, cursor=pages[1].previous)
        assert list(back) == list(pages[0])


def test_a_feed_is_one_query_whose_plan_names_its_order() -> None:
    plan = opened("microseconds").newest.plan
    assert [each.label for each in plan.entities] == ["Post", "Photo"]
    assert (plan.order, plan.forward, plan.other_entities) == ("newest first", False, ())
    request = opened("microseconds").newest.explain("w").requests[0].parameters
    assert request["KeyConditionExpression"] == "#n0 = :v0 AND begins_with(#n1, :v1)"
    assert request["ExpressionAttributeValues"] == {":v0": {"S": "WALL#w"}, ":v1": {"S": "AT#"}}
    assert request["ScanIndexForward"] is False
    assert opened("seconds").newest.plan.order == "newest first, to the second"


def test_a_feed_is_awaited_like_other_pages() -> None:
    table, wall = opened("microseconds"), f"w{next(WALLS)}"
    table.put(Post(wall, "p", START))
    assert list(asyncio.run(table.newest.aio(wall))) == [Post(wall, "p", START)]


def declared(first: tuple[str, str], second: tuple[str, str], **options: Any) -> Any:
    """Return a table with a feed of two entities with these keys."""

    @entity(key=first)
    @dataclass
    class Comment:
        ticket: str
        id: str
        at: datetime
        score: int = 0

    @entity(key=second)
    @dataclass
    class Event:
        ticket: str
        id: str
        at: datetime
        score: int = 0

    class Tickets(Table, entities=[Comment, Event]):
        @pattern()
        def feed(self, ticket: str, *, limit: int = 20, cursor: str | None = None) -> Page[Comment | Event]:
            """The feed of a ticket."""
            return query(Comment, Event, **options)

    return Tickets


T = "T#{ticket}"


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            (T, "COMMENT#{at}#{id}"),
            (T, "EVENT#{at}#{id}"),
            'the entities do not share the column that orders them: the index sorts Comment by "COMMENT#{at}#{id}" '
            'and Event by "EVENT#{at}#{id}"|Comment "{at}#COMMENT#{id}", Event "{at}#EVENT#{id}"',
        ),
        ((T, "{at:seconds}#C#{id}"), (T, "{at}#E#{id}"), "do not share the column|Begin the sort key of each"),
        ((T, "F#{at}#C#{id}"), (T, "F#{id}#E#{at}"), "do not share the column|"),
        ((T, "F#{at}#C#{id}"), (T, "META"), "do not share the column|"),
        ((T, "F#{at}#C#{id}"), ("E#{ticket}", "F#{at}#E#{id}"), "the members do not share a partition key|"),
        ((T, "F#{id}#C"), (T, "F#{id}#E"), "needs newest-first order, but the table sorts by {id}|"),
        ((T, "F#{score}#C#{id}"), (T, "F#{score}#E#{id}"), "|"),
    ],
)
def test_a_feed_without_a_shared_order_is_rejected_with_keys_that_work(
    first: tuple[str, str], second: tuple[str, str], message: str
) -> None:
    table = declared(first, second, newest_first=True)
    texts = "\n".join(f"{each} {each.remedy}" for each in check(table.design).findings)
    for part in message.split("|"):
        assert part in texts
    with pytest.raises(DesignError, match="pattern feed is not supported"):
        table.open("memory:").feed("t")


def test_the_keys_that_plan_feeds_proposes_as_a_remedy_work() -> None:
    table = declared((T, "{at}#COMMENT#{id}"), (T, "{at}#EVENT#{id}"), newest_first=True)
    assert table.feed.plan.verdict.is_served


def test_a_feed_can_sort_by_a_number_in_descending_order() -> None:
    table = declared((T, "{score:03d}#C#{id}"), (T, "{score:03d}#E#{id}"), descending=True)
    comment, event = (each.cls for each in table.design.entities)
    with table.open("memory:") as tickets:
        made = [comment("t", "a", START, 5), event("t", "b", START, 7), comment("t", "c", START, 1)]
        tickets.put_many(made)
        assert [each.id for each in tickets.feed("t")] == ["b", "a", "c"]
        assert tickets.feed.plan.order == "by score, descending"


def test_an_unreadable_item_of_a_feed_is_listed() -> None:
    class Wrong:
        def __init__(self, text: str) -> None:
            if text == "bad" and Wrong.is_strict:
                raise ValueError("bad")
            self.text = text

        is_strict = False

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Wrong) and other.text == self.text

        def __hash__(self) -> int:
            return 1

    @entity(key=("A", "{at}#X#{id}"), codecs=[codec(Wrong, to=lambda w: w.text, of=Wrong, stored=str)])
    @dataclass
    class X:
        id: str
        at: datetime
        wrong: Wrong

    @entity(key=("A", "{at}#Y#{id}"))
    @dataclass
    class Y:
        id: str
        at: datetime

    class Both(Table, entities=[X, Y]):
        @pattern()
        def feed(self, *, limit: int = 5, cursor: str | None = None) -> Page[X | Y]:
            """The feed."""
            return query(X, Y)

    with Both.open("memory:", unreadable="report") as table:
        table.put_many([X("1", START, Wrong("bad")), Y("2", START), X("3", START, Wrong("good"))])
        Wrong.is_strict = True
        page = table.feed(limit=2)
        rest = table.feed(limit=2, cursor=page.cursor)
        assert [each.id for each in (*page, *rest)] == ["3", "2"]
        assert [each.key["SK"]["S"][-3:] for each in (*page.unreadable, *rest.unreadable)] == ["X#1"]
        with pytest.warns(UnreadableItemWarning):
            assert [each.id for each in table.feed.all()] == ["3", "2"]


def test_plan_feeds_rejects_a_filter_in_a_query_for_several_entities() -> None:
    with pytest.raises(DesignError, match="a query for several entities does not take filter="):
        query(Post, Photo, filter=lambda each: True)  # type: ignore[call-overload]  # the mistake
    with pytest.raises(DesignError, match="query has both newest_first= and descending="):
        query(Post, newest_first=True, descending=True)


def test_plan_feeds_proposes_descending_for_newest_first_over_a_number() -> None:
    table = declared((T, "{score:03d}#C#{id}"), (T, "{score:03d}#E#{id}"), newest_first=True)
    (finding,) = (each for each in check(table.design).findings if each.code == "ST104")
    assert "needs newest-first order, but the table sorts by {score:03d}, which is not a date or datetime" in str(
        finding
    )
    assert "set descending=True in query(...) of feed. The pattern then returns the highest number first." in str(
        finding.remedy
    )
