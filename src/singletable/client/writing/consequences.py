"""What follows from a write in other items: markers claimed and released, counters moved, mirrors and copies kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.client.answers import Item
from singletable.client.writing.action import Action, Requirement
from singletable.client.writing.preparing import Prepared, stored_or_none
from singletable.client.writing.stored_tree import absent, attribute_equals, exists
from singletable.client.writing.wanted import shown
from singletable.errors import NotFound, NotUnique
from singletable.expressions.tree import Change, Compare, Condition, Constant, Or, Path
from singletable.model.copies import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.model.keys import Placement
from singletable.model.unique import MARKER
from singletable.planner.bind import key_attribute_value
from singletable.planner.items import item_of, key_of

OWNER = "owner"
"""The attribute of a marker that holds the key of the item it belongs to."""

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Consequences:
    """The further actions of one entity's writes."""

    design: Design
    entity: Entity
    keeping: Keeping
    asked: int
    now: Callable[[], float]

    @property
    def _partition(self) -> str:
        return self.design.table.partition[0].name

    def actions(self, old: Fields | None, new: Fields | None) -> Iterator[Action]:
        """What follows when an item goes from some values to others; None is for no item."""
        for unique in self.keeping.uniques:
            yield from self._marker(unique, old, new)
        for count, owner in self.keeping.counted:
            before, after = (_key_of(owner, count.by, values) for values in (old, new))
            if before != after:
                attribute = owner.attributes[count.field]
                yield from self._counted(owner, attribute, before, -1)
                yield from self._counted(owner, attribute, after, +1)
        for mirror in self.keeping.mirrors:
            yield from self._mirrored(mirror, old, new)

    def checks(self, new: Fields) -> Iterator[tuple[Copy, Entity, Action]]:
        """That what an item repeats is what the others say, each with what is repeated."""
        for copy, source in self.keeping.held:
            values = {theirs: new[ours] for theirs, ours in copy.by.items()}
            if any(value is None for value in values.values()):
                continue
            said = shown(source, values)
            message = f"there is no {said}, whose {', '.join(copy.fields)} {self.entity.label} repeats"
            required = Requirement(exists(self._partition), _not_found(message), self.asked)
            guards = tuple(
                attribute_equals(source.attributes[theirs], stored_or_none(source, theirs, new[ours]))
                for theirs, ours in copy.fields.items()
            )
            key = key_of(source, values)
            yield copy, source, Action("ConditionCheck", key, self.asked, requirements=(required,), guards=guards)

    def _marker(self, unique: Placement, old: Fields | None, new: Fields | None) -> Iterator[Action]:
        before = None if old is None else self._marker_item(unique, old)
        after = None if new is None else self._marker_item(unique, new)
        if before == after:
            return
        names = self.design.table.key_attributes
        before_key, after_key = (None if item is None else {n: item[n] for n in names} for item in (before, after))
        if before is not None and before_key is not None and before_key != after_key:
            yield Action("Delete", before_key, self.asked, guards=(self._free_or_of(before[OWNER]),))
        if after is not None and after_key is not None and new is not None:
            values = ", ".join(f"{name}={new[name]!r}" for name in sorted(unique.fields))
            failed = NotUnique(f"there is another {self.entity.label} with {values}", tuple(sorted(unique.fields)))
            required = Requirement(self._free_or_of(after[OWNER]), lambda item: failed, self.asked)
            yield Action("Put", after_key, self.asked, after, requirements=(required,))

    def _marker_item(self, unique: Placement, values: Fields) -> Item | None:
        """The marker of an item: whose it is, and when it expires if the item does."""
        keys = unique.encode(values)
        if keys is None:
            return None
        item: Item = {name: key_attribute_value(value) for name, value in keys.items()}
        item[OWNER] = {"M": key_of(self.entity, values)}
        if self.design.settings.type_attribute:
            item[self.design.settings.type_attribute] = {"S": MARKER}
        expiry = self.entity.declaration.ttl
        if expiry is not None and (stored := stored_or_none(self.entity, expiry, values[expiry])) is not None:
            item[self.entity.attributes[expiry]] = stored
        return item

    def _free_or_of(self, owner: dict[str, Any]) -> Condition:
        return Or((absent(self.design, self.entity, self.now()), Compare("=", Path((OWNER,)), Constant(owner))))

    def _counted(self, owner: Entity, attribute: str, values: Fields | None, by: int) -> Iterator[Action]:
        if values is None:
            return
        change = Change("ADD", Path((attribute,)), Constant({"N": str(by)}))
        failed = _not_found(f"there is no {shown(owner, values)} that could count {self.entity.label}")
        required = Requirement(exists(self._partition), failed, self.asked)
        key = key_of(owner, values)
        yield Action("Update", key, self.asked, None, (change,), (required,), is_dispensable=by < 0)

    def _mirrored(self, mirror: Entity, old: Fields | None, new: Fields | None) -> Iterator[Action]:
        before, after = (None if v is None else {name: v[name] for name in mirror.fields} for v in (old, new))
        if before == after:
            return
        old_key = None if before is None else key_of(mirror, before)
        new_key = None if after is None else key_of(mirror, after)
        if old_key is not None and old_key != new_key:
            yield Action("Delete", old_key, self.asked)
        if new_key is not None and after is not None:
            yield Action("Put", new_key, self.asked, item_of(self.design, mirror, after))


def repeated_of(copy: Copy, source: Entity, values: Fields) -> dict[str, Any]:
    """The fields that repeat a source with these values."""
    return {ours: values[theirs] for theirs, ours in copy.fields.items()}


def all_actions(
    design: Design, keepings: Mapping[type, Keeping], now: Callable[[], float], prepared: Prepared
) -> Iterator[Action]:
    """A write's own action and all that follow from it."""
    yield prepared.action
    entity = prepared.wanted.entity
    if prepared.is_known:
        consequences = Consequences(design, entity, keepings[entity.cls], prepared.action.asked, now)
        yield from consequences.actions(prepared.old, prepared.new)


def _key_of(owner: Entity, by: Mapping[str, str], values: Fields | None) -> dict[str, Any] | None:
    if values is None or any(values[ours] is None for ours in by.values()):
        return None
    return {theirs: values[ours] for theirs, ours in by.items()}


def _not_found(message: str) -> Any:
    return lambda item: NotFound(message)
