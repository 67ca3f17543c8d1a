"""ListGlobalTables: the global tables of the first version, of which there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.wire.surroundings import ListGlobalTables, ListGlobalTablesResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def list_global_tables(engine: Engine, request: ListGlobalTables) -> ListGlobalTablesResult:
    """Lists nothing."""
    return ListGlobalTablesResult(global_tables=[])
