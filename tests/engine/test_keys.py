"""The stored keys of plain items, quickly and with care, are the same; what is not plain is left to care."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine import keys
from singletable.engine.engine import Engine
from singletable.engine.keys import exact_key, item_key, plain_key
from singletable.engine.table import OpenTable
from singletable.errors import RequestRefused
from tests.engine.tables import create, texts

TEXTS = st.text(max_size=8) | st.text("abc#%", max_size=1100) | st.sampled_from(["a" * 1024, "a" * 1025, "é", "\x00"])
VALUES = st.builds(lambda text: {"S": text}, TEXTS) | st.sampled_from(
    [{"N": "5"}, {"B": "eA=="}, {"NULL": True}, {"L": []}]
)
ITEMS = st.fixed_dictionaries({}, optional={"pk": VALUES, "sk": VALUES, "other": VALUES})


@pytest.fixture(scope="module", params=["compiled", "in Python"], autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both forms of the quick look, where there are both."""
    if request.param == "compiled" and keys._quick_keys is None:
        pytest.skip("the compiled part was not built: there is no C compiler here")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in Python":
            patch.setattr(keys, "_quick_keys", None)
        yield


def table_of(**settings: Any) -> OpenTable:
    with Engine("memory:") as engine:
        create(engine, **settings)
        return engine.catalog.require("table")


@pytest.fixture(scope="module")
def table() -> OpenTable:
    return table_of()


@given(item=ITEMS)
def test_a_plain_key_is_the_key_that_care_finds(table: OpenTable, item: dict[str, Any]) -> None:
    found = plain_key(table, item)
    if found is None:
        return
    assert found == exact_key(table, item)
    assert {name: value["S"].isascii() for name, value in item.items()} == {"pk": True, "sk": True}


@given(item=ITEMS)
def test_a_put_has_the_key_that_care_finds(table: OpenTable, item: dict[str, Any]) -> None:
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
def test_short_ascii_texts_are_plain(table: OpenTable, partition: str, sort: str) -> None:
    assert plain_key(table, texts(pk=partition, sk=sort)) is not None


def test_the_compiled_look_knows_the_same_limit() -> None:
    if keys._quick_keys is not None:
        assert keys._quick_keys.CHARACTERS_MAX == keys.PLAIN_CHARACTERS_MAX
        with pytest.raises(TypeError):
            keys._quick_keys.plain_key([], "pk", None)
