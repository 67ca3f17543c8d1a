"""Derived data that writes keep in sync: `copy()` and `count()`, unique markers and mirrored edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from singletable.expressions.tree import Condition, paths
from singletable.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from singletable.model.entity import Entity
    from singletable.model.keys import Placement
    from singletable.model.validation.value_rules import Validation


@dataclass(frozen=True)
class Copy:
    """Fields that an entity copies from another entity, and the fields that identify the source item."""

    source: type
    by: Mapping[str, str]
    fields: Mapping[str, str]
    in_parts: bool = False


def copy(
    source: type, *, by: Mapping[str, str], fields: Mapping[str, str] | Iterable[str], in_parts: bool = False
) -> Copy:
    """Declare fields that are copies of fields of `source`, for `copies=` of an entity.

    A write of the source updates the copies in the same transaction, so that a list can show them without a second
    read: `copies=[copy(Customer, by={"id": "customer_id"}, fields={"name": "customer_name"})]`.

    - `by`: maps each key field of the source to the field of this entity that has the same value.
    - `fields`: the copied fields, or a mapping from the names in the source to the names here.
    - `in_parts`: allow more copies than fit into one transaction (100 items); the call updates the rest in further
      transactions before it returns.
    """
    mapping = dict(fields) if isinstance(fields, Mapping) else {name: name for name in fields}
    return Copy(source, dict(by), mapping, in_parts)


MARK = "$counted#"
"""The start of the name of each attribute that marks an item as counted, while a migration adds a counter."""


class Marking(Enum):
    """What writes do with the marks on counted items, while a migration adds the counter."""

    IGNORED = "counts nothing"
    HONORED = "subtracts marked items, and adds none"
    WRITTEN = "adds and marks items, and subtracts marked ones"
    COMPLETE = "marks items, of which all are counted"


@dataclass(frozen=True, eq=False)  # hashable by identity, because its compiled condition is cached
class Count:
    """A counter of items of this entity: which items it counts, and the entity (the owner) that stores it."""

    owner: type
    by: Mapping[str, str]
    field: str
    where: Callable[[Any], bool] | None = None
    condition: Condition | None = None
    """The condition that `where` describes, set when a table is compiled; None if the counter counts all items."""
    validation: Validation = "whole"
    """With "fields", the counter skips those rules of the owner's class that need the whole object."""
    marking: Marking | None = None
    """What writes do with the marks on counted items, while a migration adds the counter.

    None for a complete counter.
    """

    @cached_property
    def condition_fields(self) -> frozenset[str]:
        """The fields that the condition reads."""
        return frozenset(path.attribute for path in paths(self.condition))

    @property
    def tracked_fields(self) -> frozenset[str]:
        """The fields whose change can change the counter."""
        return self.condition_fields.union(self.by.values())


def count(
    owner: type,
    *,
    by: Mapping[str, str],
    field: str,
    where: Callable[[Any], bool] | None = None,
    validate: Validation = "whole",
) -> Count:
    """Declare a counter in another entity, for `counted=` of an entity.

    Every write of this entity updates the counter in the same transaction, without reading the owner:
    `counted=[count(Customer, by={"id": "customer_id"}, field="order_count")]`.

    - `owner`: the entity that has the counter.
    - `by`: maps each key field of the owner to the field of this entity that has the same value.
    - `field`: the int field of the owner that stores the count. Its bounds are checked.
    - `where`: a condition on the fields of this entity; only items that satisfy it are counted:
      `where=lambda order: order.status == "OPEN"`.
    - `validate`: a write that changes a counter does not read the owner, so the client cannot check rules about the
      whole owner. An owner with such rules is an error, unless `validate="fields"` skips these rules for the counter.
    """
    return Count(owner, dict(by), field, where, validation=validate)


@dataclass(frozen=True)
class DerivedDataRules:
    """The derived data that a write of one entity keeps in sync."""

    uniques: tuple[Placement, ...]
    """The keys of the entity's unique markers."""
    counted: tuple[tuple[Count, Entity], ...]
    """The counters that count the entity's items, each with its owner."""
    copies: tuple[tuple[Copy, Entity], ...]
    """The copies that the entity's items contain, each with the source entity."""
    copied_by: tuple[tuple[Copy, Entity], ...]
    """The copies of the entity's fields, each with the entity that stores them."""
    mirrors: tuple[Entity, ...]
    """The entities that mirror this entity's items."""
    mirror_of: Entity | None
    """The entity that this entity mirrors."""
    counters: frozenset[str]
    """The entity's counter fields; only writes of the counted entities change them."""
    expiry: str | None
    """The entity's TTL field. A unique marker expires together with its item."""
    second_forms: Mapping[str, str]
    """Additional attributes, with their fields.

    A migration that renames an attribute stores a field under both names.
    """

    @property
    def copied_fields(self) -> frozenset[str]:
        """The entity's fields that are copies; only writes of the source entities change them."""
        return frozenset(ours for copy, _ in self.copies for ours in copy.fields.values())

    @property
    def tracked_fields(self) -> frozenset[str]:
        """The fields whose change affects other items."""
        fields = {name for unique in self.uniques for name in unique.fields}
        fields = fields.union(*(count.tracked_fields for count, _ in self.counted))
        fields |= {ours for copy, _ in self.copies for ours in copy.by.values()}
        fields |= {theirs for copy, _ in self.copied_by for theirs in copy.fields}
        fields |= {*self.second_forms.values()}
        if self.expiry is not None and self.uniques:
            fields.add(self.expiry)
        return frozenset(fields.union(*(mirror.fields for mirror in self.mirrors)))

    @property
    def tracks_existence(self) -> bool:
        """Whether creating or deleting an item affects other items."""
        return bool(self.uniques or self.counted or self.mirrors)

    @property
    def reason(self) -> str | None:
        """The derived data of the entity in words, for messages; None if a write affects no other items."""
        reasons = ["unique values"] * bool(self.uniques) + ["counters in other items"] * bool(self.counted)
        reasons += ["copies of other entities"] * bool(self.copies) + ["copies in other items"] * bool(self.copied_by)
        reasons += ["a mirror"] * bool(self.mirrors) + ["the items that it mirrors"] * (self.mirror_of is not None)
        reasons += ["counters"] * bool(self.counters) + ["renamed attributes"] * bool(self.second_forms)
        return " and ".join(reasons) or None


def derived_data_of(entities: Sequence[Entity], entity: Entity) -> DerivedDataRules:
    """Return the derived data that a write of an entity keeps in sync."""
    by_class = {each.cls: each for each in entities}
    declaration = entity.declaration
    return DerivedDataRules(
        entity.uniques,
        tuple((count, by_class[count.owner]) for count in declaration.counted),
        tuple((copy, by_class[copy.source]) for copy in declaration.copies),
        tuple((copy, other) for other in entities for copy in other.declaration.copies if copy.source is entity.cls),
        tuple(other for other in entities if other.declaration.mirror_of is entity.cls),
        None if declaration.mirror_of is None else by_class[declaration.mirror_of],
        frozenset(
            count.field for other in entities for count in other.declaration.counted if count.owner is entity.cls
        ),
        declaration.ttl,
        declaration.second_forms,
    )
