"""The unique constraints, counters, copies or mirror of an entity have changed."""

from __future__ import annotations

from typing import Any, ClassVar

from singletable.evolve.operation import Category, Operation, with_entity
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass

WORDS = {"unique": "unique constraints", "counted": "counters", "copies": "copies", "mirror_of": "mirror"}
_STEPS = {
    "unique": "write the unique markers",
    "counted": "set the counters",
    "copies": "write the copied fields",
    "mirror_of": "put the mirrored items",
}


@dataclass(frozen=True)
class DerivedDataChanged(Operation):
    """Derived data that the new design adds to stored items, removes from them, or computes differently."""

    kind: ClassVar[str] = "derived data"
    entity: str
    label: str
    option: str
    before: Any
    after: Any

    @property
    def subject(self) -> str:
        return f"{self.label} {self.option}="

    @property
    def detail(self) -> str:
        return f"changed {WORDS[self.option]}"

    @property
    def category(self) -> Category:
        return Category.UNSUPPORTED

    @property
    def items(self) -> str:
        return f"stored items do not match the {WORDS[self.option]} of the new design"

    @property
    def remedy(self) -> str | None:
        steps = f"Stop all writers, {_STEPS[self.option]} with a script"
        return f"{steps}, and deploy the code with {self.option}= afterwards."

    def apply(self, snapshot: Snapshot) -> Snapshot:
        return with_entity(snapshot, self.entity, **{self.option: self.after})
