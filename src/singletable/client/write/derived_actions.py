"""Derived data of a write: unique markers, counters and their bounds, mirrored edges, and checks of copy sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from singletable.client.items.decoder import key_value
from singletable.client.responses import Item
from singletable.client.write.counter_marks import counted_owners, mark_attribute, owner_key
from singletable.client.write.field_changes import FieldPlan
from singletable.client.write.index_key_changes import stored_or_none
from singletable.client.write.item_actions import ItemAction, Requirement
from singletable.client.write.prepare_actions import PreparedWrite, Preparer
from singletable.client.write.second_forms import with_second_attributes
from singletable.client.write.stored_expressions import absent_or_expired, attribute_equals, exists, stored_time
from singletable.client.write.write_intents import item_label
from singletable.errors import NotFound, NotUnique
from singletable.expressions.tree import Change, Compare, Condition, Constant, Or, Path
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.derived_data import Copy, DerivedDataRules, Marking
from singletable.model.entity import Entity
from singletable.model.keys import Placement
from singletable.model.unique_markers import MARKER
from singletable.planner.stored_items import key_attribute_value, key_of


def with_counter_rules(preparer: Preparer, action: ItemAction) -> ItemAction:
    """Return the action with conditions that keep its counters within their bounds.

    Raise InvalidValue for an invalid put.
    """
    owner = action.counts_in
    if owner is None:
        return action
    if action.kind == "Put" and action.item is not None:
        if not preparer.is_sample(owner):
            preparer.writes(owner).validator.read_slowly(action.item)
        return action
    bounds = tuple(_bounds(preparer, owner, action))
    return replace(action, requirements=(*action.requirements, *bounds)) if bounds else action


def _bounds(preparer: Preparer, owner: Entity, action: ItemAction) -> Iterator[Requirement]:
    fields = {owner.attributes[name]: name for name in preparer.derived_data(owner).counters}
    for change in action.changes:
        name = fields.get(str(change.path.steps[0]))
        if name is None or change.action != "ADD" or not isinstance(change.value, Constant):
            continue
        plan, amount = preparer.writes(owner).counter_plan(name), int(change.value.value["N"])
        change_by = plan.bind(amount)
        for each in plan.expressions(change_by.form, change_by.values).conditions:
            yield Requirement(each.condition, _counter_rule_error(plan, name, amount, each.rule), action.intent)


def _counter_rule_error(plan: FieldPlan, name: str, amount: int, rule: str) -> Callable[[Item | None], Exception]:
    def error(item: Item | None) -> Exception:
        stored = (item or {}).get(plan.entity.attributes[name], {}).get("N", "0")
        changes = f"{rule}, but the write changes this counter by {amount:+}"
        return plan.invalid(int(stored) + amount, changes, sent=True)

    return error


OWNER = "owner"
"""The attribute of a unique marker that stores the key of the item with the unique value."""

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class DerivedData:
    """The actions on other items that a write of one entity causes."""

    preparer: Preparer
    entity: Entity
    intent: int

    @property
    def rules(self) -> DerivedDataRules:
        """Return the rules for the derived data of the entity."""
        return self.preparer.derived_data(self.entity)

    def actions(
        self, old: Fields | None, new: Fields | None, marks: Mapping[str, Any] | None = None
    ) -> Iterator[ItemAction]:
        """Yield the actions that follow from a change of an item's fields.

        `old` is None for a create, `new` for a delete. `marks` are the stored marks of the item, by attribute, or None
        if no counter changes.
        """
        for unique in self.rules.uniques:
            yield from self._marker(unique, old, new)
        for count, owner in self.rules.counted:
            before, after = (owner_key(self.entity, count, owner, values) for values in (old, new))
            if marks is not None:
                before, after = counted_owners(count, before, after, marks.get(mark_attribute(count, owner)))
            if before != after and count.marking is not Marking.IGNORED:
                yield from self.counted(owner, count.field, before, -1)
                yield from self.counted(owner, count.field, after, +1)
        for mirror in self.rules.mirrors:
            yield from self._mirrored(mirror, old, new)

    def source_checks(self, new: Fields) -> Iterator[tuple[Copy, Entity, ItemAction]]:
        """For each copy in an item, yield the copy, its source entity, and a check that the copy equals its source."""
        for copy, source in self.rules.copies:
            values = {theirs: new[ours] for theirs, ours in copy.by.items()}
            if any(value is None for value in values.values()):
                continue
            names = ", ".join(copy.fields)
            message = f"{item_label(source, values)} does not exist, but {self.entity.label} copies its {names}"
            required = Requirement(exists(self.preparer.partition), _not_found(message), self.intent)
            guards = tuple(
                attribute_equals(source.attributes[theirs], stored_or_none(source, theirs, new[ours]))
                for theirs, ours in copy.fields.items()
            )
            key = key_of(source, values)
            yield copy, source, ItemAction("ConditionCheck", key, self.intent, requirements=(required,), guards=guards)

    def _marker(self, unique: Placement, old: Fields | None, new: Fields | None) -> Iterator[ItemAction]:
        before = None if old is None else self.marker_item(unique, old)
        after = None if new is None else self.marker_item(unique, new)
        if before == after:
            return
        names = self.preparer.design.table.key_attributes
        before_key, after_key = (None if item is None else {n: item[n] for n in names} for item in (before, after))
        if before is not None and before_key is not None and before_key != after_key:
            yield ItemAction("Delete", before_key, self.intent, guards=(self._free_or_owned_by(before[OWNER]),))
        if after is not None and after_key is not None and new is not None:
            values = ", ".join(f"{name}={new[name]!r}" for name in sorted(unique.fields))
            error = NotUnique(f"another {self.entity.label} has {values}", tuple(sorted(unique.fields)))
            required = Requirement(self._free_or_owned_by(after[OWNER]), lambda item: error, self.intent)
            yield ItemAction("Put", after_key, self.intent, after, requirements=(required,))

    def marker_item(self, unique: Placement, values: Fields) -> Item | None:
        """Return the unique marker of an item, with the item's key and expiry time.

        Return None if a unique field is None.
        """
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

    def _free_or_owned_by(self, owner: dict[str, Any]) -> Condition:
        free = absent_or_expired(self.preparer.design, self.entity, stored_time(self.preparer.now()))
        return Or((free, Compare("=", Path((OWNER,)), Constant(owner))))

    def counted(self, owner: Entity, field: str, key: Item | None, by: int) -> Iterator[ItemAction]:
        """Yield the change of a counter in the owner with this key, if there is one."""
        if key is None:
            return
        change = Change("ADD", Path((owner.attributes[field],)), Constant({"N": str(by)}))
        values = owner.base.decode({name: key_value(value) for name, value in key.items()})
        error = _not_found(f"{item_label(owner, values)} does not exist, so it cannot count {self.entity.label} items")
        required = Requirement(exists(self.preparer.partition), error, self.intent)
        yield ItemAction(
            "Update", key, self.intent, None, (change,), (required,), is_dispensable=by < 0, counts_in=owner
        )

    def _mirrored(self, mirror: Entity, old: Fields | None, new: Fields | None) -> Iterator[ItemAction]:
        before, after = (None if v is None else {name: v[name] for name in mirror.fields} for v in (old, new))
        if before == after:
            return
        old_key = None if before is None else key_of(mirror, before)
        new_key = None if after is None else key_of(mirror, after)
        if old_key is not None and old_key != new_key:
            yield ItemAction("Delete", old_key, self.intent)
        if new_key is not None and after is not None:
            valid = self.preparer.valid_derived(mirror, after, "mirror")
            self.preparer.check_unchanged(mirror, after, valid.values)
            forms = self.preparer.derived_data(mirror).second_forms
            yield ItemAction("Put", new_key, self.intent, with_second_attributes(mirror, forms, valid.item))


def copied_fields(copy: Copy, values: Fields) -> dict[str, Any]:
    """Return the copied fields of an item whose source has these values."""
    return {ours: values[theirs] for theirs, ours in copy.fields.items()}


def actions_with_derived_data(preparer: Preparer, write: PreparedWrite) -> Iterator[ItemAction]:
    """Yield the action of a write and the actions on its derived data, except updates of copies."""
    yield write.action
    if write.is_known:
        derived = DerivedData(preparer, write.intent.entity, write.action.intent)
        yield from derived.actions(write.old, write.new, write.marks)


def _not_found(message: str) -> Callable[[Item | None], Exception]:
    return lambda item: NotFound(message)
