"""Items that the model cannot read: an error by default, listed or reported as warnings with unreadable="report"."""

from __future__ import annotations

import asyncio
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from singletable import (
    GSI,
    KEYS_ONLY,
    ArgumentRefused,
    Box,
    CollectionIncomplete,
    ItemRefused,
    Nearest,
    Page,
    Radius,
    Table,
    UnknownItemWarning,
    UnreadableItem,
    UnreadableItemWarning,
    ancestors,
    collection,
    entity,
    geohash,
    get,
    key,
    pattern,
    query,
    shard,
    upgrade,
    within,
)
from singletable.client.reading.table_reader import TableReader
from singletable.client.reading.unreadable_items import UnreadableItems
from tests.client.places import Place, call
from tests.client.shop import IN_TWO_HOURS

COLDEST = Decimal("-273.15")
Attributes = dict[str, dict[str, Any]]


@entity(
    key=("SENSOR#{sensor}", "AT#{at}"),
    gsi1=("STATE#{state}", "{at}#{sensor}"),
    gsi2=("ROOM#{room}", "{at}#{sensor}"),
    derived={"part": shard("sensor", "at", of=3)},
    gsi3=("BUILDING#{building}#{part}", "{at}#{sensor}"),
)
@dataclass
class Sample:
    sensor: str
    at: int
    celsius: Decimal = Decimal(20)
    state: str = "OK"
    room: str = "kitchen"
    building: str = "b"

    def __post_init__(self) -> None:
        if self.celsius < COLDEST:
            raise ValueError(f"{self.celsius} is below absolute zero")


@dataclass
class SampleState:
    at: int
    state: str


class Samples(Table, entities=[Sample], indexes=[GSI("gsi2", projection=KEYS_ONLY)]):
    @pattern()
    def sample(self, sensor: str, at: int) -> Sample | None:
        return get(Sample)

    @pattern()
    def of_sensor(self, sensor: str) -> Page[Sample]:
        return query(Sample)

    @pattern()
    def warm(self, sensor: str) -> Page[Sample]:
        return query(Sample, filter=lambda s: s.state == "OK")

    @pattern()
    def in_state(self, state: str, *, limit: int = 100, cursor: str | None = None) -> Page[Sample]:
        return query(Sample)

    @pattern()
    def in_room(self, room: str) -> Page[Sample]:
        return query(Sample, hydrate=True)

    @pattern()
    def states(self, sensor: str) -> Page[SampleState]:
        return query(Sample, view=SampleState)

    @pattern(fanout=3)
    def in_building(self, building: str) -> Page[Sample]:
        return query(Sample)


WRONG_TYPE: Attributes = {"celsius": {"S": "warm"}, "unit": {"S": "C"}}
# the type is correct, but the class rejects the value
WRONG_VALUE: Attributes = {"celsius": {"N": "-300"}, "unit": {"S": "C"}}
"""Attributes that no Sample can have, each with an unknown one."""


@pytest.fixture
def samples(place: Place) -> Iterator[Any]:
    with place.open(Samples, unreadable="report") as opened:
        yield opened


def sample(at: int, **fields: Any) -> Sample:
    return replace(Sample("s", at), **fields)


def fill(table: Any, count: int, spoiled: dict[int, Attributes]) -> dict[int, Attributes]:
    """Write samples and corrupt some of them. Return the corrupted items as stored."""
    table.put_many(sample(at) for at in range(count))
    return {at: spoil(table, at, attributes) for at, attributes in spoiled.items()}


def spoil(table: Any, at: int, attributes: Attributes) -> Attributes:
    (stored,) = (item for item in stored_items(table) if item["at"] == {"N": str(at)})
    call(table, "PutItem", Item={**stored, **attributes})
    return {**stored, **attributes}


def stored_items(table: Any) -> list[Attributes]:
    answer = call(table, "Scan")
    items: list[Attributes] = answer["Items"]
    while start := answer.get("LastEvaluatedKey"):
        answer = call(table, "Scan", ExclusiveStartKey=start)
        items += answer["Items"]
    return items


def times(samples: Any) -> list[int]:
    return [each.at for each in samples]


def unreadable_times(page: Page[Any]) -> list[int]:
    return [int(each.item["at"]["N"]) for each in page.unreadable]


@contextmanager
def reported() -> Iterator[list[UnreadableItem]]:
    """Return the items that warnings report, after checking the messages."""
    items: list[UnreadableItem] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield items
    for each in caught:
        assert isinstance(each.message, UnreadableItemWarning), each.message
        assert each.message.unreadable is not None
        assert each.message.unreadable.reason in str(each.message)
        items.append(each.message.unreadable)


def test_by_default_an_unreadable_item_raises(place: Place) -> None:
    with place.open(Samples) as opened:
        table: Any = opened
        fill(table, 5, {3: WRONG_TYPE})
        reads: list[Callable[[], object]] = [
            lambda: table.of_sensor("s"),
            lambda: table.warm("s"),
            lambda: list(table.of_sensor.all("s")),
            lambda: list(table.warm.all("s")),
            lambda: table.in_room("kitchen"),
            lambda: table.in_building("b"),
            lambda: list(table.scan(Sample, reason="test")),
            lambda: table.get_many([key(Sample, sensor="s", at=3)]),
        ]
        for read in reads:
            with pytest.raises(ItemRefused, match=r"celsius must be .*warm"):
                read()
        assert opened.in_state("NONE").unreadable == ()


@pytest.mark.parametrize("unreadable", ["ignore", "Report", None, True])
def test_an_invalid_setting_for_unreadable_items_is_rejected_before_opening(unreadable: Any) -> None:
    with pytest.raises(ArgumentRefused) as refused:
        Samples.open("http://127.0.0.1:9", unreadable=unreadable)
    assert str(refused.value) == f'Samples.open: unreadable must be "raise" or "report", got {unreadable!r}'


@pytest.mark.parametrize("name", ["of_sensor", "warm"])
def test_a_page_has_the_readable_items_and_lists_the_unreadable_items(samples: Any, name: str) -> None:
    stored = fill(samples, 6, {1: WRONG_TYPE, 4: WRONG_VALUE})
    read = getattr(samples, name)
    with warnings.catch_warnings(action="error"):
        page = read("s")
    assert page.items == [sample(at) for at in (0, 2, 3, 5)]
    assert list(page) == page.items
    assert (len(page), page.cursor, page.previous) == (4, None, None)
    of_type, of_value = page.unreadable
    for each, at in ((of_type, 1), (of_value, 4)):
        assert each.key == {name: stored[at][name] for name in ("PK", "SK")}
        assert each.item == stored[at]  # including attributes that are not in the model
        assert isinstance(each.error, ItemRefused)
        assert str(each.key) in each.reason
    assert "celsius must be Decimal, got {'S': 'warm'}" in of_type.reason
    assert "-300 is below absolute zero" in of_value.reason
    assert asyncio.run(read.aio("s")) == page
    assert read.count("s") == 6


def test_a_page_without_unreadable_items_lists_none(samples: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def unused(*_: object) -> Any:
        raise AssertionError("the items need no second look")

    fill(samples, 6, {})
    monkeypatch.setattr(TableReader, "_objects_one_by_one", unused)
    monkeypatch.setattr(UnreadableItems, "separate", unused)
    for page in (samples.of_sensor("s"), samples.warm("s"), samples.in_room("kitchen"), samples.in_building("b")):
        assert sorted(times(page)) == list(range(6))
        assert page.unreadable == ()


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("name", ["of_sensor", "warm", "in_state", "in_room", "in_building"])
def test_cursors_skip_unreadable_items_in_both_directions(place: Place, name: str, limit: int) -> None:
    with place.fresh(Samples, unreadable="report") as opened:
        fill(opened, 9, {0: WRONG_TYPE, 3: WRONG_VALUE, 4: WRONG_TYPE, 8: WRONG_VALUE})
        arguments = {"in_state": ("OK",), "in_room": ("kitchen",), "in_building": ("b",)}.get(name, ("s",))
        read: Any = getattr(opened, name)
        pages = [read.using(limit=limit)(*arguments)]
        while pages[-1].cursor is not None:
            pages.append(read.using(limit=limit, cursor=pages[-1].cursor)(*arguments))
        assert [at for page in pages for at in times(page)] == [1, 2, 5, 6, 7]
        assert [at for page in pages for at in unreadable_times(page)] == [0, 3, 4, 8]
        # An unreadable item counts towards the limit.
        assert {len(page) + len(page.unreadable) for page in pages[:-1]} <= {limit}
        assert len(pages[-1]) + len(pages[-1].unreadable) <= limit
        for page, before in zip(pages[:0:-1], pages[-2::-1], strict=True):
            back = read.using(limit=limit, cursor=page.previous)(*arguments)
            assert (back.items, back.unreadable) == (before.items, before.unreadable)
        assert pages[0].previous is None


def test_a_page_can_have_only_unreadable_items(samples: Any) -> None:
    fill(samples, 4, {0: WRONG_TYPE, 1: WRONG_VALUE})
    first = samples.of_sensor.using(limit=2)("s")
    assert (first.items, unreadable_times(first)) == ([], [0, 1])
    second = samples.of_sensor.using(limit=2, cursor=first.cursor)("s")
    assert (times(second), second.unreadable) == ([2, 3], ())


@pytest.mark.parametrize("name", ["of_sensor", "warm"])
def test_a_loop_over_all_pages_warns_about_unreadable_items_and_continues(samples: Any, name: str) -> None:
    large: Attributes = {"celsius": {"S": "x" * 390_000}}
    stored = fill(samples, 6, dict.fromkeys(range(4), large))  # more items than a page of DynamoDB contains
    read = getattr(samples, name)
    assert (len(read("s").items), 2 <= len(read("s").unreadable) < 4) == (0, True)
    with reported() as unreadable:
        assert times(read.all("s")) == [4, 5]
    assert [each.item for each in unreadable] == list(stored.values())

    async def every() -> list[int]:
        return [each.at async for each in read.all("s")]

    with reported() as unreadable:
        assert asyncio.run(every()) == [4, 5]
    assert len(unreadable) == 4


def test_a_loop_with_only_unreadable_items_ends(samples: Any) -> None:
    fill(samples, 2, {0: WRONG_TYPE, 1: WRONG_VALUE})
    for read in (samples.of_sensor, samples.warm):
        with reported() as unreadable:
            assert list(read.all("s")) == []
        assert len(unreadable) == 2


def test_a_warning_about_unreadable_items_names_the_read_the_key_and_the_reason(samples: Any) -> None:
    stored = fill(samples, 2, {1: WRONG_VALUE})
    shown = r"of_sensor left out an unreadable item: the item .*SENSOR#s.* cannot be read as Sample: .*absolute zero"
    with pytest.warns(UnreadableItemWarning, match=shown) as caught:
        list(samples.of_sensor.all("s"))
    (each,) = caught
    assert isinstance(each.message, UnreadableItemWarning)
    again = pickle.loads(pickle.dumps(each.message))
    assert (type(again), str(again)) == (UnreadableItemWarning, str(each.message))
    assert again.unreadable.item == stored[1]


def test_a_scan_warns_about_unreadable_items_and_continues(samples: Any) -> None:
    stored = fill(samples, 5, {1: WRONG_TYPE, 2: WRONG_VALUE})
    for entity_class in (Sample, None):
        with reported() as unreadable:
            found = list(samples.scan(entity_class, reason="test", segments=2))
        assert sorted(times(found)) == [0, 3, 4]
        assert sorted(each.item["at"]["N"] for each in unreadable) == ["1", "2"]
        assert all(each.item in stored.values() for each in unreadable)
    with pytest.warns(UnreadableItemWarning, match=r"^scan: nightly export left out an unreadable item: .*"):
        list(samples.scan(Sample, reason="nightly export"))


def test_a_read_of_one_unreadable_item_raises(samples: Any) -> None:
    fill(samples, 2, {1: WRONG_VALUE})
    with pytest.raises(ItemRefused, match="absolute zero"):
        samples.sample("s", 1)
    with pytest.raises(ItemRefused, match="absolute zero"):
        samples.get(key(Sample, sensor="s", at=1))
    assert samples.sample("s", 0) == sample(0)


def test_get_many_returns_none_for_unreadable_items_and_warns(samples: Any) -> None:
    fill(samples, 3, {1: WRONG_VALUE})
    keys = [key(Sample, sensor="s", at=at) for at in (0, 1, 2, 9)]
    for transaction in (False, True):
        with reported() as unreadable:
            assert samples.get_many(keys, transaction=transaction) == [sample(0), None, sample(2), None]
        assert [each.item["at"] for each in unreadable] == [{"N": "1"}]


def test_unreadable_items_are_readable_by_a_view_without_the_wrong_field(samples: Any) -> None:
    fill(samples, 4, {1: WRONG_TYPE, 2: {"state": {"N": "7"}}})
    page = samples.states("s")
    assert list(page) == [SampleState(0, "OK"), SampleState(1, "OK"), SampleState(3, "OK")]
    (unreadable,) = page.unreadable
    assert "cannot be read as SampleState: state must be str, got {'N': '7'}" in unreadable.reason
    assert unreadable.item["state"] == {"N": "7"}
    assert "celsius" not in unreadable.item  # the view did not request this attribute


def test_unreadable_items_of_an_index_with_a_projection_are_listed_whole(samples: Any) -> None:
    stored = fill(samples, 4, {1: WRONG_TYPE, 2: WRONG_VALUE})
    page = samples.in_room("kitchen")
    assert times(page) == [0, 3]
    assert [each.item for each in page.unreadable] == [stored[1], stored[2]]
    assert samples.in_room.count("kitchen") == 4
    with reported() as unreadable:
        assert times(samples.in_room.all("kitchen")) == [0, 3]
    assert len(unreadable) == 2


def test_unreadable_items_exclude_an_item_whose_type_is_not_text(place: Place) -> None:
    for unreadable in ("raise", "report"):
        with place.fresh(Samples, unreadable=unreadable) as opened:
            fill(opened, 3, {1: {"entity_type": {"N": "5"}}})
            for read in (opened.of_sensor, opened.warm):
                with pytest.warns(UnknownItemWarning):
                    page: Any = read("s")
                assert (times(page), page.unreadable) == ([0, 2], ())


def test_unreadable_items_do_not_keep_the_page_alive(samples: Any) -> None:
    fill(samples, 2, {1: WRONG_VALUE})
    (unreadable,) = samples.of_sensor("s").unreadable
    cause = unreadable.error.__cause__
    assert isinstance(cause, ValueError)
    for each in (unreadable.error, cause):
        assert (each.__traceback__, each.__context__) == (None, None)


def test_unreadable_items_do_not_clear_the_traceback_of_an_exception_of_the_caller(samples: Any) -> None:
    def fail() -> None:
        raise RuntimeError("of the caller")

    def read_meanwhile() -> None:
        try:
            fail()
        except RuntimeError:
            assert len(samples.of_sensor("s").unreadable) == 2
            raise

    fill(samples, 2, {0: WRONG_TYPE, 1: WRONG_VALUE})
    with pytest.raises(RuntimeError) as raised:
        read_meanwhile()
    assert "fail" in [entry.name for entry in raised.traceback]


@entity(key=("HOUSE#{house}", "HOUSE"))
@dataclass
class House:
    house: str
    floors: int = 1


@entity(key=("HOUSE#{house}", "OWNER"))
@dataclass
class Owner:
    house: str
    age: int = 40


@entity(key=("HOUSE#{house}", "ROOM#{number}"))
@dataclass
class Room:
    house: str
    number: int
    size: int = 10


@dataclass
class WholeHouse:
    house: House
    owner: Owner | None
    rooms: list[Room]


@entity(key=("TREE#{tree}", "NODE#{path}"), identity=("tree", "path"))
@dataclass
class Node:
    tree: str
    path: tuple[str, ...]
    weight: int = 1


@entity(key=("SPOT#{id}", "META"), gsi1=("GEO#{cell}", "{id}"), derived={"cell": geohash("lat", "lng", precision=5)})
@dataclass
class Spot:
    id: str
    lat: float
    lng: float
    height: int = 0


class Places(Table, entities=[House, Owner, Room, Node, Spot]):
    @pattern()
    def whole_house(self, house: str) -> WholeHouse | None:
        return collection(WholeHouse)

    @pattern(fanout=9)
    def way_to(self, tree: str, path: tuple[str, ...]) -> list[Node]:
        return ancestors(Node)

    @pattern(fanout=64)
    def near(self, area: Radius) -> list[Spot]:
        return within(Spot)

    @pattern(fanout=64)
    def in_box(self, area: Box) -> list[Spot]:
        return within(Spot)

    @pattern(fanout=64)
    def nearest(self, area: Nearest) -> list[Spot]:
        return within(Spot)


@pytest.fixture
def places(place: Place) -> Iterator[Places]:
    with place.open(Places, unreadable="report") as opened:
        yield opened


def change(table: Table, match: Attributes, attributes: Attributes) -> Attributes:
    """Overwrite attributes of the one item that has them."""
    (stored,) = (item for item in stored_items(table) if match.items() <= item.items())
    call(table, "PutItem", Item={**stored, **attributes})
    return {**stored, **attributes}


def test_a_collection_leaves_out_unreadable_items_in_lists_and_optional_members(places: Places) -> None:
    places.put_many([House("h"), Owner("h"), *(Room("h", number) for number in range(3))])
    room = change(places, {"number": {"N": "1"}}, {"size": {"S": "large"}, "note": {"S": "x"}})
    with reported() as unreadable:
        assert places.whole_house("h") == WholeHouse(House("h"), Owner("h"), [Room("h", 0), Room("h", 2)])
    assert [each.item for each in unreadable] == [room]
    owner = change(places, {"SK": {"S": "OWNER"}}, {"age": {"S": "old"}})
    with reported() as unreadable:
        assert places.whole_house("h") == WholeHouse(House("h"), None, [Room("h", 0), Room("h", 2)])
    assert [each.item for each in unreadable] == [owner, room]


def test_a_collection_raises_for_unreadable_items_in_required_members(places: Places) -> None:
    places.put_many([House("h"), Room("h", 0)])
    change(places, {"SK": {"S": "HOUSE"}}, {"floors": {"S": "many"}})
    with pytest.raises(ItemRefused, match=r"cannot be read as House: floors must be .*many"):
        places.whole_house("h")
    call(places, "DeleteItem", Key={"PK": {"S": "HOUSE#h"}, "SK": {"S": "HOUSE"}})
    with pytest.raises(CollectionIncomplete):
        places.whole_house("h")


def test_a_long_collection_with_unreadable_items_is_read_to_its_end(places: Places) -> None:
    places.put_many([House("h"), *(Room("h", number) for number in range(6))])
    spoiled = [change(places, {"number": {"N": str(n)}}, {"size": {"S": "x" * 390_000}}) for n in range(5)]
    with reported() as unreadable:
        assert places.whole_house("h") == WholeHouse(House("h"), None, [Room("h", 5)])
    assert [each.item for each in unreadable] == spoiled


def test_ancestors_leave_out_unreadable_items(places: Places) -> None:
    first, second, third = (Node("t", tuple("abc"[:length])) for length in (1, 2, 3))
    places.put_many([first, second, third])
    node = change(places, {"path": {"L": [{"S": "a"}, {"S": "b"}]}}, {"weight": {"S": "heavy"}})
    with reported() as unreadable:
        assert places.way_to("t", ("a", "b", "c")) == [first, third]
    assert [each.item for each in unreadable] == [node]


def test_areas_leave_out_unreadable_items(places: Places) -> None:
    places.put_many(Spot(f"p{number}", 52.5 + number / 1000, 13.4) for number in range(4))
    spot = change(places, {"id": {"S": "p1"}}, {"height": {"S": "tall"}})
    expected = [Spot(f"p{number}", 52.5 + number / 1000, 13.4) for number in (0, 2, 3)]
    reads: list[Callable[[], list[Spot]]] = [
        lambda: places.near(Radius(52.5, 13.4, 1000)),
        lambda: places.in_box(Box(52.4, 13.39, 52.6, 13.41)),
        lambda: places.nearest(Nearest(52.5, 13.4, 3, meters=1000)),
    ]
    for read in reads:
        with reported() as unreadable:
            assert read() == expected
        assert [each.item for each in unreadable] == [spot]


@entity(key=("USER#{user}", "TOKEN#{id}"), ttl="until")
@dataclass
class Token:
    user: str
    id: str
    until: datetime
    uses: int = 0


class Tokens(Table, entities=[Token]):
    @pattern()
    def of_user(self, user: str) -> Page[Token]:
        return query(Token)


def test_expired_items_are_hidden_even_if_they_are_unreadable_items(place: Place) -> None:
    now = IN_TWO_HOURS
    hour = timedelta(hours=1)
    with place.clocked(Tokens, now.timestamp) as tokens:
        tokens._opened().reader.reports_unreadable = True
        tokens.put_many(Token("u", id, now + hour) for id in "ab")
        tokens.put_many(Token("u", id, now - hour) for id in "cd")
        for id in "bd":
            change(tokens, {"id": {"S": id}}, {"uses": {"S": "many"}})
        page = tokens.of_user("u")
        assert [each.id for each in page] == ["a"]
        assert [each.item["id"] for each in page.unreadable] == [{"S": "b"}]
        everything = tokens.of_user.using(expired=True)("u")
        assert [each.id for each in everything] == ["a", "c"]
        assert [each.item["id"] for each in everything.unreadable] == [{"S": "b"}, {"S": "d"}]
        with reported() as unreadable:
            assert [each.id for each in tokens.scan(Token, reason="test")] == ["a"]
        assert len(unreadable) == 1


@entity(key=("CUST#{customer}", "ORDER#{id}"), gsi1=("STATE#{state}", "{id}"), schema_version=2)
@dataclass
class VersionedOrder:
    customer: str
    id: str
    euros: Decimal
    state: str = "NEW"


@upgrade(VersionedOrder, from_version=1)
def count_in_euros(item: dict[str, Any]) -> dict[str, Any]:
    item["euros"] = Decimal(item.pop("cents")) / 100
    return item


class VersionedOrders(Table, entities=[VersionedOrder], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):
    @pattern()
    def of_customer(self, customer: str) -> Page[VersionedOrder]:
        return query(VersionedOrder)

    @pattern()
    def in_state(self, state: str) -> Page[VersionedOrder]:
        return query(VersionedOrder, hydrate=True)


def test_items_that_cannot_be_upgraded_are_unreadable_items(place: Place) -> None:
    with place.open(VersionedOrders, unreadable="report") as opened:
        opened.put_many(VersionedOrder("c", id, Decimal(1)) for id in "abcd")
        older: Attributes = {"schema_v": {"N": "1"}}
        change(opened, {"id": {"S": "a"}}, {**older, "cents": {"N": "300"}})
        failing = change(opened, {"id": {"S": "b"}}, {**older, "cents": {"S": "a few"}})
        newer = change(opened, {"id": {"S": "c"}}, {"schema_v": {"N": "9"}})
        for page in (opened.of_customer("c"), opened.in_state("NEW")):
            assert list(page) == [VersionedOrder("c", "a", Decimal(3)), VersionedOrder("c", "d", Decimal(1))]
            assert [each.item for each in page.unreadable] == [failing, newer]
            first, second = (each.reason for each in page.unreadable)
            assert "cannot be upgraded from schema version 1" in first
            assert "A newer version of the model wrote the item" in second


def test_an_unreadable_item_can_be_removed_by_its_key(samples: Any) -> None:
    fill(samples, 2, {0: WRONG_VALUE})
    (unreadable,) = samples.of_sensor("s").unreadable
    call(samples, "DeleteItem", Key=dict(unreadable.key))
    assert samples.of_sensor("s") == Page([sample(1)])


def test_unreadable_items_are_equal_by_key_and_attributes() -> None:
    one, other = (UnreadableItem({"PK": {"S": "a"}}, {}, ItemRefused(text)) for text in ("one", "other"))
    assert one == other
    assert (one.reason, other.reason) == ("one", "other")
