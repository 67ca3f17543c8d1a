"""A tour runs every script of an example on a table that is as the script expects it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from examples import SYSTEMS
from examples.script import Script
from examples.shop.model import Customer, Shop
from examples.shop.rows import ROWS
from singletable.demo import tour
from singletable.demo.captured import Document
from singletable.demo.systems import NamedScript, System, systems_named
from tests.examples.test_scripts import ROOT

CUSTOMER = next(row for row in ROWS if isinstance(row, Customer))


def rename(shop: Shop) -> str:
    shop.put(CUSTOMER.model_copy(update={"name": "Countess"}))
    return name(shop)


def name(shop: Shop) -> str:
    found = shop.customer("c1")
    assert found is not None
    return found.name


@dataclass(frozen=True)
class Written(System):
    def scripts(self) -> tuple[NamedScript, ...]:
        asks = {"before": name, "rename": rename, "after": name}
        return tuple(NamedScript(each, each, Script(Shop, ROWS, ask, print)) for each, ask in asks.items())


def test_what_one_script_writes_no_other_finds() -> None:
    taken = tour.take(Written("written", "", ()))
    assert [asked.answer for asked in taken.asked] == ["Ada\n", "Countess\n", "Ada\n"]
    (filled,) = taken.tables
    assert (filled.name, len(filled.items)) == ("Shop", len(ROWS))


def test_reads_behind_a_write_find_it_in_the_table_of_its_entity_too() -> None:
    renamed = tour.take(Written("written", "", ())).asked[1]
    assert [request.operation for request in renamed.elsewhere] == ["PutItem", "GetItem"]
    assert [item["name"] for item in renamed.elsewhere[1].items()] == [{"S": "Countess"}]
    assert renamed.cost_elsewhere == renamed.cost


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_script_says_what_it_says_alone(system: str) -> None:
    (found,) = systems_named([system])
    for asked in tour.take(found).asked:
        expected = ROOT / "examples" / system / "expected" / f"{asked.name}.txt"
        assert asked.answer == expected.read_text(encoding="utf-8"), asked.name


def test_a_table_that_scripts_fill_differently_has_the_items_of_all() -> None:
    halves = (tour.Filled(Shop, stored(ROWS[:8])), tour.Filled(Shop, stored(ROWS[6:])))
    (whole,) = tour.Tour(System("halves", "", ()), halves, ()).tables
    assert sorted(map(repr, whole.items)) == sorted(map(repr, stored(ROWS)))


def stored(rows: list[BaseModel]) -> tuple[Document, ...]:
    with Shop.open("memory:") as shop:
        for row in rows:
            shop.put(row)
        return tuple(tour.stored_items(shop))


def test_two_tours_are_alike_to_the_request() -> None:
    (shop,) = systems_named(["shop"])
    assert tour.take(shop) == tour.take(shop)
