"""What DynamoDB refuses of an item as it is comes with its own words, and with what to do."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from singletable import RequestRefused, Table, TransactionCancelled, entity, key
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
        tx = houses.transaction()
        tx.put(House("other"))
        tx.update(key(House, id="h"), ROOMS.add(1))
        # DynamoDB Local refuses the whole transaction instead of one action of it.
        with (
            pytest.raises((TransactionCancelled, RequestRefused), match="; what is added to or appended to") as told,
            tx,
        ):
            pass
        if isinstance(told.value, TransactionCancelled):
            assert [reason.code for reason in told.value.reasons] == ["None", "ValidationError"]
