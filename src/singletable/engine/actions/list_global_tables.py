"""ListGlobalTables: this engine has no global tables (version 2017.11.29)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.wire.account_requests import ListGlobalTables, ListGlobalTablesResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def list_global_tables(engine: Engine, request: ListGlobalTables) -> ListGlobalTablesResult:
    """Return an empty list of global tables."""
    return ListGlobalTablesResult(global_tables=[])
