"""Measures the backfill of a migration against a bare loop of conditional UpdateItem calls, in one process.

`python bench/backfill.py --items 1000000` fills a store, adds an index with `migrate run`, and prints the rate of the
backfill, the rate of the loop, their ratio by processor time, and the peak memory of the process.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from singletable import Table, entity
from singletable.client.design_state import DesignState
from singletable.client.open_table import transport_for
from singletable.client.request_session import Session
from singletable.client.request_steps import run
from singletable.client.transport import Transport
from singletable.engine.engine import Engine
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.phases import Phase
from singletable.migrations.baseline import baseline
from singletable.migrations.control_items import control_items
from singletable.migrations.migration_files import MigrationFile
from singletable.migrations.runner import RunSettings, migration_run, run_migration

KEY = ("ORDER#{id}", "METADATA")
CHUNK = 20_000
RATIO_MIN, MEMORY_MB_MAX = 0.6, 300


@entity(key=KEY, name="Order")
@dataclass
class OldOrder:
    """An order without index keys."""

    id: str
    customer: str
    status: str
    note: str


class OldOrders(Table, entities=[OldOrder], name="Orders"):
    """The orders without an index."""


@entity(key=KEY, name="Order", gsi1=("CUST#{customer}", "{status}#{id}"))
@dataclass
class NewOrder:
    """An order by customer."""

    id: str
    customer: str
    status: str
    note: str


class NewOrders(Table, entities=[NewOrder], name="Orders"):
    """The orders with an index."""


OLD, NEW = snapshot_of(OldOrders.design), snapshot_of(NewOrders.design)
FILES = (MigrationFile(1, "initial", Path("0001.json"), OLD), MigrationFile(2, "index", Path("0002.json"), NEW))
CONTROL = control_items(OldOrders.design, "Orders")


def status_of(number: int) -> str:
    """Return the status of an order."""
    return "OPEN" if number % 3 else "PAID"


def fill(engine: Engine, items: int) -> None:
    """Put the old orders."""
    with OldOrders.open(engine, create=True) as table:
        for start in range(0, items, CHUNK):
            numbers = range(start, min(start + CHUNK, items))
            table.put_many(
                [OldOrder(f"o{n:07d}", f"c{n % 1000}", "OPEN" if n % 3 else "PAID", "x" * 80) for n in numbers]
            )


OWN_MEMORY: list[float] = []
"""The memory of the process after each page of the migration, without the mapped pages of the store file."""


def own_megabytes() -> float:
    """Return the memory of the process, without the file pages that SQLite maps and the system can drop."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    found = {name: value for name, _, value in (line.partition(":") for line in lines)}
    return int(found["RssAnon"].split()[0]) / 1024


def state_of(session: Session) -> DesignState:
    """Return the state of the table."""
    state = run(CONTROL.state(), session)
    assert state is not None
    return state


def migrate(session: Session, until: Phase) -> Any:
    """Run the migration until a phase, and return the result."""
    settings = RunSettings(wait_seconds=0.0, until=until, progress=lambda result: OWN_MEMORY.append(own_megabytes()))
    found = migration_run(CONTROL, FILES, state_of(session), NewOrders.design, NEW, settings)
    assert found is not None
    return run(run_migration(found, state_of(session)), session)


def update_in_a_loop(transport: Transport, items: int) -> None:
    """Send the updates of the backfill one by one, as a script would."""
    encode = msgspec.json.encode
    names = {"#p": "GSI1PK", "#s": "GSI1SK", "#k": "PK", "#c": "customer", "#t": "status", "#i": "id"}
    for n in range(items):
        status = status_of(n)
        request = {
            "TableName": "Orders",
            "Key": {"PK": {"S": f"ORDER#o{n:07d}"}, "SK": {"S": "METADATA"}},
            "UpdateExpression": "SET #p = :p, #s = :s",
            "ConditionExpression": "attribute_exists(#k) AND attribute_not_exists(#p) AND attribute_not_exists(#s) AND "
            "#c = :c AND #i = :i AND #t = :t",
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": {
                ":p": {"S": f"CUST#c{n % 1000}"},
                ":s": {"S": f"{status}#o{n:07d}"},
                ":c": {"S": f"c{n % 1000}"},
                ":i": {"S": f"o{n:07d}"},
                ":t": {"S": status},
            },
            "ReturnConsumedCapacity": "TOTAL",
        }
        transport.send("UpdateItem", encode(request))


def measured(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the processor time and the wall time of a piece of work."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--loop", type=int, default=50_000, help="the number of updates of the bare loop")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(f"file:{folder}/loop.db")
        fill(engine, options.loop)
        session = Session(transport_for(engine))
        run(baseline(CONTROL, FILES[0]), session)
        migrate(session, Phase.EXPAND)
        loop = measured(lambda: update_in_a_loop(session.transport, options.loop))
        engine.close()
        engine = Engine(f"file:{folder}/backfill.db")
        fill(engine, options.items)
        filled_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        session = Session(transport_for(engine))
        run(baseline(CONTROL, FILES[0]), session)
        migrate(session, Phase.EXPAND)
        backfill = measured(lambda: migrate(session, Phase.BACKFILL))
        engine.close()
    rates = [count / seconds for count, each in ((options.items, backfill), (options.loop, loop)) for seconds in each]
    ratio = rates[0] / rates[2]
    with_file_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"backfill of {options.items:,} items: {rates[0]:,.0f} items/s of processor time, {rates[1]:,.0f} by the clock"
    )
    print(f"loop of {options.loop:,} updates: {rates[2]:,.0f} items/s of processor time, {rates[3]:,.0f} by the clock")
    print(f"ratio {ratio:.2f} (at least {RATIO_MIN}), peak memory {max(OWN_MEMORY):.0f} MB (at most {MEMORY_MB_MAX})")
    print(f"with the pages of the store file that SQLite maps: {with_file_mb:.0f} MB, {filled_mb:.0f} MB before it")


if __name__ == "__main__":
    main()
