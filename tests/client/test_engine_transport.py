"""Tables in an engine that is open already: its clock, its limits and its faults are then the table's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from singletable import ArgumentRefused, TableDiffers, key
from singletable.engine import Engine
from tests.client.shop import Order, Shop, order


def test_a_table_opens_in_an_engine_and_leaves_it_open() -> None:
    with Engine("memory:") as engine:
        with Shop.open(engine, create=True) as shop:
            shop.put(order(1))
        assert engine.call("ListTables", {})["TableNames"] == [Shop.design.name]
        with Shop.open(engine) as again:
            assert again.get(key(Order, id=order(1).id)) == order(1)


def test_two_tables_of_one_engine_see_each_others_writes(tmp_path: Path) -> None:
    with (
        Engine(f"file:{tmp_path}/shop.db") as engine,
        Shop.open(engine, create=True) as first,
        Shop.open(engine) as second,
    ):
        first.put(order(1))
        assert second.get(key(Order, id=order(1).id)) == order(1)


def test_a_table_that_is_not_there_is_refused_unless_it_is_to_be_made() -> None:
    with Engine("memory:") as engine, pytest.raises(TableDiffers, match="there is no table"):
        Shop.open(engine)


@pytest.mark.parametrize("place", [None, 8000, Path("shop.db")])
def test_what_is_neither_a_url_nor_an_engine_is_refused(place: object) -> None:
    with pytest.raises(ArgumentRefused, match=r"give a URL, such as memory:, or an open Engine"):
        Shop.open(cast(Any, place))
