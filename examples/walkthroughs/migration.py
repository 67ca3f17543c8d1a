"""Move the shop from four tables to one in eight steps, while it runs and its processes are killed."""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from typing import Any

from singletable.cli.consolidate_mode import print_states
from singletable.cli.consolidate_retire import print_retired
from singletable.cli.main import main as singletable
from singletable.cli.output import print_table
from singletable.client.request_steps import run
from singletable.consolidation import Consolidation, ShadowSettings, old_read, read_pattern_states, switch_mode
from singletable.consolidation.consolidation_run import ConsolidationRun, ConsolidationSettings
from singletable.consolidation.pattern_modes import Mode
from singletable.consolidation.retirement import RetiredTable, retire
from singletable.engine import Engine
from singletable.errors import ConsolidationRefused

from ..shop.model import Product, Shop
from ..shop_tables import tables
from ..shop_tables.consolidation import CONSOLIDATION, product_of
from ..shop_tables.killed_processes import FILE, ShopProcesses
from ..shop_tables.old_shop_reads import ShopReads
from ..shop_tables.recording import record
from ..shop_tables.shop_application import ShopApplication
from ..shop_tables.traffic import ShopTraffic

ROWS = 15_000
RUNNER_KILLS, SECONDS_BEFORE_KILL = 3, (0.5, 2.0)
SPEED = 40.0
"""The clocks of the clients run faster, so that they notice the next stage within a second, not within 30 seconds."""
WAIT_SECONDS = 90.0 / SPEED
TRAFFIC_SECONDS = 1.5
COMPARED_CALLS, KNOWN_ROWS = 100, 200
PATTERNS = ("customer", "product", "orders_of_customer", "whole_order", "orders_with_sku")
SHADOW = ShadowSettings(sample=1.0, cpu_share=1.0, queue_max=1000, recheck_seconds=(0.1, 0.5, 1.0))
"""Compare every call. A difference is read again, because the application writes meanwhile."""
MODEL = "shop.py"


class _Reads(ShopReads):
    """The reads of the shop, with the products."""

    @old_read(Shop.product)
    def product(self, sku: str) -> Product | None:
        row: Any = self.old.product(sku)
        return None if row is None else product_of(row)


def main(rows: int = ROWS, seconds_before_kill: tuple[float, float] = SECONDS_BEFORE_KILL, seed: int = 1) -> None:
    """Run the walkthrough in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        _record(Path(folder))
        _walk(Path(folder), rows, seconds_before_kill, seed)


def _record(folder: Path) -> None:
    """Show the steps 1 and 2."""
    print("The shop is a boto3 application with four tables: customers, products, orders and order items.\n")
    print("1. CATALOGUE: which requests does the application send?")
    print('   with install("catalogue.jsonl"): ...   records 300 calls of the application\n')
    recording, worksheet = folder / "catalogue.jsonl", folder / "shop.md"
    record(recording)
    _show("singletable catalogue catalogue.jsonl --output shop.md", ["catalogue", str(recording)], lines=18)
    _output(["catalogue", str(recording), "--output", str(worksheet)])
    print(
        "\n2. DESIGN: shop.md is a worksheet with a row for each pattern. People correct it, and `design` reads it.\n"
    )
    command = ["design", str(worksheet), "--output", str(folder / MODEL)]
    _show(f"singletable design shop.md --output {MODEL}", command, lines=16)


def _walk(folder: Path, rows: int, seconds_before_kill: tuple[float, float], seed: int) -> None:
    store = f"file:{folder / 'shop.db'}"
    _fill(store, rows)
    print("\n   From here on, the walkthrough uses the finished model of the example, without the slow reads.")
    print(f"   Its table is created. It is empty; the four tables have {rows:,} rows.\n")
    print("3. SOURCES: for each old table, one function maps a row to an entity, and one maps it back.\n")
    _show("singletable consolidate plan consolidation.py file:shop.db", ["consolidate", "plan", FILE, store])
    with ShopProcesses(folder, seed, processes=2, speed=SPEED) as shop:
        time.sleep(1.0)
        print("\n4. DUAL WRITE: install(shop, client) sends each write to both sides, in one transaction.")
        print("   Two processes of the application read and write the old tables from now on.")
        _backfill(shop, seconds_before_kill)
        with _reads(store) as (reads, customers):
            _compare(reads, customers)
            _show_writes(shop, store)
            _cut_over(reads)
        _retire(shop, store)


def _fill(store: str, rows: int) -> None:
    engine = Engine(store)
    client = engine.boto3_client()
    tables.create_tables(client)
    tables.fill(client, rows)
    Shop.open(engine, create=True).close()
    engine.close()


def _backfill(shop: ShopProcesses, seconds_before_kill: tuple[float, float]) -> None:
    print("\n5. BACKFILL: copy the rows. Processes are killed at random; the next run continues.\n")
    started = time.monotonic()
    print("$ singletable consolidate run consolidation.py file:shop.db --yes")
    print(shop.run(RUNNER_KILLS, seconds_before_kill).rstrip())
    killed = ", ".join(f"{name} {number} times" for name, number in sorted(shop.killed.items()))
    print(f"   {time.monotonic() - started:.0f} seconds; killed meanwhile: {killed}")
    print("   The application now writes through the old tables and through the new table.")
    time.sleep(TRAFFIC_SECONDS)
    shop.kill_one()
    time.sleep(TRAFFIC_SECONDS)
    shop.check()


@contextlib.contextmanager
def _reads(store: str) -> Generator[tuple[ShopReads, Any]]:
    """Yield the reads of the application, each with an old and a new implementation, and the old customers."""
    engine = Engine(store)
    resource = engine.boto3_resource()
    with Shop.open(engine) as table:
        reads = _Reads(table, ShopApplication(engine.boto3_client(), resource), SHADOW)
        reads.customer(tables.customer_id(1))  # the first call stores the names of the patterns
        reads.drain()
        yield reads, resource.Table(tables.CUSTOMERS)
    engine.close()


def _call_all(reads: Any, mode: Mode) -> None:
    """Switch all patterns to a mode, and call each of them while the application writes."""
    for pattern in PATTERNS:
        switch_mode(reads.table, pattern, mode)
    reads.refresh()
    traffic = ShopTraffic(reads, tables.rows(KNOWN_ROWS))
    for _ in range(COMPARED_CALLS):
        for pattern in PATTERNS:
            traffic.call(pattern)
    reads.drain()


def _compare(reads: ShopReads, customers: Any) -> None:
    print("\n6. SHADOW READS: the old tables answer each call, and the new table is compared in the background.\n")
    _call_all(reads, "shadow")
    print(f"$ singletable consolidate mode {MODEL} file:shop.db")
    print_states(read_pattern_states(reads.table))
    print("\n   A script changes a row without install(). The comparison finds it, and blocks the cut-over:\n")
    name = _rename(customers, "Changed by a script")
    reads.customer(tables.customer_id(1))
    reads.drain()
    print(f"$ singletable consolidate mode {MODEL} file:shop.db customer new")
    try:
        switch_mode(reads.table, "customer", "new")
    except ConsolidationRefused as problem:
        print(f"singletable: {problem}")
    _rename(customers, name)
    print("\n   The row is corrected, and the pattern is compared again from the start.")
    switch_mode(reads.table, "customer", "shadow")


def _rename(customers: Any, name: str) -> str:
    """Change the first customer in its old table only. Return its name before."""
    found: dict[str, Any] = customers.update_item(
        Key={"id": tables.customer_id(1)},
        UpdateExpression="SET #n = :n",
        ExpressionAttributeNames={"#n": "name"},
        ExpressionAttributeValues={":n": name},
        ReturnValues="UPDATED_OLD",
    )
    return str(found["Attributes"]["name"])


def _cut_over(reads: ShopReads) -> None:
    print(
        "\n7. CUT OVER: the new table answers each call, and the old tables are compared. Then the comparison ends.\n"
    )
    _call_all(reads, "shadow")
    _call_all(reads, "new")
    for pattern in PATTERNS:
        switch_mode(reads.table, pattern, "done")
    print(f"$ singletable consolidate mode {MODEL} file:shop.db customer new   (for each pattern; later: done)")
    print_states(read_pattern_states(reads.table))


def _retire(shop: ShopProcesses, store: str) -> None:
    print("\n8. RETIRE: refused until every pattern was clean for the time and the calls that the plan states.\n")
    engine = Engine(store)
    print("$ singletable consolidate retire consolidation.py file:shop.db --yes")
    try:
        _end_dual_writes(CONSOLIDATION, engine)
    except ConsolidationRefused as problem:
        print(f"singletable: {problem}")
    print("\n   The plan changes to clean_time=timedelta(0), clean_calls=100, new_patterns=['customers_by_signup'].")
    print("   A new release of the application writes only the new table.\n")
    shop.release(new_share=1.0)
    time.sleep(TRAFFIC_SECONDS)
    sources = [mapping.source for mapping in CONSOLIDATION.mappings]
    plan = Consolidation(
        Shop, *sources, clean_time=timedelta(0), clean_calls=COMPARED_CALLS, new_patterns=["customers_by_signup"]
    )
    print("$ singletable consolidate retire consolidation.py file:shop.db --yes")
    print_retired(_end_dual_writes(plan, engine))
    engine.close()
    time.sleep(TRAFFIC_SECONDS)
    shop.check()
    written = shop.written()
    print(
        f"\nNo call of the application has failed. {_in_new(store, written):,} of the {len(written):,} products that it"
    )
    print("has written from step 4 on are in the new table.")


def _end_dual_writes(consolidation: Consolidation[Shop], engine: Engine) -> list[RetiredTable]:
    with consolidation.open(engine) as table:
        settings = ConsolidationSettings(wait_seconds=WAIT_SECONDS)
        steps = retire(ConsolidationRun(consolidation, table, settings), read_pattern_states(table))
        return run(steps, table._opened().session)


def _show_writes(shop: ShopProcesses, store: str) -> None:
    """Print the comparison of both sides, and how many writes of the application each of them has."""
    print("\n$ singletable consolidate verify consolidation.py file:shop.db")
    print(shop.verify())
    written = shop.written()
    engine = Engine(store)
    old = {row["sku"]["S"]: row["price"]["N"] for row in _rows(engine.boto3_client())}
    engine.close()
    in_old = sum(sku in old and price == int(old[sku]) for sku, price in written.items())
    in_new = _in_new(store, written)
    rows = [[name, f"{found:,}", f"{len(written) - found:,}"] for name, found in (("old", in_old), ("new", in_new))]
    print_table(f"{len(written):,} products that the application has written so far", ("side", "found", "lost"), rows)


def _in_new(store: str, written: dict[str, Any]) -> int:
    """Return how many written products the new table contains with their prices."""
    engine = Engine(store)
    with Shop.open(engine) as table:
        new = {sku: product.price for sku in written if (product := table.product(sku)) is not None}
    engine.close()
    return sum(new.get(sku) == price for sku, price in written.items())


def _rows(client: Any) -> list[dict[str, dict[str, str]]]:
    pages = client.get_paginator("scan").paginate(TableName=tables.PRODUCTS)
    return [item for page in pages for item in page["Items"]]


def _show(command: str, arguments: list[str], lines: int | None = None) -> None:
    """Run a command, and print the first lines of its output."""
    printed = _output(arguments)
    print(f"$ {command}")
    print("\n".join(printed[:lines]))
    if lines is not None and len(printed) > lines:
        print(f"... ({len(printed) - lines} more lines)")


def _output(arguments: list[str]) -> list[str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        code = singletable(arguments)
    if code:
        raise AssertionError(f"singletable {' '.join(arguments)} failed:\n{printed.getvalue()}")
    return printed.getvalue().rstrip().split("\n")


if __name__ == "__main__":
    main()
