"""The name, key attributes or projection of an index have changed: a new index replaces the old one."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.snapshot_records import IndexSnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class IndexChanged(Operation):
    """An alias that refers to a different DynamoDB index in the new design."""

    kind: ClassVar[str] = "index changed"
    before: IndexSnapshot
    after: IndexSnapshot

    @property
    def subject(self) -> str:
        return self.after.alias

    @property
    def detail(self) -> str:
        if self.before.name != self.after.name:
            return f"{self.before.name} → {self.after.name}"
        return f"{_text(self.before)} → {_text(self.after)}"

    @property
    def category(self) -> Category:
        is_global = self.before.kind == self.after.kind == "GSI"
        return Category.IN_PLACE if is_global and self.before.name != self.after.name else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        return f"new index {self.after.name} replaces {self.before.name}, which is deleted last"

    @property
    def remedy(self) -> str | None:
        if self.category is Category.IN_PLACE:
            return None
        if "LSI" in (self.before.kind, self.after.kind):
            return "DynamoDB cannot change a local index; declare a global index under another alias."
        return f"DynamoDB cannot change an index. {new_index_remedy(self.after)}"

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return msgspec.structs.replace(snapshot, indexes={**snapshot.indexes, self.after.alias: self.after})


def new_index_remedy(index: IndexSnapshot) -> str:
    """Return the declaration that gives an alias a new index with new key attributes."""
    name = f"{index.name}_2"
    names = ", ".join(f'"{name}{suffix}"' for suffix, side in (("PK", index.partition), ("SK", index.sort)) if side)
    keys = f"({names})" if index.sort else f"({names},)"
    return f'Give the alias a new index: indexes=[GSI("{index.alias}", name="{name}", keys={keys})].'


def _text(index: IndexSnapshot) -> str:
    included = f" {', '.join(index.included)}" if index.included else ""
    return f"{', '.join(index.attributes)} {index.projection}{included}"
