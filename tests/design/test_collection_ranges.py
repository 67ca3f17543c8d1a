"""Ranges of collections: the items of other entities are never between the members, whatever the classes are called."""

from collections.abc import Mapping
from dataclasses import make_dataclass
from datetime import datetime
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from singletable import DesignError, Page, Table, collection, entity, field, pattern, query, update
from singletable.conformance.witness import witness
from singletable.cost.prices import prices_of
from singletable.design.collection_ranges import key_texts
from singletable.design.design_report import design_report
from singletable.design.designed_table import DesignedTable, design_table
from singletable.design.model_workload import DesignOptions
from singletable.planner.plan import Plan
from tests.design.workloads.hotel_reviews import Hotel, HotelReviews, HotelWithRooms, Room

CAPITALS = st.text(st.characters(min_codepoint=ord("A"), max_codepoint=ord("Z")), min_size=1, max_size=8)


def child(name: str, **options: Any) -> Any:
    """Return an entity of which a hotel has many items."""
    fields: list[tuple[str, Any]] = [("hotel_id", str), ("at", datetime)]
    return entity(identity=("hotel_id", "at"), expected_per_partition=5_000, **options)(make_dataclass(name, fields))


def hotels(other: Any, hotel: Any = Hotel) -> type[Table]:
    """Return a table whose collection of a hotel and its rooms has a limit, and a list of another entity."""
    shape: Any = make_dataclass("Shape", [("hotel", hotel), ("rooms", list[Room])])

    class Hotels(Table, entities=[hotel, Room, other]):
        @pattern(rate=20)
        def hotel_with_rooms(self, hotel_id: str, *, limit: int = 100) -> shape | None:
            return collection(shape)

        @pattern(rate=20)
        def others_of_hotel(self, hotel_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[other]:
            return query(other, newest_first=True)

    return Hotels


def exact(table: type[Table]) -> DesignedTable:
    """Return the designed table. Check that each pattern reads only its own entities and returns the right items."""
    found = design_table(table.design)
    assert not found.not_served
    assert all(isinstance(each, Plan) and not each.other_entities for each in found.outcomes)
    assert witness(found.after).passes
    return found


def dollars(table: DesignedTable) -> Mapping[str, float | None]:
    report = design_report(table, DesignOptions(), prices_of("us-east-1"))
    return {each.pattern: each.dollars for each in report.costs}


def keys_of(table: DesignedTable, alias: str = "key") -> dict[str, Any]:
    return {label: keys[alias] for label, keys in table.keys.items() if alias in keys}


APART = hotels(child("Awesome"))


@settings(max_examples=60, deadline=None)
@given(name=CAPITALS)
def test_the_name_of_an_entity_outside_a_collection_changes_neither_the_served_patterns_nor_the_cost(name: str) -> None:
    assume(name not in {"HOTEL", "ROOM"})
    assert dollars(exact(hotels(child(name)))) == dollars(exact(APART))


@pytest.mark.parametrize("name", ["Hotels", "HotelReview", "Review", "RooM", "HOTEL", "Room2"])
def test_an_entity_whose_name_sorts_within_a_collection_is_not_in_its_range(name: str) -> None:
    assert dollars(exact(hotels(child(name)))) == dollars(exact(APART))


def test_an_entity_between_the_members_of_a_collection_gets_a_partition_of_its_own() -> None:
    assert keys_of(exact(HotelReviews)) == {
        "Hotel": ("HOTEL#{id}", "HOTEL"),
        "Room": ("HOTEL#{hotel_id}", "ROOM#{number}"),
        "Review": ("REVIEW#HOTEL#{hotel_id}", "REVIEW#{written_at}"),
    }


def test_an_entity_beside_the_members_of_a_collection_stays_in_their_partition() -> None:
    assert keys_of(exact(hotels(child("Stay"))))["Stay"] == ("HOTEL#{hotel_id}", "STAY#{at}")


def test_the_members_of_a_collection_get_numbers_if_the_entity_between_them_keeps_its_key() -> None:
    kept = child("Review", key=("HOTEL#{hotel_id}", "REVIEW#{at}"))
    assert keys_of(exact(hotels(kept))) == {
        "Hotel": ("HOTEL#{id}", "1#HOTEL"),
        "Room": ("HOTEL#{hotel_id}", "2#ROOM#{number}"),
    }


def test_an_entity_between_a_member_with_a_key_and_one_without_gets_a_partition_of_its_own() -> None:
    kept = entity(key=("HOTEL#{id}", "HOTEL"))(make_dataclass("Hotel", [("id", str)]))
    assert keys_of(exact(hotels(child("Review"), kept))) == {
        "Room": ("HOTEL#{hotel_id}", "ROOM#{number}"),
        "Review": ("REVIEW#HOTEL#{hotel_id}", "REVIEW#{at}"),
    }


def test_the_members_of_a_collection_get_numbers_if_the_partition_is_named_after_the_entity_between_them() -> None:
    amenity: Any = child("Amenity")
    zone: Any = child("Zone")
    shape: Any = make_dataclass("Shape", [("amenities", list[amenity]), ("zones", list[zone])])

    class Places(Table, entities=[Hotel, amenity, zone]):
        @pattern()
        def places(self, hotel_id: str) -> shape | None:
            return collection(shape)

    assert keys_of(exact(Places)) == {
        "Hotel": ("HOTEL#{id}", "HOTEL"),
        "Amenity": ("HOTEL#{hotel_id}", "1#AMENITY#{at}"),
        "Zone": ("HOTEL#{hotel_id}", "2#ZONE#{at}"),
    }


def test_two_collections_whose_members_alternate_get_two_partitions() -> None:
    photo: Any = child("Photo")
    review: Any = child("Review")
    shape: Any = make_dataclass("Opinions", [("photos", list[photo]), ("reviews", list[review])])

    class Hotels(Table, entities=[Hotel, Room, photo, review]):
        @pattern()
        def hotel_with_rooms(self, hotel_id: str) -> HotelWithRooms | None:
            return collection(HotelWithRooms)

        @pattern()
        def opinions(self, hotel_id: str) -> shape | None:
            return collection(shape)

    found = keys_of(exact(Hotels))
    assert {found["Hotel"][0], found["Room"][0]} == {"HOTEL#{id}", "HOTEL#{hotel_id}"}
    assert {found["Photo"][0], found["Review"][0]} == {"PHOTO#HOTEL#{hotel_id}"}


def test_an_entity_between_the_members_of_a_collection_in_an_index_gets_a_partition_of_its_own() -> None:
    def of_city(name: str) -> Any:
        return entity()(make_dataclass(name, [("id", str), ("city", str), ("at", datetime)]))

    bar: Any = of_city("Bar")
    cafe: Any = of_city("Cafe")
    diner: Any = of_city("Diner")
    shape: Any = make_dataclass("Shape", [("bars", list[bar]), ("diners", list[diner])])

    class Cities(Table, entities=[bar, cafe, diner]):
        @pattern()
        def together(self, city: str) -> shape | None:
            return collection(shape)

        @pattern()
        def cafes(self, city: str, *, limit: int = 10, cursor: str | None = None) -> Page[cafe]:
            return query(cafe, newest_first=True)

        @pattern()
        def move_bar(self, id: str, city: str) -> bar:
            return update(bar, field(bar, lambda each: each.city).set(city))

        @pattern()
        def move_cafe(self, id: str, city: str) -> cafe:
            return update(cafe, field(cafe, lambda each: each.city).set(city))

    assert keys_of(exact(Cities), "gsi1")["Cafe"] == ("CAFE#CITY#{city}", "CAFE#{at}#{id}")


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("HOTEL", True), ("HOTEL#{at}", True), ("HOTE", False), ("ROOM#1", True), ("ROOM$", False), ("{at}", True)],
)
def test_a_key_text_is_between_the_members_if_one_of_its_texts_is_in_their_range(sort: str, expected: bool) -> None:
    members = [key_texts("HOTEL#{id}", "HOTEL"), key_texts("HOTEL#{hotel_id}", "ROOM#{number:number}")]
    assert key_texts("HOTEL#{any}", sort).can_be_between(members) is expected
    assert not key_texts("OTHER#{any}", sort).can_be_between(members)


@pytest.mark.parametrize("kind", ["collection", "feed"])
def test_a_member_that_nothing_identifies_is_an_error_that_names_its_identity(kind: str) -> None:
    unknown: Any = entity()(make_dataclass("Unknown", [("hotel_id", str), ("at", datetime)]))
    known: Any = child("Known")
    shape: Any = make_dataclass("Shape", [("known", list[known]), ("unknown", list[unknown])])
    result = shape | None if kind == "collection" else Page[known | unknown]

    class Hotels(Table, entities=[known, unknown]):
        @pattern()
        def together(self, hotel_id: str) -> result:  # type: ignore[valid-type]
            return collection(shape) if kind == "collection" else query(known, unknown)

    with pytest.raises(DesignError, match="Unknown: no declaration says which fields identify an item") as caught:
        design_table(Hotels.design)
    assert 'Add identity=("...",) to @entity' in str(caught.value)
