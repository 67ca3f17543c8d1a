"""Keys that begin with the delimiter, keys of a few incomplete items, placeholders in keys, and types with two keys."""

from __future__ import annotations

from typing import Any

from singletable.importers.draft import DraftIndex, DraftTable, NativeKey
from singletable.importers.live.inference import inferred_entities
from singletable.importers.live.sampled_table import SampledTable

LATEST = DraftIndex("gsi1", "GSI1", "GSI", ("GSI1PK",), ("GSI1SK",))


def draft_of(*rows: dict[str, Any]) -> DraftTable:
    items = tuple(
        {name: {"N": str(value)} if isinstance(value, int) else {"S": value} for name, value in row.items()}
        for row in rows
    )
    return inferred_entities(SampledTable("Photos", ("PK", "SK"), (LATEST,), items))


def photo(name: str, **others: Any) -> dict[str, Any]:
    return {"PK": f"#S3#{name}.jpg", "SK": "#METADATA", **others}


def test_index_key_notes_allow_keys_that_begin_with_the_delimiter() -> None:
    draft = draft_of(
        photo("a"), photo("b"), {"PK": "#PERSON#p1", "SK": "#METADATA"}, {"PK": "#PERSON#p2", "SK": "#METADATA"}
    )
    keys = [(each.keys["key"].partition[0], each.keys["key"].sort[0]) for each in draft.entities]
    assert keys == [("#S3#{s3_id}", "#METADATA"), ("#PERSON#{person_id}", "#METADATA")]


def test_index_key_notes_keep_the_template_although_an_item_has_a_part_of_an_index_key() -> None:
    rows = [photo(name, GSI1PK="#TIME", GSI1SK=number, size=1) for number, name in enumerate("abc")]
    draft = draft_of(*rows, photo("d", GSI1PK="#TIME", size=1))
    (entity,) = draft.entities
    assert entity.keys["gsi1"].partition == ("#TIME",)
    assert entity.keys["gsi1"].sort == (NativeKey("gsi1_sk"),)
    assert entity.keys["gsi1"].sparse
    assert any("1 of 4 items are not in the index GSI1" in note and "PK=#S3#d.jpg" in note for note in draft.notes)


def test_index_key_notes_name_a_sparse_index_with_most_items_in_one_partition() -> None:
    rows = [photo(name, GSI1PK="#PLACE", GSI1SK=f"{name}x7", place=f"{name}x7") for name in "abc"]
    notes = draft_of(*rows, photo("d")).notes
    assert any("all items in the index GSI1 are in one partition, #PLACE." in note for note in notes)


def test_index_key_notes_name_a_sort_key_that_differs_from_the_field_of_its_partition_name() -> None:
    rows = [photo(name, GSI1PK="#TIMESTAMP", GSI1SK=number, timestamp=number + 1) for number, name in enumerate("ab")]
    assert any("GSI1SK differs from timestamp in 2 of 2 items" in note for note in draft_of(*rows).notes)
    rows = [photo(name, GSI1PK="#TIMESTAMP", GSI1SK=number, timestamp=number) for number, name in enumerate("ab")]
    assert not any("differs" in note for note in draft_of(*rows).notes)


def test_index_key_notes_keep_a_placeholder_in_every_key_as_literal_text() -> None:
    rows = [
        {"PK": f"SEASON#{each}", "SK": "SEASON", "GSI1PK": "ALL", "GSI1SK": f"SEASON#StartDate#{each}"}
        for each in ("s17", "s25")
    ]
    (entity,) = draft_of(*rows).entities
    assert entity.keys["gsi1"].sort == ("SEASON#StartDate#{season_id}",)


def test_index_key_notes_name_the_entities_of_a_type_with_keys_of_two_forms() -> None:
    rows = [
        {"PK": "c#1c7", "SK": "c#1c7", "type": "CUSTOMER"},
        {"PK": "o#2o8", "SK": "o#2o8", "type": "ORDER", "GSI1PK": "order", "GSI1SK": "2024-01-01T00:00:00Z"},
        {"PK": "o#2o8", "SK": "c#1c7", "type": "CUSTOMER"},
    ]
    draft = draft_of(*rows)
    assert [each.class_name for each in draft.entities] == ["Customer", "Order", "OrderCustomer"]
    assert draft.entities[1].keys["gsi1"].partition == ("order",)
    assert draft.type_attribute is None
    assert any("type is 'CUSTOMER' in items with keys of 2 forms" in note for note in draft.notes)


def test_a_delimiter_at_both_ends_of_a_key_is_literal_text() -> None:
    (entity,) = draft_of({"PK": "VIN#v17", "SK": "#META#", "model": "A"}).entities
    assert entity.keys["key"].sort == ("#META#",)
