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
        return Category.IN_PLACE if self.before is None else Category.UNSUPPORTED

    @property
    def items(self) -> str:
        return "DynamoDB deletes items after the time in the attribute" if self.after else "items no longer expire"

    @property
    def remedy(self) -> str | None:
        if self.before is None:
            return None
        return (
            "Disable the time to live with UpdateTimeToLive first; DynamoDB accepts one change an hour. Then run "
            "`singletable migrate make` again."
        )

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return msgspec.structs.replace(snapshot, ttl_attribute=self.after)
