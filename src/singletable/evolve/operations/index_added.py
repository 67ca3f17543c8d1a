"""A new index."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.snapshot_records import IndexSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class IndexAdded(Operation):
    """An index that the table does not have yet."""

    kind: ClassVar[str] = "index added"
    index: IndexSnapshot

    @property
    def subject(self) -> str:
        return self.index.name

    @property
    def detail(self) -> str:
        return f"on {', '.join(self.index.attributes)}"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED if self.index.kind == "LSI" else Category.IN_PLACE

    @property
    def items(self) -> str:
        return "the table stays readable and writable while DynamoDB creates the index"

    @property
    def remedy(self) -> str | None:
        if self.index.kind != "LSI":
            return None
        return "DynamoDB creates local indexes only together with the table; declare a global index instead."

    def apply(self, snapshot: Snapshot) -> Snapshot:
        indexes = dict(sorted({**snapshot.indexes, self.index.alias: self.index}.items()))
        return msgspec.structs.replace(snapshot, indexes=indexes)
