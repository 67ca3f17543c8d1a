"""Names of tables as other languages have names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.export.names import pascal_case, snake_case, told_apart


@pytest.mark.parametrize(
    ("name", "pascal", "snake"),
    [
        ("ShopByHash", "ShopByHash", "shop_by_hash"),
        ("shop-by_hash.v2", "ShopByHashV2", "shop_by_hash_v_2"),
        ("GSI1", "GSI1", "gsi_1"),
        ("2026", "Table2026", "table_2026"),
        ("_-.", "Table", "table"),
        ("class", "Class", "class"),
    ],
)
def test_a_name_is_made_of_its_words(name: str, pascal: str, snake: str) -> None:
    assert (pascal_case(name), snake_case(name)) == (pascal, snake)


@given(names=st.lists(st.text(st.sampled_from("aAbB12_.-"), min_size=3, max_size=5), unique=True))
def test_no_two_names_become_one(names: list[str]) -> None:
    for made in (pascal_case, snake_case):
        found = told_apart(names, made)
        assert len({each.lower() for each in found.values()}) == len(names)
        assert all(each.isidentifier() for each in found.values())
