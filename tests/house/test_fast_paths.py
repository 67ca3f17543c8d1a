"""Common requests take every fast path and miss none, so that a fast path that stops working fails a test."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import BaseModel

from singletable import Page, Table, entity, field, get, key, pattern, query, update
from singletable.conformance.item_comparison import ItemComparer
from singletable.conformance.scan_items import ItemScan
from singletable.engine import Engine
from singletable.engine.http.request_handler import Service
from singletable.engine.http.server import Server, listen
from singletable.values.fast_path import FastPathCounts, compiled_module, fast_path_counts

SOURCE = Path(__file__).resolve().parents[2] / "src" / "singletable"
SECONDS_MAX = 20
ROWS = "singletable.client.items._fast_rows"
FAST_PATHS = {
    # A module name: the fast path exists only where that module is compiled. None: it is Python code, or has Python
    # code that replaces the module.
    "HTTP responses": None,
    "compared items": ROWS,
    "compiled rows": ROWS,
    "encoded items": None,
    "index keys": None,
    "item keys": None,
    "item sizes": None,
    "objects of rows": None,
    "repeated queries": None,
    "returned items": ROWS,
    "row checksums": None,
    "set fields": None,
    "single items": None,
    "stored keys": None,
    "validated items": ROWS,
    "validated objects": ROWS,
    "writes without a read": None,
}


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "{id}"), gsi2=("STATUS#{status}", "{id}"))
class Order(BaseModel):
    id: str
    customer_id: str
    status: str
    total: Decimal
    created_at: datetime
    tags: list[str]
    note: str | None = None


@entity(key=("CUST#{id}", "METADATA"), version="version")
@dataclass
class Customer:
    id: str
    name: str
    version: int = 0


class Shop(Table, entities=[Order, Customer]):
    @pattern()
    def order(self, id: str) -> Order | None:
        return get(Order)

    @pattern()
    def orders_of_customer(self, customer_id: str) -> Page[Order]:
        return query(Order)

    @pattern()
    def set_status(self, id: str, status: str) -> Order:
        return update(Order, field(Order, lambda o: o.status).set(status))


def order(number: int) -> Order:
    return Order(
        id=f"o{number}",
        customer_id="c1",
        status="OPEN",
        total=Decimal("19.99"),
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        tags=["a", "b"],
    )


def compare_orders(shop: Shop) -> None:
    """Compare every stored order with the model."""
    opened, comparer = shop._opened(), ItemComparer(Shop.design)
    for page in ItemScan(opened.session, opened.reader.name).pages():
        orders = [each for each in page if each.item["entity_type"] == {"S": "Order"}]
        assert not any(comparer.compare(*each).problems for each in orders)


def use(shop: Shop, customer_id: str) -> None:
    """Call the common reads and writes of a table."""
    shop.put_many([order(number) for number in range(30)])
    shop.put(order(1))
    compare_orders(shop)
    assert shop.order("o1") == order(1)
    assert len(list(shop.orders_of_customer("c1"))) == 30
    assert len(shop.get_many([key(Order, id="o1"), key(Order, id="o2")])) == 2
    assert shop.set_status("o1", "OPEN") == order(1)
    assert shop.update(key(Order, id="o1"), field(Order, lambda o: o.note).set(None)) == order(1)
    customer = shop.create(Customer(customer_id, "Ada"))
    shop.put(customer)
    shop.delete(key(Order, id="o2"))


async def use_async(shop: Shop) -> None:
    await shop.aio.put(order(1))
    assert await shop.order.aio("o1") == order(1)


def use_engine(engine: Engine) -> None:
    """Send requests to a table without indexes, as boto3 sends them: without ReturnConsumedCapacity."""
    item = {"pk": {"S": "a"}, "n": {"N": "42"}, "m": {"M": {"x": {"L": [{"BOOL": True}]}}}}
    engine.call("PutItem", {"TableName": "table", "Item": item})
    engine.call("GetItem", {"TableName": "table", "Key": {"pk": {"S": "a"}}})
    engine.call("BatchWriteItem", {"RequestItems": {"table": [{"PutRequest": {"Item": item}}]}})
    engine.call("DeleteItem", {"TableName": "table", "Key": {"pk": {"S": "a"}}})


@contextmanager
def serving() -> Iterator[str]:
    """Run a server in this process, so that its counters are visible, and yield its URL."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    with Engine("memory:") as engine:
        server, listening = Server(Service(engine)), listen("127.0.0.1", 0)
        asyncio.run_coroutine_threadsafe(server.start(listening), loop).result(SECONDS_MAX)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(), loop).result(SECONDS_MAX)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(SECONDS_MAX)
            loop.close()


def counts_of(work: Callable[[str], None]) -> dict[str, FastPathCounts]:
    """Return the counts of the second of two runs; the first prepares fast paths, such as those of repeated queries."""
    work("first")
    before = fast_path_counts()
    work("second")
    after = fast_path_counts()
    none = FastPathCounts(0, 0)
    return {
        name: FastPathCounts(each.hits - before.get(name, none).hits, each.misses - before.get(name, none).misses)
        for name, each in after.items()
    }


@pytest.fixture(scope="module")
def in_memory() -> dict[str, FastPathCounts]:
    """The counts of common requests to tables in memory."""
    with Shop.open("memory:") as shop, Engine("memory:") as engine:
        engine.call(
            "CreateTable",
            {
                "TableName": "table",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )

        def work(name: str) -> None:
            use(shop, name)
            use_engine(engine)

        return counts_of(work)


@pytest.fixture(scope="module")
def over_http() -> dict[str, FastPathCounts]:
    """The counts of common requests over HTTP."""
    with serving() as url, Shop.open(url, create=True) as shop:

        def work(name: str) -> None:
            use(shop, name)
            asyncio.run(use_async(shop))

        return counts_of(work)


def skip_without_module(name: str) -> None:
    module = FAST_PATHS[name]
    if module is not None and compiled_module(module) is None:
        pytest.skip(f"the fast path {name!r} needs {module}, which is not built or disabled")


def test_every_fast_path_is_tested_here() -> None:
    sources = (path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py")))
    assert {name for text in sources for name in re.findall(r'= FastPath\("([^"]+)"\)', text)} == FAST_PATHS.keys()


@pytest.mark.parametrize("name", sorted(FAST_PATHS.keys() - {"HTTP responses"}))
def test_common_requests_in_memory_take_the_fast_path(name: str, in_memory: dict[str, FastPathCounts]) -> None:
    skip_without_module(name)
    assert in_memory[name].hits > 0
    assert in_memory[name].misses == 0


@pytest.mark.parametrize("name", sorted(FAST_PATHS.keys() - {"writes without a read"}))
def test_common_requests_over_http_take_the_fast_path(name: str, over_http: dict[str, FastPathCounts]) -> None:
    skip_without_module(name)
    assert over_http[name].hits > 0
    assert over_http[name].misses == 0


def test_metrics_show_the_counts_of_fast_paths() -> None:
    with Shop.open("memory:") as shop:
        before = shop.metrics.fast_paths["item sizes"].hits
        shop.put(order(1))
        assert shop.metrics.fast_paths["item sizes"].hits > before
        shop.metrics.reset()
        assert shop.metrics.fast_paths["item sizes"].hits > before
