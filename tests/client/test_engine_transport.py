"""Tables in an open engine use its clock, its limits and its faults."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from singletable import ArgumentRefused, TableDiffers, key
from singletable.engine import Engine
from tests.client.shop import START, Order, Session, Shop, order


def test_engine_transport_opens_a_table_in_an_engine_and_leaves_it_open() -> None:
    with Engine("memory:") as engine:
        with Shop.open(engine, create=True) as shop:
            shop.put(order(1))
        assert engine.call("ListTables", {})["TableNames"] == [Shop.design.name]
        with Shop.open(engine) as again:
            assert again.get(key(Order, id=order(1).id)) == order(1)


def test_engine_transport_shows_two_tables_of_one_engine_the_writes_of_each_other(tmp_path: Path) -> None:
    with (
        Engine(f"file:{tmp_path}/shop.db") as engine,
        Shop.open(engine, create=True) as first,
        Shop.open(engine) as second,
    ):
        first.put(order(1))
        assert second.get(key(Order, id=order(1).id)) == order(1)


def test_open_table_rejects_a_missing_table_in_an_engine_unless_create_is_set() -> None:
    with Engine("memory:") as engine, pytest.raises(TableDiffers, match="does not exist"):
        Shop.open(engine)


@pytest.mark.parametrize("place", [None, 8000, Path("shop.db")])
def test_open_table_rejects_a_value_that_is_neither_a_url_nor_an_engine(place: object) -> None:
    with pytest.raises(ArgumentRefused, match=r"pass a URL, such as memory:, or an open Engine"):
        Shop.open(cast(Any, place))


@pytest.mark.parametrize("kind", ["memory:", "file:"])
def test_engine_transport_gives_the_clock_of_a_table_to_the_engine_that_it_opens(kind: str, tmp_path: Path) -> None:
    clock = [START.timestamp()]  # this time is long ago for the machine's clock, which would delete the session at once
    url = kind if kind == "memory:" else f"file:{tmp_path}/shop.db"
    with Shop.open(url, create=True, now=lambda: clock[0]) as shop:
        engine = cast(Any, shop._opened().session.transport).engine
        shop.put(Session("s", START + timedelta(hours=1)))
        assert engine.sweep() == 0
        assert shop.session("s") is not None
        clock[0] += 2 * 3600
        engine.sweep()  # does nothing if the sweep has run already
        assert shop.session.using(expired=True)("s") is None


def test_engine_transport_gives_tables_the_clock_of_their_engine_by_default() -> None:
    clock = [START.timestamp()]
    with Engine("memory:", now=lambda: clock[0], sweep_seconds=None) as engine:
        with Shop.open(engine, create=True) as shop:
            shop.put(Session("s", START + timedelta(hours=1)))
            assert shop.session("s") is not None
            clock[0] += 2 * 3600
            assert shop.session("s") is None
        with Shop.open(engine, now=START.timestamp) as earlier:
            assert earlier.session("s") is not None
