"""A tour runs every script of an example on a table with the rows of that script."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from examples import SYSTEMS
from examples.script import Script
from examples.shop.model import Customer, Shop
from examples.shop.rows import ROWS
from singletable.demo import tour
from singletable.demo.request_capture import Document
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


def test_a_tour_script_does_not_see_the_writes_of_another() -> None:
    taken = tour.run_tour(Written("written", "", ()))
    assert [run.output for run in taken.runs] == ["Ada\n", "Countess\n", "Ada\n"]
    (filled,) = taken.tables
    assert (filled.name, len(filled.items)) == ("Shop", len(ROWS))


def test_a_tour_finds_a_write_in_the_table_of_its_entity() -> None:
    renamed = tour.run_tour(Written("written", "", ())).runs[1]
    assert [request.operation for request in renamed.per_entity_requests] == ["PutItem", "GetItem"]
    assert [item["name"] for item in renamed.per_entity_requests[1].items()] == [{"S": "Countess"}]
    assert renamed.per_entity_cost == renamed.cost


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_script_prints_the_same_in_a_tour_and_alone(system: str) -> None:
    (found,) = systems_named([system])
    for run in tour.run_tour(found).runs:
        expected = ROOT / "examples" / system / "expected" / f"{run.name}.txt"
        assert run.output == expected.read_text(encoding="utf-8"), run.name


def test_a_tour_table_contains_the_rows_of_all_its_scripts() -> None:
    halves = (tour.FilledTable(Shop, stored(ROWS[:8])), tour.FilledTable(Shop, stored(ROWS[6:])))
    (whole,) = tour.Tour(System("halves", "", ()), halves, ()).tables
    assert sorted(map(repr, whole.items)) == sorted(map(repr, stored(ROWS)))


def stored(rows: list[BaseModel]) -> tuple[Document, ...]:
    with Shop.open("memory:") as shop:
        for row in rows:
            shop.put(row)
        return tuple(tour.scan_items(shop))


def test_two_tours_send_the_same_requests() -> None:
    (shop,) = systems_named(["shop"])
    assert tour.run_tour(shop) == tour.run_tour(shop)
