"""The key attributes of the table, or another setting on which every item depends, have changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.snapshot_records import IndexSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass
from singletable.model.table_schema import TABLE


@dataclass(frozen=True)
class TableChanged(Operation):
    """A setting of the table that a table with data cannot change."""

    kind: ClassVar[str] = "table changed"
    setting: str
    before: Any
    after: Any

    @property
    def subject(self) -> str:
        return _WORDS[self.setting]

    @property
    def detail(self) -> str:
        return f"{_text(self.before)} → {_text(self.after)}"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED

    @property
    def items(self) -> str:
        return "every item would have to be written again, into another table"

    @property
    def remedy(self) -> str | None:
        return "Create a second table with the new design, write to both, copy the items, and switch the readers."

    def apply(self, snapshot: Snapshot) -> Snapshot:
        if self.setting == TABLE:
            return msgspec.structs.replace(snapshot, indexes={**snapshot.indexes, TABLE: self.after})
        return msgspec.structs.replace(snapshot, **{self.setting: self.after})


_WORDS: Mapping[str, str] = {
    TABLE: "key attributes",
    "type_attribute": "type attribute",
    "schema_version_attribute": "schema version attribute",
    "delimiter": "delimiter",
}
SETTINGS = tuple(name for name in _WORDS if name != TABLE)


def _text(value: Any) -> str:
    if isinstance(value, IndexSnapshot):
        return ", ".join(f"{each.name} ({each.type})" for each in (*value.partition, *value.sort))
    return repr(value)
