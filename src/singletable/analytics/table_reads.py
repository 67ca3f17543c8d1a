"""Reads of an open table as Arrow tables and as SQL relations: `shop.arrow(Order)` and `shop.sql("SELECT ...")`."""

from __future__ import annotations

from typing import Any

import duckdb

from singletable.analytics.sql_query import SqlReader
from singletable.client.connected_table import ConnectedTable
from singletable.errors import ArgumentRefused


def read_arrow(opened: ConnectedTable, cls: type, equal: dict[str, Any], *, scan: bool) -> Any:
    """Return the rows of an entity whose fields have these values, as a pyarrow table."""
    entity = opened.entities.of_class(cls)
    unknown = [name for name in equal if name not in entity.fields]
    if unknown:
        raise ArgumentRefused(f"arrow: {entity.label} has no field {unknown[0]!r}")
    reader = SqlReader(opened)
    constants = {name: frozenset((value,)) for name, value in equal.items() if isinstance(value, str | int)}
    return reader.entity_table(entity, equal, constants, scan=scan)


def read_sql(opened: ConnectedTable, statement: str, *, scan: bool) -> duckdb.DuckDBPyRelation:
    """Run a SELECT statement and return a relation of DuckDB."""
    return SqlReader(opened).run(statement, scan=scan)
