"""ListTables: a paginated, sorted list of the table names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.wire.table_requests import ListTables, ListTablesResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

NAMES_MAX = 100


def list_tables(engine: Engine, request: ListTables) -> ListTablesResult:
    """List one page of table names."""
    start = request.exclusive_start_table_name or ""
    limit = request.limit or NAMES_MAX
    names = [name for name in engine.catalog.names() if name > start]
    page = names[:limit]
    return ListTablesResult(table_names=page, last_evaluated_table_name=page[-1] if len(names) > limit else UNSET)
