"""The new table of a migration: creates it, and protects the table that it replaces.

An undo does not delete the new table, because a suspended runner could delete it after a later run has filled it.
"""

from __future__ import annotations

from dataclasses import dataclass

from singletable.client.open_table import create_table
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item
from singletable.errors import MigrationRefused, RequestRefused
from singletable.migrations.control_items import ControlItems
from singletable.migrations.table_indexes import Report, describe_table
from singletable.model.design import Design
from singletable.model.table_schema import RESERVED_PREFIX

CREATED = f"{RESERVED_PREFIX}created-table"
_NO_TABLE, _UNKNOWN = "ResourceNotFoundException", "UnknownOperationException"


@dataclass(frozen=True)
class CreatedTable:
    """The new table, with a record in the control table that the migration has created it."""

    control: ControlItems
    design: Design
    migration: str

    @property
    def name(self) -> str:
        """The name of the new table."""
        return self.design.name

    @property
    def _record(self) -> Item:
        return {"migration": {"S": self.migration}, "table": {"S": self.name}}

    def create(self, report: Report) -> Steps[None]:
        """Create the table. Raise MigrationRefused if it existed before the migration."""
        known = yield from self.control.read(CREATED)
        if known is None or known != self._record:
            if (yield from self._exists()):
                raise MigrationRefused(
                    f"table {self.name!r} exists, and this migration has not created it; nothing was written.\n  "
                    "Delete it if it contains no data that you need, or choose another name for the new table."
                )
            yield from self.control.replace(self.control.item(CREATED, {"M": self._record}), known)
        if (yield from create_table(self.design, self.name)):
            report(f"created table {self.name}")

    def forget(self) -> Steps[None]:
        """Delete the record after the migration, so that no later migration takes the table for its own."""
        yield from self.control.delete_progress(CREATED)

    def _exists(self) -> Steps[bool]:
        try:
            yield from describe_table(self.name)
        except RequestRefused as problem:
            if problem.code != _NO_TABLE:
                raise
            return False
        return True


def protect_table(name: str, report: Report) -> Steps[None]:
    """Enable the deletion protection of a table that no client uses any more."""
    try:
        yield (Call("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": True}),)
    except RequestRefused as problem:
        if problem.code not in (_UNKNOWN, "ValidationException", "ResourceInUseException"):
            raise  # some local servers have no deletion protection
    report(f"table {name} has deletion protection; delete it yourself when you do not need it any more")
