"""A table that is filled with the items another one had at a moment: at once when they are few, else in steps."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from singletable.engine import backups
from singletable.engine.definition import TableDefinition
from singletable.engine.jobs import Stopped
from singletable.engine.moment import Held, in_steps
from singletable.engine.restore import new_table, put_rows, set_ready
from singletable.engine.storage.store import StaleCatalog
from singletable.engine.storage.tree import Row
from singletable.engine.table import OpenTable
from singletable.errors import RequestRefused, StoreRefused

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def fill_from(engine: Engine, definition: TableDefinition, moment: Held[Row]) -> None:
    """Makes the table with the items of a moment; what is too much to be put at once goes on when this returns."""
    try:
        steps = in_steps(moment.found)
        held, is_all = _first(steps, without_end=engine.store.is_memory)
        if not is_all:
            _start(engine, definition, moment, chain(held, steps))
            engine.catalog.reload()
            return
        with engine.store.writing() as connection:
            table = new_table(engine, connection, msgspec.structs.replace(definition, status="ACTIVE"))
            for step in held:
                put_rows(connection, table, step)
    except BaseException:
        moment.close()
        raise
    moment.close()
    engine.catalog.reload()


def _first(steps: Iterator[list[Row]], *, without_end: bool) -> tuple[list[list[Row]], bool]:
    """The first steps, as many as are put at once, and whether these are all."""
    held: list[list[Row]] = []
    items = size = 0
    for step in steps:
        held.append(step)
        items += len(step)
        size += sum(len(body) for _, body, _ in step)
        if not without_end and (items > backups.SMALL_ITEMS or size > backups.SMALL_BYTES):
            return held, False
    return held, True


def _start(engine: Engine, definition: TableDefinition, moment: Held[Row], steps: Iterator[list[Row]]) -> None:
    def prepare() -> _Fill:
        with engine.store.writing() as connection:
            table = new_table(engine, connection, definition)
        return _Fill(engine, table, moment, steps)

    engine.jobs.start_owned(f"restore {definition.identifier}", prepare)


class _Fill:
    """A table that is being filled, as a function without arguments: what its thread does."""

    def __init__(self, engine: Engine, table: OpenTable, moment: Held[Row], steps: Iterator[list[Row]]) -> None:
        self._engine = engine
        self._table = table
        self._moment = moment
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
            self._moment.close()

    def _put_all(self) -> None:
        for step in self._steps:
            self._engine.jobs.check()
            with self._engine.store.writing() as connection:
                put_rows(connection, self._table, step)
        with self._engine.store.writing() as connection:
            set_ready(connection, self._table.name)
        self._engine.store.flush()
        self._engine.catalog.reload()

    def _give_up(self) -> None:
        """A part of the items is no table; if it cannot be dropped now, whoever opens the store next does."""
        try:
            self._engine.catalog.drop(self._table)
        except (RequestRefused, StaleCatalog, StoreRefused):
            return
