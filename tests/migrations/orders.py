"""Two designs of one table, with items: orders by customer, then by customer and status in a new index."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singletable import GSI, Page, Table, entity, pattern, query, upgrade
from singletable.client.open_table import transport_for
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.engine.engine import Engine
from singletable.evolve.design_snapshot import snapshot_of
from singletable.migrations.baseline import baseline
from singletable.migrations.control_items import control_items
from singletable.migrations.migration_files import MigrationFile
from singletable.migrations.runner import MigrationRun, RunSettings, migration_run

KEY = ("ORDER#{id}", "METADATA")


@entity(key=KEY, gsi1=("CUST#{customer}", "{id}"), name="Order", expected_per_partition={"gsi1": 10})
@dataclass
class OldOrder:
    id: str
    customer: str
    status: str
    note: str | None = None


class OldOrders(Table, entities=[OldOrder], name="Orders"):
    @pattern()
    def of_customer(self, customer: str) -> Page[OldOrder]:
        """Orders of a customer."""
        return query(OldOrder)


@entity(
    key=KEY,
    gsi1=("CUST#{customer}", "{status}#{id}"),
    gsi2=("NOTE#{note}", "{id}"),
    name="Order",
    schema_version=2,
    expected_per_partition={"gsi1": 10, "gsi2": 10},
)
@dataclass
class NewOrder:
    id: str
    customer: str
    status: str
    note: str | None = None
    total: int = 0


@upgrade(NewOrder, from_version=1)
def add_total(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "total": len(item["customer"])}


class NewOrders(
    Table,
    entities=[NewOrder],
    name="Orders",
    indexes=[GSI("gsi1", name="ByStatus", keys=("ByStatusPK", "ByStatusSK"))],
):
    @pattern()
    def of_customer(self, customer: str) -> Page[NewOrder]:
        """Orders of a customer, by status."""
        return query(NewOrder)

    @pattern()
    def with_note(self, note: str) -> Page[NewOrder]:
        """Orders with a note."""
        return query(NewOrder)


@entity(
    key=KEY,
    gsi1=("CUST#{customer}", "{status}#{id}"),
    gsi2=("NOTE#{note}", "{id}"),
    name="Order",
    expected_per_partition={"gsi1": 10, "gsi2": 10},
)
@dataclass
class IndexedOrder:
    id: str
    customer: str
    status: str
    note: str | None = None


class IndexedOrders(
    Table,
    entities=[IndexedOrder],
    name="Orders",
    indexes=[GSI("gsi1", name="ByStatus", keys=("ByStatusPK", "ByStatusSK"))],
):
    """The old orders in other indexes: new code works in every phase of this migration."""

    @pattern()
    def of_customer(self, customer: str) -> Page[IndexedOrder]:
        """Orders of a customer."""
        return query(IndexedOrder)

    @pattern()
    def with_note(self, note: str) -> Page[IndexedOrder]:
        """Orders with a note."""
        return query(IndexedOrder)


OLD, NEW = snapshot_of(OldOrders.design), snapshot_of(NewOrders.design)
FILES = (
    MigrationFile(1, "initial", Path("0001_initial.json"), OLD),
    MigrationFile(2, "by_status", Path("0002_by_status.json"), NEW),
)
INDEXED = snapshot_of(IndexedOrders.design)
INDEX_FILES = (FILES[0], MigrationFile(2, "indexes", Path("0002_indexes.json"), INDEXED))
CONTROL = control_items(OldOrders.design, "Orders")


def order(number: int, status: str = "OPEN") -> OldOrder:
    return OldOrder(f"o{number}", f"c{number % 5}", status, None if number % 3 else f"n{number % 2}")


def upgraded(old: OldOrder) -> NewOrder:
    return NewOrder(old.id, old.customer, old.status, old.note, len(old.customer))


def table_with(engine: Engine, orders: int) -> Session:
    """Create the old table with some orders, record its design, and return a session."""
    with OldOrders.open(engine, create=True) as table:
        table.put_many([order(number) for number in range(orders)])
    session = session_of(engine)
    run(baseline(CONTROL, FILES[0]), session)
    return session


class QuickSession(Session):
    """A session whose pauses are short: the engine creates an index within milliseconds."""

    def wait(self, seconds: float) -> None:
        time.sleep(0.002)


def session_of(engine: Engine) -> Session:
    return QuickSession(transport_for(engine))


def next_run(session: Session, table: type[Table] = NewOrders, **settings: Any) -> MigrationRun:
    """Return the run of the migration to the design of a table, without pauses for clients."""
    state = run(CONTROL.state(), session)
    assert state is not None
    chosen = RunSettings(**{"wait_seconds": 0.0, "segments": 2, **settings})
    files = FILES if table is NewOrders else INDEX_FILES
    found = migration_run(CONTROL, files, state, table.design, files[1].snapshot, chosen)
    assert found is not None
    return found


def stored_items(session: Session) -> list[dict[str, Any]]:
    """Return all items of the table but the reserved ones, sorted by key."""
    items = json.loads(session.send(Call("Scan", {"TableName": "Orders"})))["Items"]
    return sorted((each for each in items if "$singletable" not in each), key=lambda each: each["PK"]["S"])
