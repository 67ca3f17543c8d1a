"""Indexes, key positions and the CreateTable request."""

from __future__ import annotations

import pytest

from singletable.model.table_schema import (
    ALL,
    KEYS_ONLY,
    Index,
    IndexProjection,
    KeyAttribute,
    Native,
    Sparse,
    create_table_request,
    default_name,
    include,
    is_local,
    native,
    sparse,
)
from tests.export.models import Notes, Readings


@pytest.mark.parametrize(
    ("alias", "name", "local"),
    [
        ("gsi1", "GSI1", False),
        ("gsi12", "GSI12", False),
        ("gsi", "GSI", False),
        ("lsi1", "LSI1", True),
        ("lsi", "LSI", True),
        ("by_email", "by_email", False),
        ("gsi_by_email", "gsi_by_email", False),
        ("lsi_by_date", "lsi_by_date", False),
        ("LSI1", "LSI1", False),
    ],
)
def test_the_table_schema_derives_name_and_kind_of_an_index_from_the_alias(alias: str, name: str, local: bool) -> None:
    assert default_name(alias) == name
    assert is_local(alias) == local


@pytest.mark.parametrize(
    ("projection", "text"), [(ALL, "ALL"), (KEYS_ONLY, "KEYS_ONLY"), (include("a", "b"), "INCLUDE a, b")]
)
def test_the_table_schema_prints_a_projection_as_dynamodb_names_it(projection: IndexProjection, text: str) -> None:
    assert str(projection) == text


def test_the_table_schema_has_the_base_table_as_an_index() -> None:
    attributes = (KeyAttribute("PK"),), (KeyAttribute("SK", "N"),)
    table = Index("key", "Shop", "table", *attributes)
    local = Index("lsi1", "LSI1", "LSI", *attributes)
    assert (table.is_table, table.label, table.key_attributes) == (True, "table", ("PK", "SK"))
    assert (local.is_table, local.label, local.key_attributes) == (False, "LSI1", ("PK", "SK"))


def test_the_table_schema_requests_multi_attribute_keys_in_order() -> None:
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


def test_the_table_schema_requests_projections_of_both_kinds_of_index() -> None:
    request = create_table_request(Notes.design, "Notes")
    (there,), (local,) = request["GlobalSecondaryIndexes"], request["LocalSecondaryIndexes"]
    assert there["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text", "state"]}
    assert local["Projection"] == {"ProjectionType": "KEYS_ONLY"}


def test_the_table_schema_takes_a_field_and_an_optional_format_in_native() -> None:
    assert native("at") == Native("at", "")
    assert native("at", "seconds") == Native("at", "seconds") != native("at")


def test_the_table_schema_stores_the_positions_of_sparse() -> None:
    assert sparse("A#{note}") == Sparse(("A#{note}",))
    assert sparse("A#{note}", native("at")) == Sparse(("A#{note}", Native("at")))
    assert sparse(("A#{note}", native("id")), "B") == Sparse((("A#{note}", Native("id")), "B"))
