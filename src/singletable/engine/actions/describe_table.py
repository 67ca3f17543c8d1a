"""DescribeTable: what a table is, and how much it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.describe import table_description
from singletable.wire.tables import DescribeTable, TableResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_table(engine: Engine, request: DescribeTable) -> TableResult:
    """Describes the table as it is now, also when another process changed it."""
    table = engine.catalog.require_fresh(request.table_name)
    sizes = engine.sizes.of(table)
    status = table.definition.status
    return TableResult(table=table_description(table.definition, engine.arn(table.name), status, sizes, engine.now()))
