"""Writes by a key that contains only the unit of a time change the item with exactly this time, or nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from singletable import (
    NotFound,
    SingletableError,
    Table,
    delete,
    entity,
    field,
    get,
    key,
    pattern,
    update,
)
from tests.client.places import Place

AT = datetime(2026, 4, 10, 14, 0, 0, 250_000, tzinfo=UTC)
OTHER = AT + timedelta(milliseconds=1)
"""Another time in the same second."""


@entity(key=("DEVICE#{device}", "EVENT#{at:seconds}#{id}"))
@dataclass(frozen=True)
class Event:
    device: str
    id: str
    at: datetime
    text: str = ""


@entity(key=("ROOM#{room}#{at:hours}", "VISIT"), version="version", unique=("code",))
@dataclass(frozen=True)
class Visit:
    """An entity with a version and derived data, so that its writes read the item or are transactions."""

    room: str
    at: datetime
    code: str
    text: str = ""
    version: int = 0


class Devices(Table, entities=[Event, Visit]):
    @pattern()
    def event(self, device: str, at: datetime, id: str) -> Event | None:
        """Get an event."""
        return get(Event)

    @pattern()
    def describe(self, device: str, at: datetime, id: str, text: str) -> Event:
        """Change the text of an event."""
        return update(Event, field(Event, lambda e: e.text).set(text))

    @pattern()
    def forget(self, device: str, at: datetime, id: str) -> Event | None:
        """Delete an event."""
        return delete(Event)


event_text = field(Event, lambda e: e.text)
visit_text = field(Visit, lambda v: v.text)
EVENT = Event("d1", "e1", AT, "old")
VISIT = Visit("r1", AT, "c1", "old")


@pytest.fixture
def devices(place: Place) -> Iterator[Devices]:
    place.needs("transactions")
    with place.open(Devices) as opened:
        opened.put_many([EVENT, VISIT])
        yield opened


def event_key(at: datetime = AT, id: str = "e1") -> Any:
    return key(Event, device="d1", at=at, id=id)


def visit_key(at: datetime = AT) -> Any:
    return key(Visit, room="r1", at=at)


WRITES: dict[str, Callable[[Devices, datetime], Any]] = {
    "update": lambda devices, at: devices.update(event_key(at), event_text.set("new")),
    "update again, by its cached plan": lambda devices, at: [
        devices.update(event_key(each), event_text.set("new")) for each in (AT, at)
    ],
    "update with a condition": lambda devices, at: devices.update(
        event_key(at), event_text.set("new"), where=lambda e: e.device == "d1"
    ),
    "update of an object": lambda devices, at: devices.update(replace(EVENT, at=at), event_text.set("new")),
    "update with a version": lambda devices, at: devices.update(
        replace(VISIT, at=at, version=1), visit_text.set("new")
    ),
    "update with derived data": lambda devices, at: devices.update(
        visit_key(at), field(Visit, lambda v: v.code).set("c2")
    ),
    "declared update": lambda devices, at: devices.describe("d1", at, "e1", "new"),
    "awaited update": lambda devices, at: asyncio.run(devices.describe.aio("d1", at, "e1", "new")),
    "edit": lambda devices, at: devices.edit(visit_key(at), lambda visit: replace(visit, text="new")),
    "delete with a condition": lambda devices, at: devices.delete(event_key(at), where=lambda e: e.text == "old"),
}


@pytest.mark.parametrize("write", WRITES)
def test_a_write_needs_the_exact_time_of_its_item(devices: Devices, write: str) -> None:
    before = stored_objects(devices)
    if "cached" in write:
        WRITES[write](devices, AT)
        before = stored_objects(devices)
    with pytest.raises(NotFound, match="does not exist"):
        WRITES[write](devices, OTHER)
    assert stored_objects(devices) == before
    paris = AT.astimezone(timezone(timedelta(hours=2)))
    WRITES[write](devices, paris)
    assert (stored_objects(devices) != before) is ("cached" not in write)


def stored_objects(devices: Devices) -> list[Any]:
    return [devices.get(event_key(), consistent=True), devices.get(visit_key(), consistent=True)]


def test_the_error_of_a_write_without_an_exact_time_names_the_field(devices: Devices) -> None:
    with pytest.raises(NotFound, match=r"Event with at=.*250000.* does not exist$"):
        devices.update(event_key(id="e2"), event_text.set("new"))
    with pytest.raises(NotFound, match=r"Event with .* does not exist; the item with this key has another at$"):
        devices.update(event_key(OTHER), event_text.set("new"))


def test_a_delete_by_exact_time_deletes_nothing_at_another_time_in_the_same_unit(devices: Devices) -> None:
    before = stored_objects(devices)
    assert devices.delete(event_key(OTHER)) is None
    assert devices.delete(replace(EVENT, at=OTHER)) is None
    assert devices.forget("d1", OTHER, "e1") is None
    assert devices.delete(visit_key(OTHER)) is None
    result = devices.delete_many([event_key(OTHER), visit_key(OTHER), event_key(AT, "e2")])
    assert (result.written, result.failed) == (3, ())
    assert stored_objects(devices) == before
    assert devices.delete_many([event_key(), visit_key()]).written == 2
    assert stored_objects(devices) == [None, None]


def test_update_many_by_exact_time_reports_another_time_in_the_same_unit(devices: Devices) -> None:
    result = devices.update_many([event_key(OTHER), event_key()], event_text.set("new"))
    assert result.written == 1
    assert [(each.value, type(each.reason)) for each in result.failed] == [(event_key(OTHER), NotFound)]


def test_a_transaction_with_another_time_in_the_same_unit_changes_nothing(devices: Devices) -> None:
    before = stored_objects(devices)
    writes: list[Callable[[Any], None]] = [
        lambda tx: tx.update(event_key(OTHER), event_text.set("new")),
        lambda tx: tx.delete(event_key(OTHER)),
        lambda tx: tx.check(event_key(OTHER)),
        lambda tx: tx.delete(visit_key(OTHER)),
    ]
    for add in writes:
        with pytest.raises(SingletableError, match="another at"), devices.transaction() as tx:  # noqa: PT012  # it fails at its end
            tx.put(Event("d2", "e9", AT))
            add(tx)
    assert stored_objects(devices) == before
    assert devices.get(key(Event, device="d2", at=AT, id="e9")) is None
    with devices.transaction() as tx:
        tx.update(event_key(), event_text.set("new"))
        tx.delete(visit_key())
    assert stored_objects(devices) == [replace(EVENT, text="new"), None]


def test_a_raw_delete_with_an_exact_time_uses_the_key_alone(devices: Devices) -> None:
    devices.delete(event_key(OTHER), raw=True)
    assert devices.get(event_key()) is None


def test_a_put_with_an_exact_time_replaces_the_item_with_its_key(devices: Devices) -> None:
    other = replace(EVENT, at=OTHER)
    devices.put(other)
    assert [devices.get(event_key()), devices.get(event_key(OTHER))] == [None, other]


def test_explain_shows_the_condition_on_the_exact_time(devices: Devices) -> None:
    (request,) = devices.describe.explain("d1", AT, "e1", "new").requests
    assert request.parameters["ConditionExpression"] == "attribute_exists(#n1) AND #n2 = :v1"
    assert request.parameters["ExpressionAttributeNames"]["#n2"] == "at"
    assert {"S": "2026-04-10T14:00:00.250000Z"} in request.parameters["ExpressionAttributeValues"].values()
