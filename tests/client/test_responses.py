"""Errors of rejected writes contain a remedy, whether DynamoDB or the client rejects the write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from singletable import (
    ArgumentRefused,
    Page,
    RequestRefused,
    Table,
    TransactionCancelled,
    entity,
    key,
    pattern,
    query,
)
from singletable import field as of
from tests.client.places import Place


@dataclass
class Address:
    street: str = ""


@entity(key=("HOUSE#{id}", "HOUSE"))
@dataclass
class House:
    id: str
    rooms: int | None = 5
    address: Address | None = None
    names: list[str] = field(default_factory=list)


class Houses(Table, entities=[House]):
    """Houses with optional fields."""


ROOMS = of(House, lambda house: house.rooms)
STREET = of(House, lambda house: house.address.street)  # type: ignore[union-attr]  # that it is None is the point


def test_client_responses_have_a_remedy_for_adding_to_none(place: Place) -> None:
    with place.open(Houses) as houses:
        houses.put(House("h", rooms=None))
        with pytest.raises(RequestRefused, match=r"is None, or has another type.*; set the field first") as refused:
            houses.update(key(House, id="h"), ROOMS.add(1))
        assert refused.value.code == "ValidationException"
        assert "set the field first" not in refused.value.message  # the message is DynamoDB's own
        assert houses.update(key(House, id="h"), ROOMS.set(1)).rooms == 1


def test_client_responses_have_a_remedy_for_setting_inside_none(place: Place) -> None:
    with place.open(Houses) as houses:
        houses.put(House("h"))
        with pytest.raises(RequestRefused, match="the update changes a part of a field that is None or not stored"):
            houses.update(key(House, id="h"), STREET.set("Elm"))


def test_client_responses_of_a_transaction_have_the_remedy_for_the_action(place: Place) -> None:
    place.needs("transactions")
    with place.open(Houses) as houses:
        houses.put(House("h", rooms=None))
        # DynamoDB Local rejects the whole transaction instead of one of its actions.
        with (  # noqa: PT012  # a transaction fails at its end
            pytest.raises(
                (TransactionCancelled, RequestRefused), match="; the field does not exist, is None, or has another type"
            ) as told,
            houses.transaction() as tx,
        ):
            tx.put(House("other"))
            tx.update(key(House, id="h"), ROOMS.add(1))
        if isinstance(told.value, TransactionCancelled):
            assert [reason.code for reason in told.value.reasons] == ["None", "ValidationError"]


@entity(key=("NOTE#{id}", "NOTE"))
@dataclass
class Note:
    id: str
    text: str = ""


class Notes(Table, entities=[Note]):
    @pattern()
    def notes(self, id: str) -> Page[Note]:
        """Return the notes of an id."""
        return query(Note)


def test_client_responses_reject_an_unpaired_surrogate_in_every_write(place: Place) -> None:
    half, said = "ab\ud800", r"'ab\\ud800' has an unpaired surrogate"
    text = of(Note, lambda note: note.text)
    with place.open(Notes) as notes:
        notes.put(Note("n"))
        with pytest.raises(ArgumentRefused, match=said):
            notes.put(Note("m", half))
        with pytest.raises(ArgumentRefused, match=said):
            notes.update(key(Note, id="n"), text.set("c"), where=lambda note: note.text == half)
        assert list(notes.notes("n")) == [Note("n")]
        assert not list(notes.notes("m"))


@pytest.mark.parametrize("limit", ["2", 1.5, True, 0])
def test_a_pattern_rejects_a_limit_that_is_not_a_number_of_items(limit: Any) -> None:
    with Notes.open("memory:", create=True) as notes, pytest.raises(ArgumentRefused, match="limit must be an int"):
        notes.notes.using(limit=limit)


def test_bulk_writes_reject_an_object_that_is_not_in_a_list() -> None:
    one: Any = Note("n")
    with Notes.open("memory:", create=True) as notes:
        for write in (notes.put_many, notes.delete_many):
            with pytest.raises(ArgumentRefused, match="takes a list or another iterable, got Note"):
                write(one)
