"""The base class of operations: one change of a design, with its effects, its cost and how to deploy it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, ClassVar

import msgspec

from singletable.evolve.phases import DUAL_EFFECTS, IN_PLACE_EFFECTS, PhaseEffect, effects_with
from singletable.evolve.snapshot_records import EntitySnapshot, Snapshot
from singletable.lazy_dataclass import dataclass


class Category(Enum):
    """The work that a change needs."""

    INSTANT = "instant"
    """Only the deployment of the new code is needed. Stored items stay valid."""
    IN_PLACE = "in place"
    """A migration is needed, which keeps both forms in one item while it runs."""
    MOVE = "move"
    """A migration is needed that gives items another key. Each item exists under one of its two keys."""
    UNSUPPORTED = "not supported"
    """This release does not support the change. The operation says what to do instead."""

    @property
    def has_phases(self) -> bool:
        """Whether the change is a migration, which changes stored items phase by phase."""
        return self in (Category.IN_PLACE, Category.MOVE)


@dataclass(frozen=True)
class Operation(ABC):
    """One change of a design, as a value."""

    kind: ClassVar[str]
    """The kind of change as a short text: `index added`."""

    @property
    @abstractmethod
    def subject(self) -> str:
        """The changed thing: `GSI2`, `Order.gsi1`."""

    @property
    def detail(self) -> str:
        """The old and the new value, or an empty text."""
        return ""

    @property
    def category(self) -> Category:
        """The work that the change needs."""
        return Category.INSTANT

    @property
    @abstractmethod
    def items(self) -> str:
        """The effect on stored items."""

    @property
    def works_in_all_phases(self) -> bool:
        """Whether new code can work with the old keys until the new ones are complete."""
        return self.category is not Category.UNSUPPORTED

    @property
    def stops_old_writers(self) -> bool:
        """Whether old code must not write from the phase `expand` on, instead of the phase `backfill`."""
        return False

    @property
    def remedy(self) -> str | None:
        """What to do instead of a change that is not supported."""
        return None

    @property
    def effects(self) -> tuple[PhaseEffect, ...]:
        """The behaviour of old and new code during the change."""
        if self.category is Category.IN_PLACE:
            return DUAL_EFFECTS if self.works_in_all_phases else IN_PLACE_EFFECTS
        return effects_with("works", "works")

    @property
    def rewritten(self) -> frozenset[str]:
        """The names of the entities whose items the backfill writes."""
        return frozenset()

    @property
    def cleaned(self) -> frozenset[str]:
        """The names of the entities whose items lose old attributes at the end of the migration."""
        return frozenset()

    @abstractmethod
    def apply(self, snapshot: Snapshot) -> Snapshot:
        """Return the design after the change."""

    def __str__(self) -> str:
        return " ".join(part for part in (self.kind, self.subject, self.detail) if part)


def with_entity(snapshot: Snapshot, name: str, **changes: Any) -> Snapshot:
    """Return a snapshot in which one entity has other values."""
    changed = msgspec.structs.replace(snapshot.entities[name], **changes)
    return msgspec.structs.replace(snapshot, entities={**snapshot.entities, name: changed})


def with_fields(snapshot: Snapshot, entity: str, fields: Any) -> Snapshot:
    """Return a snapshot in which one entity has these fields, sorted by name."""
    return with_entity(snapshot, entity, fields=tuple(sorted(fields, key=lambda each: each.name)))


def entity_label(entity: EntitySnapshot) -> str:
    """Return the name of an entity in messages: its class, and its stored name if that differs."""
    return entity.label if entity.label == entity.name else f"{entity.label} ({entity.name!r})"
