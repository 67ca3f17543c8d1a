"""Writes as they are asked for, before it is known what they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from singletable.errors import ArgumentRefused
from singletable.expressions.tree import Change, Condition
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping


@dataclass(frozen=True)
class Wanted:
    """One write or check of one item, by its entity and fields."""

    kind: Literal["put", "create", "upsert", "update", "delete", "check"]
    entity: Entity
    values: Mapping[str, Any]
    """Every field of an object, or the fields of its key."""
    target: Any = None
    """The object or the key that the caller gave."""
    changes: tuple[Change, ...] = ()
    where: Condition | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    version: int | None = None
    """The version that an object was read as."""
    unchanged: Condition | None = None
    """That an object which is moved is as it was read."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Attributes of a whole item that the model does not know, as they are stored."""
    absent: bool = False
    """Of a check: that the item is not there."""

    @property
    def changed(self) -> frozenset[str]:
        """The fields that an update changes, wholly or inside."""
        return frozenset(str(change.path.steps[0]) for change in self.changes)

    @property
    def shown(self) -> str:
        """The item in words: `Order with id='o1'`."""
        return shown(self.entity, self.values)


def shown(entity: Entity, values: Mapping[str, Any]) -> str:
    """An item in words, by the fields of its key."""
    return f"{entity.label} with " + ", ".join(f"{name}={values.get(name)!r}" for name in sorted(entity.base.fields))


def refuse_misuse(wanted: Wanted, keeping: Keeping) -> None:
    """Refuses writes of what only other writes may change."""
    label = wanted.entity.label
    if keeping.mirror_of is not None and wanted.kind != "check":
        mirrored = keeping.mirror_of.label
        raise ArgumentRefused(f"{label} mirrors {mirrored}, and is written with it; write the {mirrored}")
    if moved := sorted(wanted.changed & wanted.entity.base.fields):
        raise ArgumentRefused(
            f"{', '.join(moved)} is part of {label}'s key, and an item cannot change its key.\n"
            "  Use move(old, new), which writes the new item and deletes the old one in one transaction."
        )
    if (version := wanted.entity.declaration.version) in wanted.changed:
        raise ArgumentRefused(f"{label}.{version} is the version of the item, and every write raises it by itself")
    if counters := sorted(wanted.changed & keeping.counters):
        raise ArgumentRefused(f"{label}.{', '.join(counters)} counts other items, and is kept by their writes alone")
    for copy, source in keeping.held:
        for theirs, ours in copy.fields.items():
            if ours in wanted.changed:
                raise ArgumentRefused(f"{label}.{ours} repeats {source.label}.{theirs}; change it there")
