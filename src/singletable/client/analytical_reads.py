"""Analytical reads of a table: rows as Arrow tables, and SQL over the entities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pyarrow  # type: ignore[import-untyped]  # pyarrow has no type information

    from singletable.client.connected_table import ConnectedTable


class AnalyticalReads:
    """The methods of a table that need `singletable[analytics]`."""

    def arrow(self, entity: type[Any], *, scan: bool = False, **equal: Any) -> pyarrow.Table:
        """Return the items of an entity as a pyarrow table: `shop.arrow(Order, customer_id="c1")`.

        If the values determine a key, the call sends Query requests. Otherwise, it scans the table; a Scan of more than
        1,000 read units needs `scan=True`.
        """
        from singletable.analytics.sql_query import read_arrow

        return read_arrow(self._opened(), entity, equal, scan=scan)

    def sql(self, statement: str, *, scan: bool = False) -> duckdb.DuckDBPyRelation:
        """Run a SELECT statement with one table per entity, and return a relation of DuckDB.

        `shop.sql("SELECT name, count(*) FROM Customer GROUP BY ALL").fetchall()`. Conditions with constants on the
        fields of a key become Query requests. Otherwise, the call scans the table; a Scan of more than 1,000 read units
        needs `scan=True`.
        """
        from singletable.analytics.sql_query import read_sql

        return read_sql(self._opened(), statement, scan=scan)

    def _opened(self) -> ConnectedTable:
        raise NotImplementedError  # Table overrides it
