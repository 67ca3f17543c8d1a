"""The request that makes a table says what the design says, and nothing that is not a key."""

from __future__ import annotations

from singletable.model.create_table import create_table_request
from tests.export.models import Notes, Readings


def test_multi_attribute_keys_keep_their_order_and_only_key_attributes_are_defined() -> None:
    request = create_table_request(Readings.design, "here")
    assert request["TableName"] == "here"
    assert request["KeySchema"] == [
        {"AttributeName": "device", "KeyType": "HASH"},
        {"AttributeName": "at", "KeyType": "RANGE"},
    ]
    (index,) = request["GlobalSecondaryIndexes"]
    parts = [(each["AttributeName"], each["KeyType"]) for each in index["KeySchema"]]
    assert parts == [("site", "HASH"), ("kind", "HASH"), ("at", "RANGE"), ("level", "RANGE")]
    defined = {each["AttributeName"]: each["AttributeType"] for each in request["AttributeDefinitions"]}
    assert defined == {"at": "N", "device": "B", "kind": "S", "level": "N", "site": "S"}


def test_projections_are_told_for_both_kinds_of_index() -> None:
    request = create_table_request(Notes.design, "Notes")
    (there,), (local,) = request["GlobalSecondaryIndexes"], request["LocalSecondaryIndexes"]
    assert there["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text", "state"]}
    assert local["Projection"] == {"ProjectionType": "KEYS_ONLY"}
