"""DeleteTable: deletes a table and its items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.engine.backups.backup_jobs import deleted_table_backup
from singletable.engine.catalog import reject_unready
from singletable.engine.tables.table_description import table_description
from singletable.errors import invalid
from singletable.wire.table_requests import DeleteTable, TableDescriptionResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


# DeleteTable does not return these members (API reference, "DeleteTable", examples; tests of Alternator that pass on
# DynamoDB).
_NOT_RETURNED = frozenset(
    ("AttributeDefinitions", "KeySchema", "CreationDateTime", "LocalSecondaryIndexes", "GlobalSecondaryIndexes")
)


def delete_table(engine: Engine, request: DeleteTable) -> TableDescriptionResult:
    """Delete the table. Like DynamoDB, return the status DELETING, although the table is already deleted."""
    table = engine.catalog.require_fresh(request.table_name)
    reject_unready(table.definition)
    if table.definition.is_protected:
        raise invalid(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    # If point-in-time recovery is enabled, keep a backup of the last state of the table, as DynamoDB does.
    adopt = None if table.definition.recovery is None else deleted_table_backup(engine, table.definition)
    engine.catalog.drop(table, adopt)
    description = table_description(table.definition, engine.arn(table.name), "DELETING", {}, engine.now())
    return TableDescriptionResult(
        table_description={name: value for name, value in description.items() if name not in _NOT_RETURNED}
    )
