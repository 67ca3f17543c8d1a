"""Tables in an engine that is open already: its clock, its limits and its faults are then the table's."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from singletable import ArgumentRefused, TableDiffers, key
from singletable.engine import Engine
from tests.client.shop import START, Order, Session, Shop, order


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


@pytest.mark.parametrize("kind", ["memory:", "file:"])
def test_the_clock_of_a_table_is_that_of_the_engine_which_is_opened_for_it(kind: str, tmp_path: Path) -> None:
    clock = [START.timestamp()]  # long ago by the machine's clock, which would delete the session at once
    url = kind if kind == "memory:" else f"file:{tmp_path}/shop.db"
    with Shop.open(url, create=True, now=lambda: clock[0]) as shop:
        engine = cast(Any, shop._opened().session.transport).engine
        shop.put(Session("s", START + timedelta(hours=1)))
        assert engine.sweep() == 0
        assert shop.session("s") is not None
        clock[0] += 2 * 3600
        engine.sweep()  # unless it has done so by itself
        assert shop.session.using(expired=True)("s") is None


def test_the_clock_of_an_engine_is_that_of_its_tables_unless_they_have_one() -> None:
    clock = [START.timestamp()]
    with Engine("memory:", now=lambda: clock[0], sweep_seconds=None) as engine:
        with Shop.open(engine, create=True) as shop:
            shop.put(Session("s", START + timedelta(hours=1)))
            assert shop.session("s") is not None
            clock[0] += 2 * 3600
            assert shop.session("s") is None
        with Shop.open(engine, now=START.timestamp) as earlier:
            assert earlier.session("s") is not None
