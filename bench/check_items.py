"""Measure `singletable check MODEL --items STORE`: the time and the peak memory for a store of a million items.

    python bench/check_items.py                      generate a store of 1,000,000 items and check it
    python bench/check_items.py --items 100000       fewer items
    python bench/check_items.py --store FILE         keep the store, for the next run
    python bench/check_items.py --profile            also print where the time goes

The store has five entities, two indexes and a unique constraint, and no item with a problem.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from singletable import Table, entity, sparse

START = datetime(2026, 1, 1, tzinfo=UTC)
SECONDS = 300 * 24 * 60 * 60
"""The customers are created within 300 days, so that even a small store has orders of many days."""
STATUSES: tuple[Literal["OPEN", "PAID", "SHIPPED"], ...] = ("OPEN", "PAID", "SHIPPED")


@entity(key=("CUST#{id}", "METADATA"), gsi1=("EMAIL#{email}", "METADATA"))
class Customer(BaseModel):
    """A customer, found by ID or by email."""

    id: str
    email: str
    name: str
    created_at: datetime


@entity(
    key=("CUST#{customer_id}", "ORDER#{created_at:seconds}#{id}"),
    gsi1=("ORDER#{id}", "METADATA"),
    gsi2=("STATUS#{status}#{day}", "{created_at:seconds}#{id}"),
)
class Order(BaseModel):
    """An order of a customer, also found by ID, and by status and day."""

    id: str
    customer_id: str
    status: Literal["OPEN", "PAID", "SHIPPED"]
    total: Decimal
    created_at: datetime
    day: date


@entity(key=("ORDER#{order_id}", "LINE#{number:03d}"), gsi1=("PRODUCT#{sku}", "ORDER#{order_id}#{number:03d}"))
class Line(BaseModel):
    """A line of an order, also found by product."""

    order_id: str
    number: int
    sku: str
    quantity: int
    price: Decimal
    note: str | None = None


@entity(key=("PRODUCT#{sku}", "METADATA"), gsi2=("SHELF#{shelf:04d}", "{sku}"), expected_per_partition={"gsi2": 500})
class Product(BaseModel):
    """A product, also found by shelf."""

    sku: str
    title: str
    shelf: int
    tags: list[str]


@entity(key=("CUST#{customer_id}", "TICKET#{id}"), gsi2=sparse("ASSIGNEE#{assignee}", "{id}"))
class Ticket(BaseModel):
    """A support ticket; only assigned tickets are in the index."""

    id: str
    customer_id: str
    text: str
    assignee: str | None = None


class BenchmarkShop(Table, entities=[Customer, Order, Line, Product, Ticket]):
    """A shop with five entities and two indexes."""


def objects(count: int) -> Iterator[BaseModel]:
    """Yield about this number of objects: customers with orders of several lines and tickets, and products."""
    chance = random.Random(18)  # noqa: S311  # the same items in every run
    products = max(count // 50, 1)
    for number in range(products):
        yield Product(sku=_sku(number), title=f"Product number {number}", shelf=number // 100, tags=["new", "blue"])
    made, customer = products, 0
    while made < count:
        customer += 1
        created = START + timedelta(seconds=chance.randrange(SECONDS))
        name = f"c{customer}"
        yield Customer(id=name, email=f"{name}@example.com", name=f"Customer {customer}", created_at=created)
        yield Ticket(id=f"t{customer}", customer_id=name, text="It does not work.", assignee=_assignee(chance))
        made += 2
        for order in range(chance.randint(1, 3)):
            at = created + timedelta(hours=order)
            code = f"o{customer}-{order}"
            total = Decimal(chance.randint(100, 99_999)) / 100
            status = chance.choice(STATUSES)
            yield Order(id=code, customer_id=name, status=status, total=total, created_at=at, day=at.date())
            made += 1
            for line in range(chance.randint(1, 5)):
                sku = _sku(chance.randrange(products))
                yield Line(order_id=code, number=line, sku=sku, quantity=chance.randint(1, 9), price=total)
                made += 1


def _sku(number: int) -> str:
    return f"p{number:06d}"  # padded, because GSI2 sorts the products of a shelf by SKU


def _assignee(chance: random.Random) -> str | None:
    return f"agent{chance.randrange(50)}" if chance.random() < 0.2 else None


def fill(store: Path, count: int) -> None:
    """Create the store with bulk writes."""
    with BenchmarkShop.open(f"file:{store}", create=True) as shop:
        started = time.perf_counter()
        result = shop.put_many(objects(count))
        seconds = time.perf_counter() - started
    assert not result.failed, result.failed[:3]
    print(f"wrote {result.written:,} items in {seconds:.1f} s, {store.stat().st_size / 2**20:,.0f} MB")


def check(store: Path) -> None:
    """Run the command as a user does, and print its time and its peak memory."""
    command = [sys.executable, "-m", "singletable", "check", f"{__file__}:BenchmarkShop", "--items", f"file:{store}"]
    started = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        running = subprocess.Popen([*command, "--json"], stdout=output)  # noqa: S603  # our own command
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        output.seek(0)
        printed = output.read()
    peak_bytes = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if running.returncode not in (0, 1):
        raise SystemExit(running.returncode)
    (table,) = json.loads(printed)["tables"]
    for finding in table["findings"]:
        print(f"{finding['code']} {finding['subject']}: {finding['message']}")
    times = f"{seconds:.1f} s, of them {usage.ru_utime + usage.ru_stime:.1f} s CPU"
    print(f"checked {table['items']:,} items in {times}; peak memory {peak_bytes / 2**20:.0f} MB")


def profile(store: Path) -> None:
    """Print the functions that take the most time."""
    import contextlib
    import cProfile
    import os
    import pstats

    from singletable.cli.main import main

    profiler = cProfile.Profile()
    with contextlib.redirect_stdout(Path(os.devnull).open("w", encoding="utf-8")):
        profiler.runcall(main, ["check", f"{__file__}:BenchmarkShop", "--items", f"file:{store}"])
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


def run() -> None:
    """Generate the store unless it exists, then check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000, metavar="N", help="the number of items (1,000,000)")
    parser.add_argument("--store", type=Path, metavar="FILE", help="keep the store in this file")
    parser.add_argument("--profile", action="store_true", help="also print where the time goes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "shop.db"
        if not store.exists():
            # Linux counts the memory of a process as the peak of the processes that it starts, so this one stays small.
            filling = multiprocessing.get_context("spawn").Process(target=fill, args=(store, options.items))
            filling.start()
            filling.join()
        check(store)
        if options.profile:
            profile(store)


if __name__ == "__main__":
    run()
