"""DeleteTable: the end of a table and of everything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.describe import table_description
from singletable.errors import invalid
from singletable.wire.tables import DeleteTable, TableDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def delete_table(engine: Engine, request: DeleteTable) -> TableDescriptionResult:
    """Deletes the table; it is gone when the answer arrives, which still says DELETING as the service does."""
    table = engine.catalog.require_fresh(request.table_name)
    if table.definition.is_protected:
        raise invalid(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    engine.catalog.drop(table)
    return TableDescriptionResult(
        table_description=table_description(table.definition, engine.arn(table.name), "DELETING", {}, engine.now())
    )
