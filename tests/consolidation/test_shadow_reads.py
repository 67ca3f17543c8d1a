"""Shadow reads: which implementation serves, what a call never suffers from, and the life of the background work."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer  # type: ignore[import-untyped]

from examples.shop.model import Customer, Order, Shop
from examples.shop_tables import tables
from examples.shop_tables.old_shop_reads import ShopReads, customer_of
from singletable import (
    ArgumentRefused,
    ConsolidationRefused,
    DesignError,
    NotConnected,
    RequestRefused,
    Table,
    field,
    key,
    pattern,
    put,
)
from singletable.client.write.item_encoder import Encoder
from singletable.consolidation import ShadowReads, ShadowSettings, old_read, read_pattern_states, switch_mode
from singletable.consolidation.pattern_modes import Mode
from tests.client.places import OURS, server
from tests.consolidation.shop_reads import EVERY, RowReads, TwoShops, start, two_shops

CUSTOMER = "c000001"


@pytest.fixture
def shops() -> Iterator[TwoShops]:
    with two_shops() as found:
        yield found


def mark_new(shops: TwoShops) -> None:
    """Make the answers of the new implementation recognisable."""
    shops.new.update(key(Customer, id=CUSTOMER), field(Customer, lambda c: c.name).set("new"))


def switch(reads: ShadowReads, mode: Mode, name: str = "customer") -> None:
    switch_mode(reads.table, name, mode, calls_min=0)
    assert reads.refresh()


def replace_side(reads: ShadowReads, side: str, function: Callable[..., Any], name: str = "customer") -> None:
    vars(reads)[name]._sides[side] = function


def failing(*_: Any, **__: Any) -> Any:
    raise ValueError("boom")


def test_shadow_reads_serve_the_implementation_of_each_mode(shops: TwoShops) -> None:
    reads = shops.reads(replace(EVERY, sample=0.0))
    mark_new(shops)
    start(reads)
    assert reads.modes == dict.fromkeys(("customer", "orders_of_customer", "orders_with_sku", "whole_order"), "old")
    served = {}
    for mode in ("old", "shadow", "new", "done"):
        switch(reads, mode)
        found = reads.customer(CUSTOMER)
        assert found is not None
        served[mode] = found.name
    assert served == {"old": "Customer 1", "shadow": "Customer 1", "new": "new", "done": "new"}
    assert reads.modes["whole_order"] == "old"


def test_only_the_modes_shadow_and_new_read_the_other_implementation(shops: TwoShops) -> None:
    reads = shops.reads()
    start(reads)
    compared = {}
    for mode in ("old", "shadow", "new", "done"):
        switch(reads, mode)
        reads.customer(CUSTOMER)
        reads.customer("nobody")
        assert reads.drain()
        compared[mode] = read_pattern_states(shops.new)["customer"].compared
    assert compared == {"old": 0, "shadow": 2, "new": 2, "done": 2}, "the statistics of 'new' stay in 'done'"


def test_shadow_reads_show_calls_and_latencies_of_both_sides(shops: TwoShops) -> None:
    reads = shops.reads()
    start(reads, "orders_of_customer")
    for _ in range(10):
        reads.orders_of_customer(CUSTOMER)
    assert reads.drain()
    state = read_pattern_states(shops.new)["orders_of_customer"]
    assert (state.calls, state.compared, state.clean_calls, state.mismatches, state.errors) == (10, 10, 10, 0, 0)
    for latency in (state.old, state.new):
        half, most = latency.percentile(0.5), latency.percentile(0.99)
        assert half is not None
        assert most is not None
        assert 0 < half <= most < 60
    assert sum(state.old.buckets.values()) == 10


def test_shadow_reads_add_the_statistics_of_several_processes(shops: TwoShops) -> None:
    first, second = shops.reads(), shops.reads()
    start(first, "customer")
    assert second.refresh()
    for reads in (first, second):
        for _ in range(5):
            reads.customer(CUSTOMER)
        assert reads.drain()
    state = read_pattern_states(shops.new)["customer"]
    assert (state.calls, state.compared) == (10, 10)


def test_shadow_reads_discard_the_counts_of_an_earlier_round(shops: TwoShops) -> None:
    reads = shops.reads(replace(EVERY, refresh_seconds=1000.0, flush_seconds=1000.0))
    start(reads, "customer")
    reads.customer(CUSTOMER)
    switch_mode(shops.new, "customer", "shadow")
    assert reads.drain()
    assert read_pattern_states(shops.new)["customer"].calls == 0
    assert reads.refresh()
    reads.customer(CUSTOMER)
    assert reads.drain()
    assert read_pattern_states(shops.new)["customer"].calls == 1


def test_shadow_reads_compare_a_share_of_the_calls(shops: TwoShops) -> None:
    reads = shops.reads(replace(EVERY, sample=0.2))
    start(reads, "customer")
    for _ in range(300):
        reads.customer(CUSTOMER)
        assert reads.drain()
    state = read_pattern_states(shops.new)["customer"]
    assert state.calls == 300
    assert 20 < state.compared < 120


def test_shadow_reads_count_a_difference_that_disappears_as_timing(
    shops: TwoShops, caplog: pytest.LogCaptureFixture
) -> None:
    reads = shops.reads()
    start(reads, "customer")
    row = {**(shops.old.customer(CUSTOMER) or {}), "name": "later"}
    shops.put_row(tables.CUSTOMERS, row)
    served = reads._patterns["customer"]
    read_old = vars(reads)["customer"]._sides["old"]
    calls: list[str] = []

    def read_after_write(id: str) -> Customer | None:
        calls.append(id)
        if len(calls) == 2:  # the first read again: the write reaches the new table now
            shops.new.put(customer_of(row))
        found: Customer | None = read_old(id)
        return found

    replace_side(reads, "old", read_after_write)
    reads.customer(CUSTOMER)
    assert reads.drain()
    state = read_pattern_states(shops.new)["customer"]
    assert (state.compared, state.mismatches, state.kinds["timing"], state.clean_calls) == (1, 0, 1, 1)
    assert "differ" not in caplog.text
    assert served.mode == "shadow"


def test_shadow_reads_count_rows_that_change_all_the_time_as_no_mismatch(shops: TwoShops) -> None:
    reads = shops.reads()
    start(reads, "customer")
    row = shops.old.customer(CUSTOMER) or {}
    versions = iter(range(1000))

    def read_and_change(id: str) -> Customer | None:
        return customer_of({**row, "name": f"version {next(versions)}"})

    replace_side(reads, "old", read_and_change)
    replace_side(reads, "new", read_and_change)
    for _ in range(5):
        reads.customer(CUSTOMER)
    assert reads.drain()
    state = read_pattern_states(shops.new)["customer"]
    assert (state.mismatches, state.kinds["timing"]) == (0, 5)


def write_both(shops: TwoShops, order: Order) -> None:
    """Write an order into the old and the new table in one transaction."""
    row = {**order.model_dump(), "created_at": tables.time_text(order.created_at)}
    old = {name: TypeSerializer().serialize(value) for name, value in row.items()}
    new = Encoder(Shop.design, Shop.design.entity_of(Order)).item(row | {"created_at": order.created_at})
    puts = [{"Put": {"TableName": name, "Item": item}} for name, item in ((tables.ORDERS, old), ("Shop", new))]
    shops.client.transact_write_items(TransactItems=puts)


def test_shadow_reads_count_writes_to_both_tables_at_the_same_time_as_no_mismatch(shops: TwoShops) -> None:
    reads = shops.reads(replace(EVERY, cpu_share=1.0, queue_max=1000))
    start(reads, "orders_of_customer", "whole_order")
    ids = [order.id for order in shops.new.orders_of_customer(CUSTOMER, limit=3)]
    ended = Event()

    def write() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            at = datetime(2027, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
            id = ids[number % 3] if number % 4 else f"later-{number}"
            total = Decimal(number)
            write_both(shops, Order(id=id, customer_id=CUSTOMER, status="NEW", total=total, created_at=at))

    writer = Thread(target=write)
    writer.start()
    try:
        for number in range(60):
            reads.orders_of_customer(CUSTOMER)
            reads.whole_order(ids[number % 3])
    finally:
        ended.set()
        writer.join()
    assert reads.drain()
    for name in ("orders_of_customer", "whole_order"):
        state = read_pattern_states(shops.new)[name]
        assert (state.compared, state.mismatches, state.errors) == (60, 0, 0), state.differences
        assert sum(state.kinds.values()) == state.kinds["timing"]


def test_shadow_reads_never_delay_a_call_and_bound_their_queue(shops: TwoShops) -> None:
    reads = shops.reads(replace(EVERY, queue_max=5, cpu_share=1.0))
    start(reads, "customer")
    begun, go_on = Event(), Event()
    read_new = vars(reads)["customer"]._sides["new"]

    def wait(id: str) -> Any:
        begun.set()
        assert go_on.wait(60)
        return read_new(id)

    replace_side(reads, "new", wait)
    reads.customer(CUSTOMER)
    assert begun.wait(60)
    for _ in range(20):
        assert reads.customer(CUSTOMER) is not None
    go_on.set()
    assert reads.drain()
    state = read_pattern_states(shops.new)["customer"]
    assert (state.calls, state.compared, state.dropped) == (21, 6, 15)


def test_shadow_reads_keep_differences_of_all_patterns_although_one_has_many(shops: TwoShops) -> None:
    reads = shops.reads(replace(EVERY, queue_max=3, recheck_seconds=(1000.0,)))
    start(reads, "customer", "whole_order")
    mark_new(shops)
    for _ in range(10):
        reads.customer(CUSTOMER)
    compared = Event()
    read_new = vars(reads)["whole_order"]._sides["new"]

    def read_and_set(order_id: str) -> Any:
        compared.set()
        return read_new(order_id)

    replace_side(reads, "new", read_and_set, "whole_order")
    reads.whole_order(tables.order_id(1))
    assert compared.wait(60)
    reads.close()
    states = read_pattern_states(shops.new)
    assert (states["customer"].compared, states["customer"].dropped) == (0, 10)
    assert (states["whole_order"].compared, states["whole_order"].dropped) == (1, 0)


def test_shadow_reads_never_fail_a_call_for_an_error_of_the_new_implementation(
    shops: TwoShops, caplog: pytest.LogCaptureFixture
) -> None:
    reads = shops.reads()
    start(reads, "customer")
    replace_side(reads, "new", failing)
    with caplog.at_level(logging.WARNING, "singletable.consolidation"):
        assert reads.customer(CUSTOMER) is not None
        assert reads.drain()
    state = read_pattern_states(shops.new)["customer"]
    assert (state.calls, state.errors, state.mismatches) == (1, 1, 0)
    assert state.error_rate == 1.0
    assert "Shop.customer: the new implementation failed with ValueError" in caplog.text
    assert "boom" not in caplog.text, "the message of an error can contain values"
    with pytest.raises(ConsolidationRefused, match=r"fails in 100\.0% of the calls, more than 1%"):
        switch_mode(shops.new, "customer", "new", calls_min=0)


def test_shadow_reads_raise_errors_of_the_old_implementation(shops: TwoShops) -> None:
    reads = shops.reads()
    start(reads, "customer")
    replace_side(reads, "old", failing)
    with pytest.raises(ValueError, match="boom"):
        reads.customer(CUSTOMER)
    assert reads.drain()
    assert read_pattern_states(shops.new)["customer"].errors == 0


def test_shadow_reads_return_the_old_result_if_the_new_implementation_fails(shops: TwoShops) -> None:
    reads = shops.reads()
    start(reads, "customer")
    switch(reads, "new")
    expected = reads.customer(CUSTOMER)
    replace_side(reads, "new", failing)
    assert reads.customer(CUSTOMER) == expected
    assert reads.modes["customer"] == "new", "one error of two calls is too few to judge"
    replace_side(reads, "old", failing)
    with pytest.raises(ValueError, match="boom"):
        reads.customer(CUSTOMER)
    assert reads.drain()
    assert read_pattern_states(shops.new)["customer"].errors == 1, "an error of both sides is not counted"


def test_shadow_reads_fall_back_if_the_new_implementation_fails_too_often(
    shops: TwoShops, caplog: pytest.LogCaptureFixture
) -> None:
    reads, other = shops.reads(replace(EVERY, error_rate_max=0.2, error_calls_min=10)), shops.reads()
    start(reads, "customer")
    switch(reads, "new")
    assert other.refresh()
    for _ in range(20):
        reads.customer(CUSTOMER)
    replace_side(reads, "new", failing)
    with caplog.at_level(logging.WARNING, "singletable.consolidation"):
        for _ in range(6):
            assert reads.modes["customer"] == "new"
            assert reads.customer(CUSTOMER) is not None
    assert reads.modes["customer"] == "old", "at once in this process"
    assert "6 of 26 calls failed in the new implementation; the old implementation serves" in caplog.text
    assert reads.refresh()
    assert other.refresh()
    assert other.modes["customer"] == reads.modes["customer"] == "old"
    state = read_pattern_states(shops.new)["customer"]
    assert (state.mode, state.reason) == ("old", "6 of 26 calls failed in the new implementation")


def test_a_fall_back_of_shadow_reads_does_not_undo_a_later_switch(shops: TwoShops) -> None:
    reads = shops.reads(replace(EVERY, error_rate_max=0.2, error_calls_min=2, refresh_seconds=1000.0))
    start(reads, "customer")
    switch(reads, "new")
    switch_mode(shops.new, "customer", "shadow")
    replace_side(reads, "new", failing)
    for _ in range(2):
        reads.customer(CUSTOMER)
    assert reads.refresh()
    assert reads.modes["customer"] == "shadow"
    assert read_pattern_states(shops.new)["customer"].reason == ""


def test_the_implementation_that_issued_a_cursor_reads_the_next_page(shops: TwoShops) -> None:
    reads = shops.reads()
    start(reads, "orders_of_customer")
    every = [order.id for order in shops.new.orders_of_customer.all(CUSTOMER)]
    assert len(every) > 6
    old_page = reads.orders_of_customer(CUSTOMER, limit=2)
    switch(reads, "new", "orders_of_customer")
    new_page = reads.orders_of_customer(CUSTOMER, limit=2, cursor=old_page.cursor)
    assert [order.id for order in new_page] == every[2:4]
    first = reads.orders_of_customer(CUSTOMER, limit=2)
    switch(reads, "old", "orders_of_customer")
    assert [order.id for order in reads.orders_of_customer(CUSTOMER, limit=2, cursor=first.cursor)] == every[2:4]
    assert reads.drain()
    assert read_pattern_states(shops.new)["orders_of_customer"].mismatches == 0


def test_shadow_reads_convert_the_new_result_for_an_application_with_rows(shops: TwoShops) -> None:
    with RowReads(shops.new, shops.old) as reads:
        assert reads.product("SKU-00001") == shops.old.product("SKU-00001")
        assert reads.drain()
        switch(reads, "shadow", "product")
        reads.product("SKU-00001")
        reads.product("nothing")
        assert reads.drain()
        state = read_pattern_states(shops.new)["product"]
        assert (state.compared, state.mismatches) == (2, 0), state.differences
        shops.old.change_price("SKU-00001", 7)  # type: ignore[arg-type]  # boto3 accepts an int
        reads.product("SKU-00001")
        assert reads.drain()
        (found,) = read_pattern_states(shops.new)["product"].differences
        assert (found.kind, found.key, found.field, found.old) == ("value", "sku='SKU-00001'", "price", "Decimal('7')")
        switch_mode(shops.new, "product", "shadow")
        switch(reads, "new", "product")
        row = reads.product("SKU-00001")
        assert row is not None
        assert "description" not in row


def test_shadow_reads_compare_asyncio_reads_on_the_event_loop(shops: TwoShops) -> None:
    async def use() -> None:
        async with RowReads(shops.new, shops.old) as reads:
            assert await reads.customer(CUSTOMER) is not None
            assert await reads.drain_async()
            switch_mode(shops.new, "customer", "shadow")
            assert await reads.refresh_async()
            await asyncio.gather(*(reads.customer(tables.customer_id(number)) for number in range(1, 11)))
            assert await reads.drain_async()
            mark_new(shops)
            found = await reads.customer(CUSTOMER)
            assert found is not None
            assert found.name == "Customer 1"
            assert await reads.drain_async()
            switch_mode(shops.new, "customer", "shadow")
            switch_mode(shops.new, "customer", "new", calls_min=0)
            assert await reads.refresh_async()
            found = await reads.customer(CUSTOMER)
            assert found is not None
            assert found.name == "new"

    states: dict[str, int] = {}

    async def use_and_look() -> None:
        await use()
        states["mismatches"] = read_pattern_states(shops.new)["customer"].mismatches

    asyncio.run(use_and_look())
    assert asyncio.run(_still_works(shops))


async def _still_works(shops: TwoShops) -> bool:
    """Use a second event loop after the first one has ended."""
    reads = RowReads(shops.new, shops.old)
    try:
        return await reads.customer(CUSTOMER) is not None and await reads.drain_async()
    finally:
        await reads.close_async()


def test_a_mismatch_of_asyncio_reads_is_found(shops: TwoShops) -> None:
    async def use() -> None:
        async with RowReads(shops.new, shops.old) as reads:
            await reads.customer(CUSTOMER)
            assert await reads.drain_async()
            switch_mode(shops.new, "customer", "shadow")
            assert await reads.refresh_async()
            mark_new(shops)
            await reads.customer(CUSTOMER)
            assert await reads.drain_async()

    asyncio.run(use())
    state = read_pattern_states(shops.new)["customer"]
    assert (state.compared, state.mismatches, state.differences[0].field) == (1, 1, "name")


def test_closing_the_table_stores_the_counts_and_ends_the_reads() -> None:
    with two_shops() as shops:
        with Shop.open(shops.engine) as table:
            reads = ShopReads(table, shops.old, replace(EVERY, flush_seconds=1000.0))
            start(reads, "customer")
            reads.customer(CUSTOMER)
        assert read_pattern_states(shops.new)["customer"].calls == 1
        with pytest.raises(NotConnected, match="ShopReads is closed"):
            reads.customer(CUSTOMER)
        with pytest.raises(NotConnected, match="ShopReads is closed"):
            reads.drain()
        reads.close()


def test_closing_an_asyncio_table_closes_its_reads(shops: TwoShops) -> None:
    async def use() -> RowReads:
        async with await Shop.open_async(shops.engine) as table:
            reads = RowReads(table, shops.old)
            await reads.customer(CUSTOMER)
        return reads

    reads = asyncio.run(use())
    with pytest.raises(NotConnected):
        asyncio.run(reads.customer(CUSTOMER))
    assert read_pattern_states(shops.new)["customer"].mode == "old"


def test_shadow_reads_of_a_process_that_cannot_store_its_counts_serve_and_warn_once(
    shops: TwoShops, caplog: pytest.LogCaptureFixture
) -> None:
    reads = shops.reads()
    start(reads, "customer")
    allowed = shops.new._opened().session.transport
    sent: list[str] = []

    class ReadOnly:
        name = allowed.name

        def send(self, operation: str, body: bytes) -> bytes:
            sent.append(operation)
            if operation in ("UpdateItem", "TransactWriteItems"):
                raise RequestRefused("AccessDeniedException", "not allowed")
            return allowed.send(operation, body)

        def close(self) -> None:
            allowed.close()

    shops.new._opened().session.transport = ReadOnly()  # type: ignore[assignment]  # the part that sync calls use
    for _ in range(3):
        assert reads.customer(CUSTOMER) is not None
        assert not reads.drain()
    assert caplog.text.count("cannot be read or stored (AccessDeniedException)") == 1
    assert "UpdateItem on the items $singletable#consolidation#*" in caplog.text
    shops.new._opened().session.transport = allowed
    assert reads.drain()
    assert read_pattern_states(shops.new)["customer"].calls == 3, "the counts were not lost"


def test_shadow_reads_without_modes_fail_the_first_call_only(shops: TwoShops) -> None:
    reads = shops.reads(replace(EVERY, refresh_seconds=1000.0))
    allowed = shops.new._opened().session.transport

    class Denied:
        name = allowed.name

        def send(self, operation: str, body: bytes) -> bytes:
            raise RequestRefused("AccessDeniedException", "not allowed")

        def close(self) -> None:
            allowed.close()

    shops.new._opened().session.transport = Denied()  # type: ignore[assignment]  # the part that sync calls use
    with pytest.raises(RequestRefused, match="not allowed"):
        reads.customer(CUSTOMER)
    shops.new._opened().session.transport = allowed
    assert reads.customer(CUSTOMER) is not None
    shops.new._opened().session.transport = Denied()  # type: ignore[assignment]  # as above
    reads._updates.stale_at = 0.0  # as after a long pause of the process
    assert reads.customer(CUSTOMER) is not None
    shops.new._opened().session.transport = allowed


FORKED = """
import os, sys, boto3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from tests.consolidation.shop_reads import *
from singletable.consolidation import read_pattern_states

place = {"endpoint_url": sys.argv[1], "region_name": "us-east-1"}
place |= {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
client, resource = boto3.client("dynamodb", **place), boto3.resource("dynamodb", **place)
tables.create_tables(client)
tables.fill(client, 50)
shop = Shop.open(sys.argv[1], create=True)
shop.put_many(objects(50))
reads = ShopReads(shop, ShopApplication(client, resource), replace(EVERY, flush_seconds=1000.0))
start(reads, "customer")
reads.customer("c000001")
reads.customer("c000001")
child = os.fork()
if child == 0:
    reads.customer("c000002")
    print("child", reads.drain(), flush=True)
    reads.close()
    os._exit(0)
os.waitpid(child, 0)
print("parent", reads.drain(), flush=True)
state = read_pattern_states(shop)["customer"]
print(state.calls, state.compared, state.mismatches, flush=True)
shop.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_shadow_reads_of_a_forked_process_compare_and_count_its_own_calls(tmp_path: Path) -> None:
    with server(OURS, tmp_path) as url:
        root = Path(__file__).resolve().parents[2]
        environment = {**os.environ, "PYTHONPATH": str(root)}
        run = subprocess.run(
            [sys.executable, "-c", FORKED, url],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
            cwd=root,
            env=environment,
        )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["child True", "parent True", "3 3 0"]


class Writes(Table, entities=[Customer], name="Shop"):
    """A model with a pattern that writes."""

    @pattern()
    def add(self, value: Customer) -> Customer:
        """Add a customer."""
        return put(Customer)


def test_declarations_of_old_reads_are_checked() -> None:
    with pytest.raises(DesignError, match=r"the parameters are \(ident\), but the pattern has \(id\)"):

        class Wrong(ShadowReads):
            @old_read(Shop.customer)  # type: ignore[arg-type]  # the type checker reports it too
            def customer(self, ident: str) -> Customer | None:
                return None

    with pytest.raises(DesignError, match="the pattern is a write"):

        class WrongToo(ShadowReads):
            @old_read(Writes.add)
            def add(self, value: Customer) -> Customer:
                return value


def test_settings_and_tables_of_shadow_reads_are_checked(shops: TwoShops) -> None:
    for settings in ({"sample": 2}, {"error_rate_max": -1}, {"queue_max": 0}, {"recheck_seconds": ()}):
        with pytest.raises(ArgumentRefused):
            ShadowSettings(**settings)
    with pytest.raises(ArgumentRefused, match=r"old_read\(Shop.customer\): sample must be from 0 to 1, got 5"):
        old_read(Shop.customer, sample=5)
    with pytest.raises(ArgumentRefused, match=r"ShadowReads has no method with @old_read"):
        ShadowReads(shops.new)

    class Forgetful(ShopReads):
        def __init__(self) -> None:
            """Do not call the base class."""

    with pytest.raises(TypeError, match=r"Forgetful.__init__ must call super\(\).__init__\(table\)"):
        Forgetful().customer(CUSTOMER)
