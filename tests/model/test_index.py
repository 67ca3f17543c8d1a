"""Indexes: their default names, and what they show of themselves."""

from __future__ import annotations

import pytest

from singletable.model.index import ALL, KEYS_ONLY, Index, KeyAttribute, Projection, default_name, include, is_local


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
def test_an_alias_says_the_name_and_the_kind(alias: str, name: str, local: bool) -> None:
    assert default_name(alias) == name
    assert is_local(alias) == local


@pytest.mark.parametrize(
    ("projection", "text"), [(ALL, "ALL"), (KEYS_ONLY, "KEYS_ONLY"), (include("a", "b"), "INCLUDE a, b")]
)
def test_a_projection_reads_as_dynamodb_names_it(projection: Projection, text: str) -> None:
    assert str(projection) == text


def test_the_table_is_an_index_of_itself() -> None:
    attributes = (KeyAttribute("PK"),), (KeyAttribute("SK", "N"),)
    table = Index("key", "Shop", "table", *attributes)
    local = Index("lsi1", "LSI1", "LSI", *attributes)
    assert (table.is_table, table.label, table.key_attributes) == (True, "table", ("PK", "SK"))
    assert (local.is_table, local.label, local.key_attributes) == (False, "LSI1", ("PK", "SK"))
