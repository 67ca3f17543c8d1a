"""Stored keys: the fast path returns the same key as the slow path, in C and in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.engine.items import item_keys
from singletable.engine.items.item_keys import exact_key, fast_request_key, item_key
from singletable.engine.storage.entry_keys import SHORT_TEXT_MAX
from singletable.engine.tables.stored_table import StoredTable
from singletable.errors import RequestRefused
from singletable.values.fast_path import NotOnFastPath
from tests.engine.table_requests import create, texts

TEXTS = st.text(max_size=8) | st.text("abc#%", max_size=1100) | st.sampled_from(["a" * 1024, "a" * 1025, "é", "\x00"])
VALUES = st.builds(lambda text: {"S": text}, TEXTS) | st.sampled_from(
    [{"N": "5"}, {"B": "eA=="}, {"NULL": True}, {"L": []}]
)
ITEMS = st.fixed_dictionaries({}, optional={"pk": VALUES, "sk": VALUES, "other": VALUES})


@pytest.fixture(scope="module", params=["compiled", "in Python"], autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test with the compiled fast path and with the fast path in Python."""
    if request.param == "compiled" and item_keys._fast_keys is None:
        pytest.skip("the compiled module is not built: there is no C compiler here")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in Python":
            patch.setattr(item_keys, "_fast_keys", None)
        yield


def table_of(**settings: Any) -> StoredTable:
    with Engine("memory:") as engine:
        create(engine, **settings)
        return engine.catalog.require("table")


@pytest.fixture(scope="module")
def table() -> StoredTable:
    return table_of()


@given(item=ITEMS)
def test_the_fast_path_of_item_keys_returns_the_key_of_the_slow_path(table: StoredTable, item: dict[str, Any]) -> None:
    try:
        found = fast_request_key(table, item)
    except NotOnFastPath:
        return
    assert found == exact_key(table, item)
    assert {name: value["S"].isascii() for name, value in item.items()} == {"pk": True, "sk": True}


@given(item=ITEMS)
def test_a_put_has_the_item_key_of_the_slow_path(table: StoredTable, item: dict[str, Any]) -> None:
    key = {name: value for name, value in item.items() if name in ("pk", "sk")}
    try:
        expected: bytes | str = exact_key(table, key)
    except (RequestRefused, AttributeError) as refusal:
        expected = type(refusal).__name__
    try:
        found: bytes | str = item_key(table, item)
    except (RequestRefused, AttributeError) as refusal:
        found = type(refusal).__name__
    assert isinstance(found, bytes) == isinstance(expected, bytes)
    assert not isinstance(found, bytes) or found == expected


@given(partition=st.text("abc", min_size=1, max_size=1024), sort=st.text("abc", min_size=1, max_size=1024))
def test_item_keys_of_short_ascii_strings_are_on_the_fast_path(table: StoredTable, partition: str, sort: str) -> None:
    assert fast_request_key(table, texts(pk=partition, sk=sort)) == exact_key(table, texts(pk=partition, sk=sort))


def test_the_compiled_module_of_item_keys_has_the_same_limit() -> None:
    if item_keys._fast_keys is not None:
        assert item_keys._fast_keys.CHARACTERS_MAX == SHORT_TEXT_MAX
        with pytest.raises(TypeError):
            item_keys._fast_keys.fast_key([], "pk", None)
