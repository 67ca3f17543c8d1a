"""Preparation of writes: the action on the requested item, with its conditions and all its index keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from singletable.client.items.item_types import ItemTypes
from singletable.client.key import Key
from singletable.client.responses import Item
from singletable.client.write import schema_versions
from singletable.client.write.field_changes import BoundChange, FieldPlan
from singletable.client.write.index_key_changes import (
    VERSION_INCREMENT,
    field_equals,
    key_changes,
    set_field,
    upsert_changes,
    with_all_new_keys,
    without_stale_keys,
)
from singletable.client.write.item_actions import ActionKind, ItemAction, Requirement
from singletable.client.write.object_validation import ValidObject
from singletable.client.write.stored_expressions import (
    attribute_equals,
    exists,
    missing,
    same_stored_value,
    stored_time,
)
from singletable.client.write.write_conditions import ConditionInputs, Requirements
from singletable.client.write.write_intents import WriteIntent, item_label
from singletable.client.write.write_plans import EntityWrites, UpdatePlan
from singletable.errors import ArgumentRefused, InvalidValue, ItemRefused
from singletable.expressions.tree import Change, Condition, Path
from singletable.expressions.update_expression import ItemUpdate
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.derived_data import DerivedDataRules
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.stored_items import item_of
from singletable.planner.write_effects import key_rewrites

Values = dict[str, Any]
IsSample = Callable[[Entity], bool]


def no_samples(entity: Entity) -> bool:
    """Return False, because no stored items are samples."""
    return False


@dataclass(frozen=True)
class PreparedWrite:
    """A write with its action, and the fields before and after the write if they are known."""

    intent: WriteIntent
    action: ItemAction
    old: Values | None = None
    new: Values | None = None
    is_known: bool = False
    """Whether `old` and `new` are known. If they are not, the write changes no derived data."""
    result: Any = None
    """The object that a put, create or upsert writes."""
    marks: Mapping[str, Any] | None = None  # the stored marks of the item while a migration adds counters


class Preparer:
    """Prepares the writes of one table."""

    def __init__(
        self,
        design: Design,
        table: str,
        item_types: ItemTypes,
        now: Callable[[], float],
        *,
        is_sample: IsSample = no_samples,
    ) -> None:
        """Store the parts. `is_sample` returns whether the items of an entity are samples, which need not be valid."""
        self.design, self.table, self.item_types, self.now = design, table, item_types, now
        self.is_sample = is_sample
        self.partition = design.table.partition[0].name
        """The name of the partition key, which every item has."""
        self.requirements = Requirements(design, item_types)
        self._writes: dict[type, EntityWrites] = {}

    def writes(self, entity: Entity) -> EntityWrites:
        """Return the compiled parts of an entity's writes."""
        return self._writes.get(entity.cls) or self._writes.setdefault(
            entity.cls, EntityWrites(self.design, entity, self.item_types)
        )

    def values(self, entity: Entity, value: Any) -> dict[str, Any]:
        """Return the fields of an object."""
        return self.writes(entity).encoder.values(value)

    def validated_fields(self, entity: Entity, value: Any) -> tuple[Mapping[str, Any], Any]:
        """Return the fields of an object and the object itself.

        Both are validated if derived data depends on the fields.
        """
        writes = self.writes(entity)
        values = writes.encoder.values(value)
        made = None if writes.is_independent else writes.validator.changed_by_reading(values)
        return (values, value) if made is None else (writes.encoder.values(made), made)

    def derived_data(self, entity: Entity) -> DerivedDataRules:
        """Return the rules for the derived data of an entity."""
        return self.writes(entity).derived_data

    def key(self, intent: WriteIntent) -> Item:
        """Return the key of an intent's item. Raise InvalidValue if the fields cannot form a key."""
        writes = self.writes(intent.entity)
        try:
            return writes.encoder.key(intent.values)
        except ArgumentRefused:
            if intent.kind in ("put", "create", "upsert"):
                writes.validator.item(intent.values)
            raise

    def needs_item(self, intent: WriteIntent) -> str | None:
        """Return the reason to read the stored item before the write. Return None if the write needs no read."""
        writes = self.writes(intent.entity)
        derived_data = writes.derived_data
        if intent.kind == "update":
            plan = writes.update_plan(intent)
            return plan.needs_item(plan.bind(intent.values, intent.arguments))
        is_read = {
            "put": derived_data.tracks_existence or bool(derived_data.copied_by) or bool(derived_data.counters),
            "upsert": derived_data.tracks_existence or bool(derived_data.copied_by),
            "delete": derived_data.tracks_existence,
        }
        return f"derived data depends on the stored {intent.entity.label}" if is_read.get(intent.kind) else None

    def _inputs(self, intent: WriteIntent) -> ConditionInputs:
        return ConditionInputs(intent.arguments, {"N": str(intent.version)}, stored_time(self.now()), intent.times)

    def prepare(self, intent: WriteIntent, number: int, old: Item | None, copies: Mapping[str, Any]) -> PreparedWrite:
        """Return the prepared write. `old` is the stored item if it was read; `copies` are values from other items."""
        if old is not None and self.is_older(intent, old):
            return self._prepare_upgraded(intent, number, old, copies)
        return self._prepare_current(intent, number, old, copies)

    def is_older(self, intent: WriteIntent, item: Item | None) -> bool:
        """Return whether the write depends on an item that has an older schema version."""
        if item is None or intent.kind == "create" or intent.absent:
            return False
        upgrader = self.item_types.upgrader(intent.entity)
        return upgrader is not None and upgrader.is_older(item)

    def _prepare_upgraded(
        self, intent: WriteIntent, number: int, older: Item, copies: Mapping[str, Any]
    ) -> PreparedWrite:
        """Prepare a write of an item with an older schema version: upgrade the item, then write all of it."""
        entity, upgrader = intent.entity, self.item_types.upgrader(intent.entity)
        assert upgrader is not None, "only an entity with a schema version has older items"
        upgraded = upgrader.upgraded(older)
        made = self._prepare_current(intent, number, upgraded, copies, is_upgraded=True)
        schema_versions.check_requirements(made.action, upgraded)
        after: Item = ItemUpdate(made.action.changes).apply(upgraded, {}) if made.action.changes else upgraded
        values = self.read_fields(entity, after) if made.action.kind == "Update" else {}
        action = schema_versions.upgraded_action(self.design, upgrader, entity, made.action, older, (after, values))
        return replace(made, action=action)

    def _prepare_current(
        self,
        intent: WriteIntent,
        number: int,
        old: Item | None,
        copies: Mapping[str, Any],
        *,
        is_upgraded: bool = False,
    ) -> PreparedWrite:
        match intent.kind:
            case "put" | "create" | "upsert":
                return self._prepare_whole(intent, number, old, copies)
            case "update":
                return self._prepare_update(intent, number, old, copies, is_upgraded=is_upgraded)
            case "delete":
                return self._prepare_delete(intent, number, old)
            case _:
                return self._prepare_check(intent, number)

    def written_values(self, intent: WriteIntent, copies: Mapping[str, Any], old: Values | None) -> Mapping[str, Any]:
        """Return the fields to write, including copies, the next version, and the stored counters."""
        version, counters = intent.entity.declaration.version, self.derived_data(intent.entity).counters
        if version is None and not copies and not counters:
            return intent.values
        values = {**intent.values, **copies}
        if version is not None:
            known = values[version] or 0  # the version is None in a new object
            values[version] = {"create": 1, "upsert": known}.get(intent.kind, known + 1)
        for name in counters:
            values[name] = 0 if old is None else old[name] or 0
        return values

    def valid(self, writes: EntityWrites, intent: WriteIntent, values: Mapping[str, Any]) -> ValidObject:
        """Return the validated form of an intent's object with these fields. Raise InvalidValue if it is invalid."""
        if intent.is_trusted:
            return ValidObject(writes.validator.item(values), values, intent.target)
        is_unchanged = values is intent.values and not isinstance(intent.target, Key)
        return writes.validator.valid(values, intent.target if is_unchanged else None)

    def valid_derived(self, entity: Entity, values: Mapping[str, Any], kind: Literal["copy", "mirror"]) -> ValidObject:
        """Return the validated form of a derived item. Raise InvalidValue if it is invalid."""
        if self.is_sample(entity):
            return ValidObject(item_of(self.design, entity, values), values, None)
        try:
            return self.writes(entity).validator.valid(values)
        except InvalidValue as problem:
            rule = f"{problem.rule}; the write would store it in {item_label(entity, values)} as a {kind}"
            raise InvalidValue(problem.entity, problem.field, problem.value, rule) from problem

    def check_copies(self, entity: Entity, copied: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Raise InvalidValue if validation changes a copy, because the copy would then differ from its source."""
        repeated = self.derived_data(entity).copied_fields & copied.keys()
        self.check_unchanged(entity, {name: copied[name] for name in repeated}, values)

    def check_unchanged(self, entity: Entity, derived: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Raise InvalidValue if validation changes a field of derived data."""
        for name, value in derived.items():
            if values[name] != value:
                rule = "validation changes the value, but derived data must equal its source"
                raise InvalidValue(entity.label, name, value, rule)

    def _prepare_whole(
        self, intent: WriteIntent, number: int, old: Item | None, copies: Mapping[str, Any]
    ) -> PreparedWrite:
        entity, writes = intent.entity, self.writes(intent.entity)
        derived_data, needs_item = writes.derived_data, self.needs_item(intent) is not None
        old_values = None if old is None else self.read_fields(entity, old)
        valid = self.valid(writes, intent, self.written_values(intent, copies, old_values))
        self.check_copies(entity, copies, valid.values)
        requirements = tuple(self.requirements.of(intent, number, self._inputs(intent)))
        guards: tuple[Condition, ...] = ()
        if needs_item:
            guards = self._guards(entity, derived_data.tracked_fields | derived_data.counters, old)
        guards += self.schema_guards(intent, requirements)
        item = {**intent.unknown, **valid.item}
        key = {name: valid.item[name] for name in self.design.table.key_attributes}
        if intent.kind == "upsert":
            changes = tuple(upsert_changes(entity, derived_data, item, key))
            action = _requested_action("Update", key, intent, number, requirements, guards, changes=changes)
        else:
            action = _requested_action("Put", key, intent, number, requirements, guards, item=item)
        is_known = needs_item or intent.kind == "create"
        return PreparedWrite(intent, action, old_values, dict(valid.values), is_known, valid.result)

    def schema_guards(self, intent: WriteIntent, requirements: Sequence[Requirement]) -> tuple[Condition, ...]:
        """Return guards that prevent conditions and upserts from applying to an item of an older schema version."""
        if intent.kind == "upsert" or (requirements and intent.kind in ("put", "delete")):
            return schema_versions.is_current_or_missing(self.design, intent.entity)
        return ()

    def _prepare_update(
        self, intent: WriteIntent, number: int, old: Item | None, copies: Mapping[str, Any], *, is_upgraded: bool
    ) -> PreparedWrite:
        entity, writes = intent.entity, self.writes(intent.entity)
        plan = writes.update_plan(intent)
        bound = plan.bind(intent.values, intent.arguments)
        needs_item = plan.needs_item(bound) is not None or is_upgraded or bool(copies)
        is_read = needs_item and old is not None
        expressed = [
            each.expressions_for(old or {}, change) if is_read else each.expressions(change.form, change.values)
            for each, change in zip(plan.fields, bound.changes, strict=True)
        ]
        changes = [change for each in expressed for change in each.changes]
        changes += [set_field(entity, name, value) for name, value in copies.items()]
        changes += self.version_changes(intent)
        requirements = (
            *self.requirements.of(intent, number, self._inputs(intent)),
            *self.rule_requirements(intent, number, plan, bound.changes),
        )
        current = schema_versions.is_current(self.design, entity)
        key = writes.encoder.key(intent.values)
        if old is None and needs_item:
            # The item does not exist, so the requirement fails. If another writer creates the item meanwhile, the guard
            # fails instead, and the item is read again.
            guards = (missing(self.partition), *current)
            action = _requested_action("Update", key, intent, number, requirements, guards, changes=tuple(changes))
            return PreparedWrite(intent, action)
        if old is None or not needs_item:
            changes += key_changes(entity, key_rewrites(entity, plan.changed, plan.cleared_fields(bound)), bound.known)
            action = _requested_action("Update", key, intent, number, requirements, current, changes=tuple(changes))
            return PreparedWrite(intent, action)
        return self._update_read_item(intent, number, old, plan, changes, copies, requirements)

    def _update_read_item(
        self,
        intent: WriteIntent,
        number: int,
        old: Item,
        plan: UpdatePlan,
        changes: list[Change],
        copies: Mapping[str, Any],
        requirements: tuple[Requirement, ...],
    ) -> PreparedWrite:
        """Prepare the update of an item that was read.

        It requires that the fields on which it depends are unchanged.
        """
        entity, derived_data = intent.entity, self.derived_data(intent.entity)
        bound = plan.bind(intent.values, intent.arguments)
        changed = plan.changed | copies.keys()
        known = {**bound.known, **copies}
        cleared = frozenset(name for name in changed if name in known and known[name] is None)
        rewrites = [with_all_new_keys(rewrite, old) for rewrite in key_rewrites(entity, changed, cleared)]
        old_values = self._try_read_fields(entity, old)
        after: Item = ItemUpdate(changes).apply(old, {})
        after = without_stale_keys(entity, after, rewrites, changed, old_values or {})
        new_values = self._fields_after_update(intent, old_values, after)
        if plan.read_reason is not None and not self.is_sample(entity):
            new_values, corrected = self._corrected(intent, new_values, after)
            changes = [each for each in changes if str(each.path.steps[0]) not in corrected]
            changes += corrected.values()
            names = {name for name, attribute in entity.attributes.items() if attribute in corrected}
            # The class can compute a field from the changed fields, so index keys use the fields that a read returns.
            names |= {name for name in entity.fields if old_values is None or old_values[name] != new_values[name]}
            changed |= names - entity.base.fields
            rewrites = [with_all_new_keys(each, old) for each in key_rewrites(entity, changed, cleared - names)]
        tracked = derived_data.tracked_fields if copies or changed & derived_data.tracked_fields else frozenset()
        if tracked and old_values is None:
            self.read_fields(entity, old)  # raises an error, because derived data depends on the old fields
        copied = (copy.fields.values() for copy, _ in derived_data.copies if changed & {*copy.by.values()})
        needed = tracked.union(*(each.needed for each in rewrites), *copied)  # the old source may change its copies
        if plan.read_reason is not None:
            needed = frozenset(entity.fields)
        changes += key_changes(entity, rewrites, new_values)
        guards = (*self._guards(entity, needed, old), *schema_versions.is_current(self.design, entity))
        key = self.key(intent)
        action = _requested_action("Update", key, intent, number, requirements, guards, changes=tuple(changes))
        return PreparedWrite(intent, action, old_values, new_values, is_known=bool(tracked))

    def _fields_after_update(self, intent: WriteIntent, old: Values | None, after: Item) -> Values:
        """Return the fields after an update. Raise InvalidValue if the update makes the item unreadable."""
        writes = self.writes(intent.entity)
        if self.is_sample(intent.entity):
            return self.read_fields(intent.entity, after)
        try:
            return dict(writes.encoder.values(writes.validator.read_slowly(after)))
        except InvalidValue as problem:
            if old is None and isinstance(problem.__cause__, ItemRefused):
                raise problem.__cause__ from None  # the item was already unreadable
            raise

    def _corrected(self, intent: WriteIntent, values: Values, after: Item) -> tuple[Values, dict[str, Change]]:
        """Return the validated fields, and changes for the attributes that validation has altered."""
        entity, writes = intent.entity, self.writes(intent.entity)
        valid = writes.validator.valid(values)
        touched = {entity.attributes[name] for name in intent.changed}
        changes: dict[str, Change] = {}
        for name, attribute in entity.attributes.items():
            before, stored = after.get(attribute), valid.item.get(attribute)
            if (
                name in entity.base.fields
                or same_stored_value(before, stored)
                or (before is None and attribute not in touched)
            ):
                continue
            changes[attribute] = set_field(entity, name, valid.values[name])
        return dict(valid.values), changes

    def version_changes(self, intent: WriteIntent) -> list[Change]:
        """Return the increment of the version, or an empty list if the entity has no version."""
        version = intent.entity.declaration.version
        return [] if version is None else [Change("ADD", Path((intent.entity.attributes[version],)), VERSION_INCREMENT)]

    def rule_requirements(
        self, intent: WriteIntent, number: int, plan: UpdatePlan, changes: Sequence[BoundChange]
    ) -> list[Requirement]:
        """Return the field rules that DynamoDB checks as conditions."""
        requirements: list[Requirement] = []
        for each, change in zip(plan.fields, changes, strict=True):
            for condition, rule in each.expressions(change.form, change.values).conditions:
                requirements.append(Requirement(condition, _rule_error(each, intent, rule), number))
        return requirements

    def _prepare_delete(self, intent: WriteIntent, number: int, old: Item | None) -> PreparedWrite:
        entity, derived_data = intent.entity, self.derived_data(intent.entity)
        needs_item = self.needs_item(intent) is not None
        requirements = tuple(self.requirements.of(intent, number, self._inputs(intent)))
        # A transaction does not return the deleted item. The guard ensures that it equals the item that was read.
        guards = self._guards(entity, entity.fields.keys() - derived_data.counters, old) if needs_item else ()
        guards += self.schema_guards(intent, requirements)
        counted = dict.fromkeys((entity.attributes[name] for name in sorted(derived_data.counters)), 0) or None
        action = _requested_action("Delete", self.key(intent), intent, number, requirements, guards, counted=counted)
        read = self._try_read_fields if intent.is_raw else self.read_fields
        old_values = None if old is None else read(entity, old)
        is_known = needs_item and (old is None or old_values is not None)
        return PreparedWrite(intent, action, old_values, None, is_known)

    def _prepare_check(self, intent: WriteIntent, number: int) -> PreparedWrite:
        requirements = tuple(self.requirements.of(intent, number, self._inputs(intent)))
        has_condition = intent.where is not None
        guards = schema_versions.is_current_or_missing(self.design, intent.entity) if has_condition else ()
        return PreparedWrite(
            intent, _requested_action("ConditionCheck", self.key(intent), intent, number, requirements, guards)
        )

    def _guards(self, entity: Entity, fields: Iterable[str], old: Item | None) -> tuple[Condition, ...]:
        """Return conditions that these fields of the item have not changed since it was read."""
        if old is None:
            return (missing(self.partition),)
        attributes = sorted(entity.attributes[name] for name in fields if name not in entity.base.fields)
        return (exists(self.partition), *(attribute_equals(name, old.get(name)) for name in attributes))

    def unchanged(self, entity: Entity, values: Mapping[str, Any], fields: Iterable[str]) -> tuple[Condition, ...]:
        """Return conditions that the item exists and has these values in these fields."""
        names = sorted(name for name in fields if name not in entity.base.fields)
        return (exists(self.partition), *(field_equals(entity, name, values[name]) for name in names))

    def read_fields(self, entity: Entity, item: Item) -> Values:
        """Return the fields of an item. Raise ItemRefused if the model cannot read the item."""
        writes = self.writes(entity)
        try:
            return dict(writes.encoder.values(writes.decoder.read(item)))
        except ItemRefused:
            if not self.is_sample(entity):
                raise
            return {**dict.fromkeys(entity.fields), **writes.validator.values_in(item)}

    def _try_read_fields(self, entity: Entity, item: Item) -> Values | None:
        try:
            return self.read_fields(entity, item)
        except ItemRefused:
            return None


def _requested_action(
    kind: ActionKind,
    key: Item,
    intent: WriteIntent,
    number: int,
    requirements: tuple[Requirement, ...],
    guards: tuple[Condition, ...] = (),
    *,
    item: Item | None = None,
    changes: tuple[Change, ...] = (),
    counted: Mapping[str, int] | None = None,
) -> ItemAction:
    """Return the action for an intent of the caller."""
    return ItemAction(
        kind, key, number, item, changes, requirements, guards, intent.label, is_requested=True, counted=counted
    )


def _rule_error(plan: FieldPlan, intent: WriteIntent, rule: str) -> Callable[[Item | None], Exception]:
    value = intent.arguments.get(getattr(plan.change.value, "name", ""))
    return lambda item: plan.invalid(value, rule, sent=True)
