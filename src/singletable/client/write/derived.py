"""Derived data of a write: unique markers, counters with their rules, mirrored edges, and checks of copied items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from singletable.client.answers import Item
from singletable.client.write.actions import Action, Requirement
from singletable.client.write.conditions import absent, attribute_equals, exists, moment
from singletable.client.write.field_changes import FieldPlan
from singletable.client.write.index_keys import stored_or_none
from singletable.client.write.intent import shown
from singletable.client.write.prepare import PreparedWrite, Preparer
from singletable.errors import NotFound, NotUnique
from singletable.expressions.tree import Change, Compare, Condition, Constant, Or, Path
from singletable.model.copies import Copy
from singletable.model.counts import Count
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.model.keys import Placement
from singletable.model.unique import MARKER
from singletable.planner.bind import key_attribute_value
from singletable.planner.count_conditions import is_counted
from singletable.planner.items import key_of


def with_counter_rules(preparer: Preparer, action: Action) -> Action:
    """The action on condition that its counters stay within their bounds; raises InvalidValue for an item to put."""
    owner = action.counts_in
    if owner is None:
        return action
    if action.kind == "Put" and action.item is not None:
        if not preparer.trusts(owner):
            preparer.writes(owner).validator.read_slowly(action.item)
        return action
    bounds = tuple(_bounds(preparer, owner, action))
    return replace(action, requirements=(*action.requirements, *bounds)) if bounds else action


def _bounds(preparer: Preparer, owner: Entity, action: Action) -> Iterator[Requirement]:
    fields = {owner.attributes[name]: name for name in preparer.keeping(owner).counters}
    for change in action.changes:
        name = fields.get(str(change.path.steps[0]))
        if name is None or change.action != "ADD" or not isinstance(change.value, Constant):
            continue
        plan, amount = preparer.writes(owner).counter_plan(name), int(change.value.value["N"])
        bound = plan.bind(amount)
        for each in plan.expressed(bound.form, bound.values).bounds:
            yield Requirement(each.condition, _breaks(plan, name, amount, each.rule), action.intent)


def _breaks(plan: FieldPlan, name: str, amount: int, rule: str) -> Callable[[Item | None], Exception]:
    def error(item: Item | None) -> Exception:
        stored = (item or {}).get(plan.entity.attributes[name], {}).get("N", "0")
        changes = f"{rule}, and the write changes this counter by {amount:+}"
        return plan.invalid(int(stored) + amount, changes, sent=True)

    return error


OWNER = "owner"
"""The attribute of a unique marker that holds the key of its item."""

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class DerivedData:
    """The actions that one entity's writes cause in other items."""

    preparer: Preparer
    entity: Entity
    intent: int

    @property
    def keeping(self) -> Keeping:
        """The derived data of the entity."""
        return self.preparer.keeping(self.entity)

    def actions(self, old: Fields | None, new: Fields | None) -> Iterator[Action]:
        """The actions when an item's fields change; None stands for no item."""
        for unique in self.keeping.uniques:
            yield from self._marker(unique, old, new)
        for count, owner in self.keeping.counted:
            before, after = (self._owner_key(count, values) for values in (old, new))
            if before != after:
                yield from self._counted(owner, count.field, before, -1)
                yield from self._counted(owner, count.field, after, +1)
        for mirror in self.keeping.mirrors:
            yield from self._mirrored(mirror, old, new)

    def source_checks(self, new: Fields) -> Iterator[tuple[Copy, Entity, Action]]:
        """Checks that the copies in an item equal their sources, each with its copy and its source."""
        for copy, source in self.keeping.held:
            values = {theirs: new[ours] for theirs, ours in copy.by.items()}
            if any(value is None for value in values.values()):
                continue
            names = ", ".join(copy.fields)
            message = f"{shown(source, values)} does not exist, and {self.entity.label} copies its {names}"
            required = Requirement(exists(self.preparer.partition), _not_found(message), self.intent)
            guards = tuple(
                attribute_equals(source.attributes[theirs], stored_or_none(source, theirs, new[ours]))
                for theirs, ours in copy.fields.items()
            )
            key = key_of(source, values)
            yield copy, source, Action("ConditionCheck", key, self.intent, requirements=(required,), guards=guards)

    def _marker(self, unique: Placement, old: Fields | None, new: Fields | None) -> Iterator[Action]:
        before = None if old is None else self._marker_item(unique, old)
        after = None if new is None else self._marker_item(unique, new)
        if before == after:
            return
        names = self.preparer.design.table.key_attributes
        before_key, after_key = (None if item is None else {n: item[n] for n in names} for item in (before, after))
        if before is not None and before_key is not None and before_key != after_key:
            yield Action("Delete", before_key, self.intent, guards=(self._free_or_of(before[OWNER]),))
        if after is not None and after_key is not None and new is not None:
            values = ", ".join(f"{name}={new[name]!r}" for name in sorted(unique.fields))
            error = NotUnique(f"another {self.entity.label} has {values}", tuple(sorted(unique.fields)))
            required = Requirement(self._free_or_of(after[OWNER]), lambda item: error, self.intent)
            yield Action("Put", after_key, self.intent, after, requirements=(required,))

    def _marker_item(self, unique: Placement, values: Fields) -> Item | None:
        """The unique marker of an item: its owner, and when it expires if the item does."""
        keys = unique.encode(values)
        if keys is None:
            return None
        item: Item = {name: key_attribute_value(value) for name, value in keys.items()}
        item[OWNER] = {"M": key_of(self.entity, values)}
        type_attribute = self.preparer.design.settings.type_attribute
        if type_attribute:
            item[type_attribute] = {"S": MARKER}
        expiry = self.entity.declaration.ttl
        if expiry is not None and (stored := stored_or_none(self.entity, expiry, values[expiry])) is not None:
            item[self.entity.attributes[expiry]] = stored
        return item

    def _free_or_of(self, owner: dict[str, Any]) -> Condition:
        free = absent(self.preparer.design, self.entity, moment(self.preparer.now()))
        return Or((free, Compare("=", Path((OWNER,)), Constant(owner))))

    def _owner_key(self, count: Count, values: Fields | None) -> dict[str, Any] | None:
        """The key fields of the owner that counts an item with these fields; None if none counts it."""
        if values is None or not is_counted(self.entity, count, values):
            return None
        return _key_of(count.by, values)

    def _counted(self, owner: Entity, field: str, values: Fields | None, by: int) -> Iterator[Action]:
        if values is None:
            return
        change = Change("ADD", Path((owner.attributes[field],)), Constant({"N": str(by)}))
        error = _not_found(f"{shown(owner, values)} does not exist, and would count {self.entity.label}")
        required = Requirement(exists(self.preparer.partition), error, self.intent)
        key = key_of(owner, values)
        yield Action("Update", key, self.intent, None, (change,), (required,), is_dispensable=by < 0, counts_in=owner)

    def _mirrored(self, mirror: Entity, old: Fields | None, new: Fields | None) -> Iterator[Action]:
        before, after = (None if v is None else {name: v[name] for name in mirror.fields} for v in (old, new))
        if before == after:
            return
        old_key = None if before is None else key_of(mirror, before)
        new_key = None if after is None else key_of(mirror, after)
        if old_key is not None and old_key != new_key:
            yield Action("Delete", old_key, self.intent)
        if new_key is not None and after is not None:
            valid = self.preparer.valid_derived(mirror, after, "mirror")
            self.preparer.check_unchanged(mirror, after, valid.values)
            yield Action("Put", new_key, self.intent, valid.item)


def copied_fields(copy: Copy, values: Fields) -> dict[str, Any]:
    """The fields of an item that copies a source with these values."""
    return {ours: values[theirs] for theirs, ours in copy.fields.items()}


def actions_of(preparer: Preparer, write: PreparedWrite) -> Iterator[Action]:
    """A write's own action and those of its derived data, copies excepted."""
    yield write.action
    if write.is_known:
        derived = DerivedData(preparer, write.intent.entity, write.action.intent)
        yield from derived.actions(write.old, write.new)


def _key_of(by: Mapping[str, str], values: Fields) -> dict[str, Any] | None:
    if any(values[ours] is None for ours in by.values()):
        return None
    return {theirs: values[ours] for theirs, ours in by.items()}


def _not_found(message: str) -> Callable[[Item | None], Exception]:
    return lambda item: NotFound(message)
