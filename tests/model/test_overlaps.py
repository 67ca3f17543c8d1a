"""Attributes that two parts of a design both lay claim to: one of them would be lost, or be read unawares."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from singletable.errors import Location
from singletable.model.entity import EntityDeclaration, declaration_of, entity
from singletable.model.index import GSI, KEYS_ONLY, LSI
from singletable.model.placing import place_entities
from singletable.model.positions import native
from singletable.model.settings import TableSettings

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
def test_a_key_or_a_mark_of_the_table_may_not_be_written_over_a_field(
    keywords: dict[str, Any], settings: dict[str, Any]
) -> None:
    """An item has one attribute of a name: the key would be stored, and the field's value be lost."""
    assert len(told(declared(**keywords), **settings)) == 1


@pytest.mark.parametrize(
    ("keywords", "settings"),
    [
        ({"key": (native("id"), native("at"))}, {}),
        ({"attributes": {"note": "entity_type"}}, {"type_attribute": None}),
        ({"attributes": {"note": "schema_v"}}, {}),
    ],
)
def test_a_name_that_only_the_field_uses_is_its_own(keywords: dict[str, Any], settings: dict[str, Any]) -> None:
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
def test_an_attribute_that_two_indexes_share_has_one_template(gsi1: Any, keys: tuple[str, str], fine: bool) -> None:
    """One item has one value of it; the other template's would be written over the key of the table."""
    found = told(declared(gsi1=gsi1), indexes=[GSI("gsi1", keys=keys)])
    assert (found == []) == fine


def test_an_item_that_has_all_attributes_of_an_index_is_in_it_whether_declared_or_not() -> None:
    """DynamoDB asks only for the attributes; a plan that did not know of the others would read them unawares."""
    indexed = declared(gsi1=(native("status"), native("at")))
    unaware = declared("Invoice", key=("INVOICE#{id}", "M"))
    (message,) = told(indexed, unaware)
    assert "Invoice" in message
    assert "GSI1" in message


def test_every_item_is_in_an_index_of_the_keys_of_the_table() -> None:
    inverted = declared(gsi1=("METADATA", "ORDER#{id}"))
    unaware = declared("Invoice", key=("INVOICE#{id}", "M"))
    found = told(inverted, unaware, indexes=[GSI("gsi1", keys=("SK", "PK"))])
    assert len(found) == 1
    assert "Invoice" in found[0]


def test_an_item_that_lacks_an_attribute_of_an_index_is_not_in_it() -> None:
    indexed = declared(gsi1=(native("status"), native("at")))
    without = declared("Invoice", key=("INVOICE#{id}", "M"), fields={"id": str, "status": str})
    assert told(indexed, without) == []


def test_an_attribute_of_an_index_may_not_be_stored_in_another_type() -> None:
    # DynamoDB refuses the whole write of an item whose index key attribute has the wrong type.
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
def test_no_two_indexes_have_one_name(indexes: list[GSI | LSI]) -> None:
    assert len(told(declared(gsi1=("A", "B"), gsi2=("C", "D"), lsi1="{at}"), indexes=indexes)) == 1


def test_one_index_under_two_spellings_is_refused() -> None:
    first, second = declared(gsi1=("A", "B")), declared("Invoice", key=("INVOICE#{id}", "M"), GSI1=("A", "C"))
    assert len(told(first, second)) == 1


def test_a_key_of_the_table_names_two_attributes() -> None:
    assert len(told(declared(), keys=("PK", "PK"))) == 1


@pytest.mark.parametrize("keys", [("a", "a"), (("a", "a"), "b"), (("a", "b"), "b"), "ab"])
def test_keys_of_an_index_name_different_attributes(keys: Any) -> None:
    positions = (("A#{id}", "B#{name}"), "C") if len(keys) == 2 and isinstance(keys[0], tuple) else ("A#{id}", "C")
    assert told(declared(gsi1=positions), indexes=[GSI("gsi1", keys=keys)]) != []


def test_a_local_index_needs_a_table_with_a_sort_key() -> None:
    # DynamoDB refuses to create a table with a local index and no sort key of its own.
    (message,) = told(declared(key="ORDER#{id}", lsi1="{at}"))
    assert "lsi1" in message.lower()
