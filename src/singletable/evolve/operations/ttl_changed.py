"""The time-to-live attribute of the table has changed."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class TtlChanged(Operation):
    """The attribute by which DynamoDB deletes expired items."""

    kind: ClassVar[str] = "TTL changed"
    before: str | None
    after: str | None

    @property
    def subject(self) -> str:
        return "the table"

    @property
    def detail(self) -> str:
        return f"{self.before or 'none'} → {self.after or 'none'}"

    @property
    def category(self) -> Category:
        return Category.IN_PLACE

    @property
    def items(self) -> str:
        if self.before is not None and self.after is not None:
            return "the last phase changes the attribute; DynamoDB accepts one change an hour, so it can take two hours"
        return "DynamoDB deletes items after the time in the attribute" if self.after else "items no longer expire"

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return msgspec.structs.replace(snapshot, ttl_attribute=self.after)
