"""Point-in-time recovery: the recovery period, its description, and restoring a table to an earlier state."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from singletable.engine.background_jobs import Stopped
from singletable.engine.backups import backup_records
from singletable.engine.backups.restore import new_table, put_rows
from singletable.engine.backups.table_snapshot import TableSnapshot, in_steps
from singletable.engine.catalog import mark_table_active
from singletable.engine.storage.item_tree import Row
from singletable.engine.storage.store import StaleCatalog
from singletable.engine.tables.stored_table import StoredTable
from singletable.engine.tables.table_definition import PointInTimeRecovery, TableDefinition
from singletable.errors import RequestRefused, StoreRefused

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

DAYS_MAX = 35
DAY_SECONDS = 86_400


def recovery_of(definition: TableDefinition) -> PointInTimeRecovery:
    """Return the recovery settings of a table. Raise an error if recovery is not enabled."""
    if definition.recovery is None:
        raise RequestRefused(
            "PointInTimeRecoveryUnavailableException",
            f"Point in time recovery is not enabled for table '{definition.name}'",
        )
    return definition.recovery


def earliest(recovery: PointInTimeRecovery, now: float) -> float:
    """Return EarliestRestorableDateTime, the start of the recovery period."""
    return max(recovery.since, now - recovery.days * DAY_SECONDS)


def check_time(recovery: PointInTimeRecovery, at: float, now: float, code: str) -> None:
    """Reject a time outside the recovery period."""
    if not earliest(recovery, now) <= at <= now:
        raise RequestRefused(
            code, "The time must be between EarliestRestorableDateTime and LatestRestorableDateTime of the table"
        )


def continuous_backups(engine: Engine, definition: TableDefinition) -> dict[str, Any]:
    """Return ContinuousBackupsDescription. As in DynamoDB, ContinuousBackupsStatus is always ENABLED."""
    recovery = definition.recovery
    if recovery is None:
        description: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    else:
        now = engine.now()
        description = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": recovery.days,
            "EarliestRestorableDateTime": earliest(recovery, now),
            "LatestRestorableDateTime": now,
        }
    return {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": description}


def fill_from(engine: Engine, definition: TableDefinition, snapshot: TableSnapshot[Row]) -> None:
    """Create a table from a snapshot. A background job copies a large snapshot after this function returns."""
    try:
        steps = in_steps(snapshot.rows)
        first, is_all = _first_steps(steps, unlimited=engine.store.is_memory)
        if not is_all:
            _start(engine, definition, snapshot, chain(first, steps))
            engine.catalog.reload()
            return
        with engine.store.writing() as connection:
            table = new_table(engine, connection, msgspec.structs.replace(definition, status="ACTIVE"))
            for step in first:
                put_rows(connection, table, step)
    except BaseException:
        snapshot.close()
        raise
    snapshot.close()
    engine.catalog.reload()


def _first_steps(steps: Iterator[list[Row]], *, unlimited: bool) -> tuple[list[list[Row]], bool]:
    """Return the steps that the request itself copies, and whether they are all steps of the snapshot.

    A background job copies the other steps of a large snapshot. With `unlimited`, the request copies all steps.
    """
    first: list[list[Row]] = []
    items = size = 0
    for step in steps:
        first.append(step)
        items += len(step)
        size += sum(len(body) for _, body, _ in step)
        if not unlimited and (items > backup_records.SMALL_ITEMS or size > backup_records.SMALL_BYTES):
            return first, False
    return first, True


def _start(
    engine: Engine, definition: TableDefinition, snapshot: TableSnapshot[Row], steps: Iterator[list[Row]]
) -> None:
    def prepare() -> _SnapshotRestore:
        with engine.store.writing() as connection:
            table = new_table(engine, connection, definition)
        return _SnapshotRestore(engine, table, snapshot, steps)

    engine.jobs.start_owned(f"restore {definition.identifier}", prepare)


class _SnapshotRestore:
    """The background job that copies a snapshot into a table."""

    def __init__(
        self, engine: Engine, table: StoredTable, snapshot: TableSnapshot[Row], steps: Iterator[list[Row]]
    ) -> None:
        self._engine = engine
        self._table = table
        self._snapshot = snapshot
        self._steps = steps

    def __call__(self) -> None:
        try:
            self._put_all()
        except (Stopped, sqlite3.Error, StaleCatalog, StoreRefused):
            self._give_up()
        except BaseException:
            self._give_up()
            raise
        finally:
            self._snapshot.close()

    def _put_all(self) -> None:
        for step in self._steps:
            self._engine.jobs.check()
            with self._engine.store.writing() as connection:
                put_rows(connection, self._table, step)
        with self._engine.store.writing() as connection:
            mark_table_active(connection, self._table.name)
        self._engine.store.flush()
        self._engine.catalog.reload()

    def _give_up(self) -> None:
        """Drop the incomplete table. If the store is unavailable, the next engine that opens it drops the table."""
        try:
            self._engine.catalog.drop(self._table)
        except (RequestRefused, StaleCatalog, StoreRefused):
            return
