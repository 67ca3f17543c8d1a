"""SQL rows: reads a table or a query page by page through SQLAlchemy, in the order of its watermark and key."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from singletable.client.items.value_reader import plain_value
from singletable.client.request_steps import Steps
from singletable.client.responses import Item
from singletable.consolidation.row_readers import OldRow, Positions, sql_row
from singletable.consolidation.sources import SqlSource
from singletable.errors import ArgumentRefused, without_secrets
from singletable.migrations.item_pass import PAGE_ITEMS_MAX
from singletable.values.attribute_value import attribute_value


class SqlRowReader:
    """Reads the rows of a SQL source. Each page is one SELECT that starts after the last row of the previous page."""

    read_units = 0.0

    def __init__(self, source: SqlSource, positions: Positions, since: Item | None) -> None:
        self.positions = positions
        self.watermark = since
        self._source = source
        self._sql = _sqlalchemy()
        self._order = (*((source.watermark,) if source.watermark else ()), *source.key)
        self._engine = self._failing_clearly(lambda: self._sql.create_engine(source.url))

    def page(self) -> Steps[list[OldRow]]:
        """Return the next rows in the order of the watermark and the key."""
        rows = self._failing_clearly(self._select)
        if rows:
            last = [_stored(rows[-1].get(name)) for name in self._order]
            self.positions = ({"after": {"L": last}},)
            if self._source.watermark is not None:
                self.watermark = {"watermark": last[0]}
        if len(rows) < PAGE_ITEMS_MAX:
            self.positions = (None,)
            self._engine.dispose()
        yield from ()
        return [sql_row(self._source, each) for each in rows]

    def _select(self) -> list[dict[str, Any]]:
        sql, source = self._sql, self._source
        columns = [sql.column(name) for name in self._order]
        if source.query is None:
            rows = sql.select(sql.text("*")).select_from(sql.table(source.name))
        else:
            rows = sql.select(sql.text("*")).select_from(sql.text(f"({source.query}) AS source_rows"))
        after = (self.positions[0] or {}).get("after")
        if after is not None:
            rows = rows.where(_after(sql, columns, [_restored(each) for each in after["L"]]))
        elif self.watermark is not None and source.watermark is not None:
            rows = rows.where(columns[0] >= _restored(self.watermark["watermark"]))
        with self._engine.connect() as connection:
            found = connection.execute(rows.order_by(*columns).limit(PAGE_ITEMS_MAX))
            return [dict(each) for each in found.mappings()]

    def _failing_clearly(self, call: Any) -> Any:
        """Call SQLAlchemy, and raise its errors as ArgumentRefused, without the password of the URL."""
        try:
            return call()
        except (self._sql.exc.SQLAlchemyError, ImportError) as problem:
            cause = " ".join(str(getattr(problem, "orig", None) or problem).split())
            url = without_secrets(self._source.url)
            raise ArgumentRefused(f"{self._source.name}: cannot read {url}: {cause}") from None


def _after(sql: Any, columns: Sequence[Any], values: Sequence[Any]) -> Any:
    """Return the condition that a row comes after a position, without tuples, which not every database compares."""
    either = []
    for position, (column, value) in enumerate(zip(columns, values, strict=True)):
        same = [columns[number] == values[number] for number in range(position)]
        either.append(sql.and_(*same, column > value))
    return sql.or_(*either)


def _stored(value: Any) -> Item:
    """Return a value of a position as an attribute; a date keeps its type."""
    if isinstance(value, datetime | date):
        return {"M": {type(value).__name__: {"S": value.isoformat()}}}
    if value is None or not isinstance(value, str | int | float | Decimal | bytes):
        raise ArgumentRefused(f"a key or watermark column has the value {value!r}; use text, numbers, dates or bytes")
    return attribute_value(value)


def _restored(value: Item) -> Any:
    if "M" in value:
        ((kind, text),) = value["M"].items()
        return {"datetime": datetime, "date": date}[kind].fromisoformat(text["S"])
    return plain_value(value)


def _sqlalchemy() -> Any:
    try:
        return importlib.import_module("sqlalchemy")
    except ModuleNotFoundError as problem:
        if problem.name != "sqlalchemy":
            raise
        raise ArgumentRefused(
            "sqlalchemy is not installed; install it with: pip install 'singletable[consolidate]'"
        ) from None
