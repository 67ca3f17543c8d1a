"""The table with the reserved items of a table has changed: the table itself, or a control table."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass
from singletable.model.table_schema import CONTROL_SUFFIX


@dataclass(frozen=True)
class ControlTableChanged(Operation):
    """A table whose reserved items are in another table in the new design."""

    kind: ClassVar[str] = "control table changed"
    before: bool | str
    after: bool | str

    @property
    def subject(self) -> str:
        return ""

    @property
    def detail(self) -> str:
        return f"{_text(self.before)} → {_text(self.after)}"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED if self.before else Category.INSTANT

    @property
    def items(self) -> str:
        if self.before:
            return "the design state would stay in the old control table, where new code does not look for it"
        return "`migrate run` creates the control table and moves the design state there; other items do not change"

    @property
    def remedy(self) -> str | None:
        return f"Keep control_table={self.before!r}." if self.before else None

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return msgspec.structs.replace(snapshot, control_table=self.after)


def _text(control_table: bool | str) -> str:
    if isinstance(control_table, str):
        return control_table
    return f"NAME{CONTROL_SUFFIX}" if control_table else "the table itself"
