"""What cannot be written is refused with what to do: by DynamoDB for an item as it is, or before it is asked."""

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
    """Houses of which little is known."""


ROOMS = of(House, lambda house: house.rooms)
STREET = of(House, lambda house: house.address.street)  # type: ignore[union-attr]  # that it is None is the point


def test_nothing_is_added_to_none(place: Place) -> None:
    with place.open(Houses) as houses:
        houses.put(House("h", rooms=None))
        with pytest.raises(
            RequestRefused, match="is stored as None, or as another type: set the field first"
        ) as refused:
            houses.update(key(House, id="h"), ROOMS.add(1))
        assert refused.value.code == "ValidationException"
        assert "set the field first" not in refused.value.message  # which are DynamoDB's words
        assert houses.update(key(House, id="h"), ROOMS.set(1)).rooms == 1


def test_nothing_is_set_inside_of_none(place: Place) -> None:
    with place.open(Houses) as houses:
        houses.put(House("h"))
        with pytest.raises(RequestRefused, match="a change reaches into a field that is None or not stored"):
            houses.update(key(House, id="h"), STREET.set("Elm"))


def test_a_transaction_says_it_of_the_action(place: Place) -> None:
    place.needs("transactions")
    with place.open(Houses) as houses:
        houses.put(House("h", rooms=None))
        # DynamoDB Local refuses the whole transaction instead of one action of it.
        with (  # noqa: PT012  # a transaction fails at its end
            pytest.raises((TransactionCancelled, RequestRefused), match="; what is added to or appended to") as told,
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
        """The notes of an id."""
        return query(Note)


def test_half_a_character_is_refused_wherever_it_stands(place: Place) -> None:
    half, said = "ab\ud800", r"'ab\\ud800' holds half of a surrogate pair"
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
def test_a_limit_is_a_number_of_items(limit: Any) -> None:
    with Notes.open("memory:", create=True) as notes, pytest.raises(ArgumentRefused, match="counts items"):
        notes.notes.using(limit=limit)


def test_many_objects_come_in_a_list() -> None:
    one: Any = Note("n")
    with Notes.open("memory:", create=True) as notes:
        for write in (notes.put_many, notes.delete_many):
            with pytest.raises(ArgumentRefused, match="takes a list or another iterable, got Note"):
                write(one)
