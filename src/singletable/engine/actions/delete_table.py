"""DeleteTable: the end of a table and of everything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.backup_copy import last_backup
from singletable.engine.catalog import refuse_unready
from singletable.engine.describe import table_description
from singletable.errors import invalid
from singletable.wire.tables import DeleteTable, TableDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def delete_table(engine: Engine, request: DeleteTable) -> TableDescriptionResult:
    """Deletes the table; it is gone when the answer arrives, which still says DELETING as the service does."""
    table = engine.catalog.require_fresh(request.table_name)
    refuse_unready(table.definition)
    if table.definition.is_protected:
        raise invalid(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    # A table that could have been recovered to any moment is kept as it was in the last, as the service does.
    adopt = None if table.definition.recovery is None else last_backup(engine, table.definition)
    engine.catalog.drop(table, adopt)
    return TableDescriptionResult(
        table_description=table_description(table.definition, engine.arn(table.name), "DELETING", {}, engine.now())
    )
