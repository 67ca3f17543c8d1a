"""Writes of the new table: the rows that follow them, for each kind of write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from singletable import ArgumentRefused, ConsolidationRefused, ItemRefused, TableDiffers, field, key
from singletable.client.request_steps import run
from singletable.consolidation import Consolidation, DynamoDBSource, JsonLinesSource
from singletable.consolidation.consolidation_run import ConsolidationRun, ConsolidationSettings
from singletable.consolidation.consolidation_state import Stage
from singletable.engine import Engine
from tests.consolidation.shop_world import (
    CONSOLIDATION,
    CUSTOMERS,
    ORDERS,
    Customer,
    Note,
    Order,
    Shop,
    customer_of,
    order_of,
    row_of_customer,
    row_of_order,
    table_definition,
)

ANN = {"id": "c1", "name": "Ann", "email": "a@x"}
OPEN = {"id": "o1", "customer": "c1", "status": "OPEN", "note": "n"}


class World:
    """Two old tables with one row each, and the new table with their entities."""

    def __init__(self, consolidation: Consolidation[Shop] = CONSOLIDATION, *, is_copied: bool = True) -> None:
        self.engine = Engine("memory:")
        for name, row in ((CUSTOMERS, ANN), (ORDERS, OPEN)):
            self.engine.call("CreateTable", table_definition(name))
            self.engine.call("PutItem", {"TableName": name, "Item": {k: {"S": v} for k, v in row.items()}})
        Shop.open(self.engine, create=True).close()
        self.shop = consolidation.open(self.engine)
        if is_copied:
            settings = ConsolidationSettings(wait_seconds=0.0)
            result = run(ConsolidationRun(consolidation, self.shop, settings).run(), self.shop._opened().session)
            assert not result.failures

    def row(self, table: str, id: str) -> dict[str, str] | None:
        found = self.engine.call("GetItem", {"TableName": table, "Key": {"id": {"S": id}}}).get("Item")
        return None if found is None else {name: value["S"] for name, value in found.items()}


STATUS, NAME = field(Order, lambda o: o.status), field(Customer, lambda c: c.name)


def in_transaction(shop: Shop) -> None:
    with shop.transaction() as tx:
        tx.update(key(Order, id="o1"), STATUS.set("PAID"))
        tx.delete(key(Note, order_id="o1"))


WRITES: dict[str, tuple[Callable[[Shop], Any], dict[str, Any]]] = {
    "update": (lambda shop: shop.update(key(Order, id="o1"), STATUS.set("PAID")), {"o1": OPEN | {"status": "PAID"}}),
    "put": (lambda shop: shop.put(Order("o1", "c1", "PAID")), {"o1": OPEN | {"status": "PAID"}}),
    "put of a note": (lambda shop: shop.put(Note("o1", "other")), {"o1": OPEN | {"note": "other"}}),
    "create": (
        lambda shop: shop.create(Order("o2", "c1", "OPEN")),
        {"o2": {"id": "o2", "customer": "c1", "status": "OPEN"}, "o1": OPEN},
    ),
    "upsert": (lambda shop: shop.upsert(Order("o1", "c1", "PAID")), {"o1": OPEN | {"status": "PAID"}}),
    "delete of one of two entities": (
        lambda shop: shop.delete(key(Note, order_id="o1")),
        {"o1": {"id": "o1", "customer": "c1", "status": "OPEN"}},
    ),
    "delete_many": (lambda shop: shop.delete_many([key(Order, id="o1"), key(Note, order_id="o1")]), {"o1": None}),
    "transaction": (in_transaction, {"o1": {"id": "o1", "customer": "c1", "status": "PAID"}}),
    "put_many": (
        lambda shop: shop.put_many([Note("o1", "x")]),
        {"o1": OPEN | {"note": "x"}},
    ),
    "asyncio": (
        lambda shop: asyncio.run(shop.aio.update(key(Order, id="o1"), STATUS.set("PAID"))),
        {"o1": OPEN | {"status": "PAID"}},
    ),
}


@pytest.mark.parametrize("write", WRITES)
def test_a_dual_table_write_changes_the_row_too(write: str) -> None:
    world = World()
    call, rows = WRITES[write]
    call(world.shop)
    assert {id: world.row(ORDERS, id) for id in rows} == rows


def test_derived_data_of_the_new_table_is_written_too() -> None:
    world = World()
    world.shop.create(Order("o2", "c1", "OPEN"))
    assert world.shop.get(key(Customer, id="c1")) == Customer("c1", "Ann", "a@x", 2)
    world.shop.update(key(Customer, id="c1"), NAME.set("Bea"))
    assert world.row(CUSTOMERS, "c1") == ANN | {"name": "Bea"}
    assert world.shop.get(key(Order, id="o2")) == Order("o2", "c1", "OPEN", "Bea")


def test_a_dual_table_write_keeps_attributes_that_only_the_row_has() -> None:
    world = World()
    request = {"TableName": CUSTOMERS, "Key": {"id": {"S": "c1"}}, "UpdateExpression": "SET fax = :fax"}
    world.engine.call("UpdateItem", request | {"ExpressionAttributeValues": {":fax": {"S": "1"}}})
    world.shop.put(Customer("c1", "Bea", "a@x"))
    assert world.row(CUSTOMERS, "c1") == {"id": "c1", "name": "Bea", "email": "a@x", "fax": "1"}


def test_a_dual_table_write_stores_a_missing_row_whole() -> None:
    world = World()
    world.engine.call("DeleteItem", {"TableName": CUSTOMERS, "Key": {"id": {"S": "c1"}}})
    world.shop.update(key(Customer, id="c1"), NAME.set("Bea"))
    assert world.row(CUSTOMERS, "c1") == ANN | {"name": "Bea"}


def test_a_dual_table_rejects_a_write_that_a_row_cannot_express() -> None:
    world = World()
    with pytest.raises(ItemRefused, match="order_of raised KeyError: 'status'; nothing was written"):
        world.shop.delete(key(Order, id="o1"))  # the note would need a row without an order
    with pytest.raises(ItemRefused, match="does not map to the written items"):
        world.shop.update(key(Order, id="o1"), STATUS.set("TEST"))  # the mapping leaves out tests
    assert world.row(ORDERS, "o1") == OPEN
    assert world.shop.get(key(Order, id="o1")) == Order("o1", "c1", "OPEN", "Ann")


def test_a_dual_table_is_not_written_before_all_rows_are_copied() -> None:
    world = World(is_copied=False)
    with pytest.raises(TableDiffers, match="in the stage 'backfill', so the table does not contain every row yet"):
        world.shop.put(Customer("c9", "Bea", "b@x"))
    assert world.row(CUSTOMERS, "c9") is None


def test_a_dual_table_rejects_writes_of_an_entity_without_a_row_function() -> None:
    customers = DynamoDBSource(CUSTOMERS, customer_of, row_of_customer)
    world = World(Consolidation(Shop, customers, DynamoDBSource(ORDERS, order_of, row_of_order)))
    world.shop.update(key(Order, id="o1"), STATUS.set("PAID"))
    with pytest.raises(ConsolidationRefused, match="orders has no function that returns the row of a Note"):
        world.shop.put(Note("o1", "x"))


def test_a_dual_table_rejects_writes_of_an_entity_from_a_file() -> None:
    customers = DynamoDBSource(CUSTOMERS, customer_of, row_of_customer)
    world = World(Consolidation(Shop, customers, JsonLinesSource("/dev/null", order_of, ("id",))))
    world.shop.update(key(Customer, id="c1"), NAME.set("Bea"))
    with pytest.raises(ConsolidationRefused, match="through the old system until"):
        world.shop.put(Order("o9", "c1", "OPEN"))


def test_a_dual_table_cannot_be_opened_without_its_source() -> None:
    engine = Engine("memory:")
    Shop.open(engine, create=True).close()
    with pytest.raises(ArgumentRefused, match="there is no table 'customers' next to the new table"):
        CONSOLIDATION.open(engine)


def test_a_dual_table_write_starts_again_if_another_writer_changes_item_and_row_between_its_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    writer = world.shop._opened().writer_of_both  # type: ignore[attr-defined]  # a dual table
    read_rows, others = writer.read_rows, [NAME.set("Bea"), NAME.set("Cid")]

    def read_after_another_write(places: Any) -> Any:
        if others:
            with CONSOLIDATION.open(world.engine) as other:
                other.update(key(Customer, id="c1"), others.pop(0))
        return (yield from read_rows(places))

    monkeypatch.setattr(writer, "read_rows", read_after_another_write)
    world.shop.update(key(Customer, id="c1"), NAME.set("Ann"))
    assert world.row(CUSTOMERS, "c1") == ANN
    assert world.shop.get(key(Customer, id="c1")) == Customer("c1", "Ann", "a@x", 1)


def test_a_dual_table_writes_items_without_rows_once_the_rows_are_retired() -> None:
    world = World()
    opened = world.shop._opened()
    items = opened.writer_of_both.items  # type: ignore[attr-defined]  # a dual table

    def enter(stage: Stage) -> None:
        state = run(items.state(), opened.session)
        run(items.change(state, replace(state, stage=stage)), opened.session)

    enter(Stage.CLOSING)
    with CONSOLIDATION.open(world.engine) as late, CONSOLIDATION.open(world.engine) as early:
        late.update(key(Order, id="o1"), STATUS.set("PAID"))
        enter(Stage.RETIRED)
        early.create(Order("o9", "c1", "OPEN"))
        early.create(Note("o9", "x"))
        assert world.row(ORDERS, "o9") is None
        late.put(Note("o9", "y"))
        assert late.get(key(Note, order_id="o9")) == Note("o9", "y")
