"""CreateTable: creates a table with its indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.tables.encryption import KeyScope
from singletable.engine.tables.new_definition import new_definition
from singletable.engine.tables.table_description import table_description
from singletable.engine.tables.table_validation import check_new_table
from singletable.errors import RequestRefused
from singletable.wire.table_requests import CreateTable, TableDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def create_table(engine: Engine, request: CreateTable) -> TableDescriptionResult:
    """Create the table. Like DynamoDB, return the status CREATING, although the table is already active."""
    check_new_table(request)
    definition = new_definition(request, engine.now(), KeyScope(engine.region, engine.account))
    if not engine.catalog.create(definition):
        raise RequestRefused("ResourceInUseException", f"Table already exists: {request.table_name}")
    return TableDescriptionResult(
        table_description=table_description(definition, engine.arn(definition.name), "CREATING", {}, engine.now())
    )
