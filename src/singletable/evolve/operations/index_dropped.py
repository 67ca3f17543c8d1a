"""An index that the new design does not have."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.snapshot_records import IndexSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class IndexDropped(Operation):
    """An index that is no longer used, with its key attributes."""

    kind: ClassVar[str] = "index dropped"
    index: IndexSnapshot

    @property
    def subject(self) -> str:
        return self.index.name

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED if self.index.kind == "LSI" else Category.IN_PLACE

    @property
    def items(self) -> str:
        return "the index stays complete until no code reads it, and is deleted last"

    @property
    def remedy(self) -> str | None:
        if self.index.kind != "LSI":
            return None
        return "DynamoDB cannot delete a local index; keep its declaration, or create another table."

    def apply(self, snapshot: Snapshot) -> Snapshot:
        indexes = {alias: each for alias, each in snapshot.indexes.items() if alias != self.index.alias}
        return msgspec.structs.replace(snapshot, indexes=indexes)
