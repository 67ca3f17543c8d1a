"""Conflicts between attributes and indexes, and inverse indexes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from singletable import ALL, DesignError, KeyRefused, Table, inverse
from singletable.errors import Location
from singletable.model.entity import EntityDeclaration, declaration_of, entity
from singletable.model.entity_placement import place_entities
from singletable.model.table_schema import GSI, KEYS_ONLY, LSI, KeyAttribute, TableSettings, native
from singletable.planner.stored_items import item_of, values_of

HERE = Location("model.py", 7)
FIELDS: dict[str, Any] = {"id": str, "name": str, "status": str, "at": datetime, "note": str | None}


def declared(label: str = "Order", *, fields: dict[str, Any] | None = None, **keywords: Any) -> EntityDeclaration:
    cls = dataclasses.make_dataclass(label, list((FIELDS if fields is None else fields).items()))
    found = declaration_of(entity(**{"key": ("ORDER#{id}", "METADATA"), **keywords})(cls))
    assert found is not None
    return dataclasses.replace(found, location=HERE)


def told(*declarations: EntityDeclaration, indexes: Sequence[GSI | LSI] = (), **settings: Any) -> list[str]:
    _, _, problems = place_entities(TableSettings("Shop", HERE, indexes=tuple(indexes), **settings), declarations)
    assert all(problem.location == HERE for problem in problems)
    return [problem.message for problem in problems]


@pytest.mark.parametrize(
    ("keywords", "settings"),
    [
        ({}, {"keys": ("name", "SK")}),
        ({}, {"keys": ("PK", "name")}),
        ({"gsi1": ("A#{id}", "B")}, {"indexes": [GSI("gsi1", keys=("status", "GSI1SK"))]}),
        ({"lsi1": "{at}"}, {"indexes": [LSI("lsi1", sort="note")]}),
        ({"attributes": {"note": "PK"}}, {}),
        ({"attributes": {"note": "entity_type"}}, {}),
        ({"attributes": {"note": "kind"}}, {"type_attribute": "kind"}),
        ({"attributes": {"note": "schema_v"}, "schema_version": 2}, {}),
    ],
)
def test_index_checks_reject_a_key_that_overwrites_a_field(keywords: dict[str, Any], settings: dict[str, Any]) -> None:
    """An item has one attribute per name: the key would overwrite the value of the field."""
    assert len(told(declared(**keywords), **settings)) == 1


@pytest.mark.parametrize(
    ("keywords", "settings"),
    [
        ({"key": (native("id"), native("at"))}, {}),
        ({"attributes": {"note": "entity_type"}}, {"type_attribute": None}),
        ({"attributes": {"note": "schema_v"}}, {}),
    ],
)
def test_index_checks_accept_a_field_with_an_attribute_name_that_is_free(
    keywords: dict[str, Any], settings: dict[str, Any]
) -> None:
    assert told(declared(**keywords), **settings) == []


@pytest.mark.parametrize(
    ("gsi1", "keys", "fine"),
    [
        (("METADATA", "ORDER#{id}"), ("SK", "PK"), True),
        (("STATUS#{status}", "ORDER#{id}"), ("SK", "PK"), False),
        (("NAME#{name}", "METADATA"), ("GSI1PK", "SK"), True),
        (("NAME#{name}", "OTHER"), ("GSI1PK", "SK"), False),
    ],
)
def test_index_checks_need_one_template_for_a_shared_key_attribute(
    gsi1: Any, keys: tuple[str, str], fine: bool
) -> None:
    """An item has one value per attribute; the other template would overwrite the key of the table."""
    found = told(declared(gsi1=gsi1), indexes=[GSI("gsi1", keys=keys)])
    assert (found == []) == fine


def test_index_checks_reject_an_undeclared_index_entry() -> None:
    """DynamoDB indexes every item that has the attributes; a plan that ignores these items would read them."""
    indexed = declared(gsi1=(native("status"), native("at")))
    unaware = declared("Invoice", key=("INVOICE#{id}", "M"))
    (message,) = told(indexed, unaware)
    assert "Invoice" in message
    assert "GSI1" in message


def test_index_checks_need_an_index_on_the_table_keys_to_be_declared_as_inverse() -> None:
    inverted = declared(gsi1=("METADATA", "ORDER#{id}"))
    unaware = declared("Invoice", key=("INVOICE#{id}", "M"))
    found = told(inverted, unaware, indexes=[GSI("gsi1", keys=("SK", "PK"))])
    assert len(found) == 1
    assert "Invoice" in found[0]


def test_index_checks_accept_an_item_without_a_key_attribute_of_the_index() -> None:
    indexed = declared(gsi1=(native("status"), native("at")))
    without = declared("Invoice", key=("INVOICE#{id}", "M"), fields={"id": str, "status": str})
    assert told(indexed, without) == []


def test_index_checks_reject_a_field_stored_in_a_key_attribute_of_another_type() -> None:
    # DynamoDB rejects an item whose index key attribute has the wrong type.
    indexed = declared(gsi1=(native("status"), native("at")))
    other = declared("Invoice", key=("INVOICE#{id}", "M"), fields={"id": str, "status": int})
    (message,) = told(indexed, other)
    assert "status" in message


@pytest.mark.parametrize(
    "indexes",
    [
        [GSI("gsi1", name="X"), GSI("gsi2", name="X")],
        [GSI("gsi1", name="GSI2")],
        [GSI("gsi1"), GSI("gsi1", projection=KEYS_ONLY)],
        [LSI("lsi1", name="GSI1")],
    ],
)
def test_index_checks_reject_duplicate_index_names(indexes: list[GSI | LSI]) -> None:
    assert len(told(declared(gsi1=("A", "B"), gsi2=("C", "D"), lsi1="{at}"), indexes=indexes)) == 1


def test_index_checks_reject_an_index_with_two_spellings() -> None:
    first, second = declared(gsi1=("A", "B")), declared("Invoice", key=("INVOICE#{id}", "M"), GSI1=("A", "C"))
    assert len(told(first, second)) == 1


def test_index_checks_reject_a_table_key_that_names_an_attribute_twice() -> None:
    assert len(told(declared(), keys=("PK", "PK"))) == 1


@pytest.mark.parametrize("keys", [("a", "a"), (("a", "a"), "b"), (("a", "b"), "b"), "ab"])
def test_index_checks_reject_an_index_key_that_names_an_attribute_twice(keys: Any) -> None:
    positions = (("A#{id}", "B#{name}"), "C") if len(keys) == 2 and isinstance(keys[0], tuple) else ("A#{id}", "C")
    assert told(declared(gsi1=positions), indexes=[GSI("gsi1", keys=keys)]) != []


def test_index_checks_reject_a_local_index_of_a_table_without_a_sort_key() -> None:
    # DynamoDB does not create a table with a local index but without a sort key.
    (message,) = told(declared(key="ORDER#{id}", lsi1="{at}"))
    assert "lsi1" in message.lower()


@entity(key=("USER#{user}", "TEAM#{team}"), identity=("user", "team"))
@dataclass(frozen=True)
class Membership:
    user: str
    team: str


@entity(key=("TEAM#{id}", "TEAM#{id}"))
@dataclass(frozen=True)
class Team:
    id: str


class Edges(Table, entities=[Membership, Team], indexes=[inverse("gsi1")]):
    pass


def test_entity_placement_swaps_the_table_keys_in_an_inverse_index() -> None:
    index = Edges.design.indexes["gsi1"]
    assert (index.name, index.kind, index.projection) == ("GSI1", "GSI", ALL)
    assert (index.partition, index.sort) == ((KeyAttribute("SK"),), (KeyAttribute("PK"),))


def test_entity_placement_puts_every_entity_into_the_inverse_index_with_swapped_templates() -> None:
    assert Edges.design.placed_in(Edges.design.indexes["gsi1"]) == Edges.design.entities
    for entity_ in Edges.design.entities:
        placed = entity_.placements["gsi1"]
        assert (placed.partition, placed.sort) == (entity_.base.sort, entity_.base.partition)


def test_entity_placement_gives_an_inverse_index_no_attributes_of_its_own() -> None:
    membership = Edges.design.entity_of(Membership)
    item = item_of(Edges.design, membership, values_of(membership, Membership("u", "t")))
    assert sorted(item) == ["PK", "SK", "entity_type", "team", "user"]


def test_entity_placement_uses_the_declared_name_and_projection_of_an_inverse_index() -> None:
    class Named(
        Table, entities=[Team], keys=("pk", "sk"), indexes=[inverse("edges", name="sk-pk", projection=KEYS_ONLY)]
    ):
        pass

    index = Named.design.indexes["edges"]
    assert (index.name, index.key_attributes, index.projection) == ("sk-pk", ("sk", "pk"), KEYS_ONLY)


@entity(key=(native("device"), native("at")), identity=("device", "at"))
@dataclass(frozen=True)
class Reading:
    device: str
    at: int


def test_entity_placement_gives_an_inverse_index_the_types_of_native_keys() -> None:
    class Readings(Table, entities=[Reading], indexes=[inverse("by_time")]):
        pass

    assert Readings.design.indexes["by_time"].partition == (KeyAttribute("at", "N"),)


def test_index_checks_reject_an_inverse_index_on_a_partition_key_too_long_for_a_sort_key() -> None:
    membership = Edges.design.entity_of(Membership)
    with pytest.raises(KeyRefused, match="PK has 1105 bytes, but DynamoDB allows at most 1024"):
        item_of(Edges.design, membership, {"user": "u" * 1100, "team": "t"})


@entity(key=("USER#{user}", "TEAM#{team}"), gsi1=("TEAM#{team}", "USER#{user}"), identity=("user", "team"))
@dataclass(frozen=True)
class Stubborn:
    user: str
    team: str


def test_index_checks_reject_an_entity_with_keys_for_the_inverse_index() -> None:
    with pytest.raises(DesignError, match=r"Stubborn: gsi1=.* is declared, but gsi1 is an inverse index") as caught:

        class Wrong(Table, entities=[Team, Stubborn], indexes=[inverse("gsi1")]):
            pass

    (problem,) = caught.value.problems
    assert problem.remedy == "Remove gsi1=; every item of the table is in gsi1 automatically."


@entity(key="TEAM#{id}")
@dataclass(frozen=True)
class Bare:
    id: str


def test_index_checks_reject_an_inverse_index_of_a_table_without_a_sort_key() -> None:
    with pytest.raises(DesignError, match="is an inverse index, but the table has no sort key"):

        class Wrong(Table, entities=[Bare], indexes=[inverse("gsi1")]):
            pass


def test_index_checks_reject_an_inverse_index_called_key() -> None:
    with pytest.raises(DesignError, match="'key' is the alias of the table"):

        class Wrong(Table, entities=[Team], indexes=[inverse("key")]):
            pass


def test_index_checks_need_an_index_with_swapped_table_keys_to_be_declared_as_inverse() -> None:
    with pytest.raises(DesignError) as caught:

        class Wrong(Table, entities=[Team], indexes=[GSI("gsi1", keys=("SK", "PK"))]):
            pass

    assert (
        caught.value.problems[0].remedy
        == 'Declare the index as inverse("gsi1"): it contains every item, with swapped keys.'
    )


@entity(key=("A#{id}", "B"), expected_per_partition={"key": 1, "gsi1": 9, "gsi9": 2})
@dataclass(frozen=True)
class Expected:
    id: str


def test_entity_placement_accepts_the_inverse_index_in_expected_per_partition() -> None:
    with pytest.raises(DesignError, match=r"expected_per_partition names 'gsi9', but its keys are key, gsi1$"):

        class Wrong(Table, entities=[Expected], indexes=[inverse("gsi1")]):
            pass
