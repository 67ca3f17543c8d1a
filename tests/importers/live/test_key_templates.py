"""Declared names take precedence over coincidences, and a choice between equal fields adds a note."""

from __future__ import annotations

from typing import Any

from singletable.importers.live.inference import inferred_entities
from singletable.importers.live.sampled_table import SampledTable


def items(*rows: dict[str, str]) -> tuple[dict[str, Any], ...]:
    return tuple({name: {"S": text} for name, text in row.items()} for row in rows)


ORDERS = items(
    {"PK": "ORDER#1", "SK": "ORDER", "id": "1", "copy_of_id": "1", "type": "book"},
    {"PK": "ORDER#2", "SK": "ORDER", "id": "2", "copy_of_id": "2", "type": "toy"},
)


def test_a_key_segment_equal_to_two_fields_adds_a_note_that_names_both() -> None:
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), ORDERS))
    (entity,) = draft.entities
    assert entity.keys["key"].partition == ("ORDER#{id}",)
    assert "Order: PK: {id} could also be copy_of_id: id and copy_of_id are equal in all items." in draft.notes


def test_a_field_named_after_the_key_literal_is_preferred_without_a_note() -> None:
    rows = items(*({"PK": f"ORDER#{n}", "SK": "ORDER", "number": n, "orderId": n} for n in ("1", "2")))
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows))
    assert draft.entities[0].keys["key"].partition == ("ORDER#{order_id}",)
    assert not any("could also be" in note for note in draft.notes)


def test_a_template_that_one_row_contradicts_is_not_inferred() -> None:
    rows = (*ORDERS, *items({"PK": "ORDER#3", "SK": "ORDER", "id": "4", "copy_of_id": "5", "type": "toy"}))
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows))
    assert draft.entities[0].keys["key"].partition == ("ORDER#{order_id}",)


def test_declared_kinds_take_precedence_over_an_attribute_named_type() -> None:
    table = SampledTable("Shop", ("PK", "SK"), (), ORDERS, kinds=("Purchase", "Purchase"))
    draft = inferred_entities(table)
    assert draft.type_attribute is None
    assert [each.class_name for each in draft.entities] == ["Purchase"]
    assert "type" in {each.name for each in draft.entities[0].fields}


def test_a_declared_alias_names_the_field_in_a_key() -> None:
    rows = items({"PK": "a1", "SK": "ORDER"}, {"PK": "b2", "SK": "ORDER"})
    aliases = {"Purchase": {"PK": "purchaseNumber"}}
    draft = inferred_entities(SampledTable("Shop", ("PK", "SK"), (), rows, kinds=("Purchase",) * 2, aliases=aliases))
    assert draft.entities[0].keys["key"].partition == ("{purchase_number}",)


def test_a_declared_template_that_the_rows_contradict_adds_a_note() -> None:
    templates = {"Purchase": {"PK": "ORDER#${id}", "SK": "LINE#${id}"}}
    table = SampledTable("Shop", ("PK", "SK"), (), ORDERS, kinds=("Purchase",) * 2, templates=templates)
    draft = inferred_entities(table)
    assert draft.entities[0].keys["key"].partition == ("ORDER#{id}",)
    (note,) = (each for each in draft.notes if "declared template" in each)
    assert "LINE#${id} of SK" in note


def test_a_type_attribute_in_a_template_becomes_a_literal() -> None:
    rows = items(*({"PK": f"{n}", "SK": f"sale#{n}", "_type": "sale", "no": n} for n in ("1", "2")))
    table = SampledTable(
        "Shop", ("PK", "SK"), (), rows, templates={"sale": {"SK": "${_type}#${no}"}}, kinds=("sale",) * 2
    )
    assert inferred_entities(table).entities[0].keys["key"].sort == ("sale#{no}",)
