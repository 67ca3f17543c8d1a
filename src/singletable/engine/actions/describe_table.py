"""DescribeTable: the definition, status and size of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.tables.table_description import table_description
from singletable.wire.table_requests import DescribeTable, TableResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_table(engine: Engine, request: DescribeTable) -> TableResult:
    """Return the current description of the table, including changes made by other processes."""
    table = engine.catalog.require_fresh(request.table_name)
    sizes = engine.sizes.of(table)
    status = table.definition.status
    return TableResult(table=table_description(table.definition, engine.arn(table.name), status, sizes, engine.now()))
