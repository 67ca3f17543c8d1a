"""A DescribeTable response becomes a sampled table; members that the importer does not know are ignored."""

from __future__ import annotations

import pytest

from singletable.errors import ImportRefused
from singletable.importers.draft import DraftIndex
from singletable.importers.live.sampled_table import described_table

KEYS = [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]


def test_described_table_reads_indexes_and_ignores_unknown_keys() -> None:
    projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a"]}
    description = {
        "TableName": "T",
        "KeySchema": KEYS,
        "AttributeDefinitions": [{"AttributeName": "at", "AttributeType": "N"}],
        "VectorIndexes": [{"IndexName": "V"}],
        "LocalSecondaryIndexes": [
            {"IndexName": "L", "KeySchema": [KEYS[0], {"AttributeName": "at", "KeyType": "RANGE"}]}
        ],
        "GlobalSecondaryIndexes": [{"IndexName": "G", "KeySchema": KEYS[1:] + KEYS[:1], "Projection": projection}],
    }
    seen = described_table(description, [])
    assert seen.keys == ("PK", "SK")
    assert seen.key_types == {"at": "N"}
    assert seen.indexes == (
        DraftIndex("l", "L", "LSI", ("PK",), ("at",)),
        DraftIndex("g", "G", "GSI", ("PK",), ("SK",), "INCLUDE", ("a",)),
    )


@pytest.mark.parametrize(("description", "said"), [({}, "no TableName"), ({"TableName": "T"}, "no HASH key")])
def test_described_table_rejects_a_description_without_name_or_key(description: dict[str, str], said: str) -> None:
    with pytest.raises(ImportRefused, match=said):
        described_table(description, [])
