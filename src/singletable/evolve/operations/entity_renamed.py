"""The stored name of an entity has changed."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from singletable.evolve.operation import Category, Operation
from singletable.evolve.snapshot_records import Snapshot
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class EntityRenamed(Operation):
    """An entity whose items have another value of the type attribute. New code reads both values until the end."""

    kind: ClassVar[str] = "entity renamed"
    before: str
    after: str
    label: str
    is_unique: bool
    """Whether the keys of unique markers contain the name."""
    is_stored: bool
    """Whether items contain the name."""

    @property
    def subject(self) -> str:
        return f"{self.before} → {self.after}"

    @property
    def category(self) -> Category:
        if self.is_unique:
            return Category.UNSUPPORTED
        return Category.IN_PLACE if self.is_stored else Category.INSTANT

    @property
    def items(self) -> str:
        if self.is_unique:
            return f"the keys of unique markers contain the name {self.before!r}"
        if not self.is_stored:
            return "no stored item changes"
        return f"the last phase writes the name {self.after!r} into every {self.label}"

    @property
    def cleaned(self) -> frozenset[str]:
        return frozenset((self.after,)) if self.is_stored else frozenset()

    @property
    def remedy(self) -> str | None:
        if not self.is_unique:
            return None
        return f'Keep the stored name: @entity(name="{self.before}"); you can rename the class {self.label} freely.'

    def apply(self, snapshot: Snapshot) -> Snapshot:
        def name(each: str) -> str:
            return self.after if each == self.before else each

        entities = {
            name(each.name): msgspec.structs.replace(
                each,
                name=name(each.name),
                copies=tuple(msgspec.structs.replace(copy, source=name(copy.source)) for copy in each.copies),
                counted=tuple(msgspec.structs.replace(count, owner=name(count.owner)) for count in each.counted),
                mirror_of=None if each.mirror_of is None else name(each.mirror_of),
            )
            for each in snapshot.entities.values()
        }
        return msgspec.structs.replace(snapshot, entities=dict(sorted(entities.items())))
