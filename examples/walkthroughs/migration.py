"""Move the shop from four tables to one while it runs, and kill its processes meanwhile."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from singletable.cli.consolidate_mode import print_states
from singletable.cli.output import print_table
from singletable.consolidation import ShadowSettings, read_pattern_states, switch_mode
from singletable.engine import Engine

from ..shop.model import Shop
from ..shop_tables import tables
from ..shop_tables.killed_processes import ShopProcesses
from ..shop_tables.old_shop_reads import ShopReads
from ..shop_tables.shop_application import ShopApplication
from ..shop_tables.traffic import ShopTraffic

ROWS = 15_000
RUNNER_KILLS, SECONDS_BEFORE_KILL = 3, (0.5, 2.0)
SPEED = 40.0
"""The clocks of the clients run faster, so that they notice the next stage within a second, not within 30 seconds."""
TRAFFIC_SECONDS = 1.5
COMPARED_CALLS, KNOWN_ROWS = 100, 200
PATTERNS = ("customer", "orders_of_customer", "whole_order", "orders_with_sku")
SHADOW = ShadowSettings(sample=1.0, cpu_share=1.0, queue_max=1000, recheck_seconds=(0.1, 0.5, 1.0))
"""Compare every call. A difference is read again, because the application writes meanwhile."""


def main(rows: int = ROWS, seconds_before_kill: tuple[float, float] = SECONDS_BEFORE_KILL, seed: int = 1) -> None:
    """Run the walkthrough in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        _walk(Path(folder), rows, seconds_before_kill, seed)


def _walk(folder: Path, rows: int, seconds_before_kill: tuple[float, float], seed: int) -> None:
    _fill(f"file:{folder / 'shop.db'}", rows)
    print(f"Four tables have {rows:,} rows. The new table is empty.")
    with ShopProcesses(folder, seed, processes=2, speed=SPEED) as shop:
        time.sleep(1.0)
        print("Two processes of the application read and write the old tables from now on.\n")
        started = time.monotonic()
        print("$ singletable consolidate run consolidation.py file:shop.db --yes")
        print(shop.run(RUNNER_KILLS, seconds_before_kill))
        print(f"That took {time.monotonic() - started:.0f} seconds. Killed meanwhile:")
        killed = ", ".join(f"{name} {number} times" for name, number in sorted(shop.killed.items()))
        print(f"  {killed}\n")
        print("The application writes through the old tables and through the new table from now on.")
        time.sleep(TRAFFIC_SECONDS)
        shop.kill_one()
        time.sleep(TRAFFIC_SECONDS)
        _compare(shop.store)
        shop.check()
    print("\n$ singletable consolidate verify consolidation.py file:shop.db")
    print(shop.verify())
    _show_result(shop)


def _fill(store: str, rows: int) -> None:
    engine = Engine(store)
    client = engine.boto3_client()
    tables.create_tables(client)
    tables.fill(client, rows)
    Shop.open(engine, create=True).close()
    engine.close()


def _compare(store: str) -> None:
    """Read with the old and the new implementation while the application writes, and print the differences."""
    engine = Engine(store)
    with Shop.open(engine) as table:
        reads: Any = ShopReads(table, ShopApplication(engine.boto3_client(), engine.boto3_resource()), SHADOW)
        reads.customer("c000001")  # the first call stores the names of the patterns
        reads.drain()
        for pattern in PATTERNS:
            switch_mode(table, pattern, "shadow")
        reads.refresh()
        traffic = ShopTraffic(reads, tables.rows(KNOWN_ROWS))
        for _ in range(COMPARED_CALLS):
            for pattern in PATTERNS:
                traffic.call(pattern)
        reads.drain()
        print("\nEach answer from the old tables, compared with the answer from the new table:\n")
        print_states(read_pattern_states(table))
    engine.close()


def _show_result(shop: ShopProcesses) -> None:
    """Print how many writes of the application both sides have."""
    written = shop.written()
    engine = Engine(shop.store)
    old = {row["sku"]["S"]: row["price"]["N"] for row in _rows(engine.boto3_client())}
    with Shop.open(engine) as table:
        new = {sku: found.price for sku in written if (found := table.product(sku)) is not None}
    in_old = sum(sku in old and price == int(old[sku]) for sku, price in written.items())
    in_new = sum(new.get(sku) == price for sku, price in written.items())
    engine.close()
    rows = [["old tables", f"{in_old:,}", f"{len(written) - in_old:,}"]]
    rows += [["new table", f"{in_new:,}", f"{len(written) - in_new:,}"]]
    print_table(
        f"{len(written):,} products that the application has written meanwhile", ("in the", "found", "lost"), rows
    )


def _rows(client: object) -> list[dict[str, dict[str, str]]]:
    pages = client.get_paginator("scan").paginate(TableName=tables.PRODUCTS)  # type: ignore[attr-defined]  # of boto3
    return [item for page in pages for item in page["Items"]]


if __name__ == "__main__":
    main()
