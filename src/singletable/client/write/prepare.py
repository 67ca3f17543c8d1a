"""Prepares writes: the action on the caller's own item, with its conditions and with every index key in sync."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from singletable.client.answers import Item
from singletable.client.items.kinds import Kinds
from singletable.client.key import Key
from singletable.client.write import schema_versions
from singletable.client.write.actions import Action, ActionKind, Requirement
from singletable.client.write.conditions import attribute_equals, exists, missing, moment
from singletable.client.write.field_changes import BoundChange, FieldPlan
from singletable.client.write.index_keys import (
    key_changes,
    set_field,
    stored_or_none,
    whole_where_new,
    without_old_keys,
)
from singletable.client.write.intent import WriteIntent, shown
from singletable.client.write.plans import EntityWrites, UpdatePlan
from singletable.client.write.requirements import Inputs, Requirements
from singletable.client.write.validate import Valid
from singletable.errors import ArgumentRefused, InvalidValue, ItemRefused
from singletable.expressions.apply import Update
from singletable.expressions.tree import Change, Condition, Constant, Function, Or, Path
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping
from singletable.planner.items import item_of
from singletable.planner.key_rewrites import key_rewrites

Values = dict[str, Any]
Trusts = Callable[[Entity], bool]
_ONE = Constant({"N": "1"})


def trusts_none(entity: Entity) -> bool:
    """Stored items are validated."""
    return False


@dataclass(frozen=True)
class PreparedWrite:
    """A write with its action, and the fields before and after it as far as they are known."""

    intent: WriteIntent
    action: Action
    old: Values | None = None
    new: Values | None = None
    is_known: bool = False
    """Whether `old` and `new` are the fields before and after; otherwise no derived data changes."""
    result: Any = None
    """The object of a put, a create or an upsert, as it is written."""


class Preparer:
    """Prepares the writes of one table."""

    def __init__(
        self, design: Design, table: str, kinds: Kinds, now: Callable[[], float], *, trusts: Trusts = trusts_none
    ) -> None:
        """`trusts`: whether the stored items of an entity are samples, which the user's classes need not accept."""
        self.design, self.table, self.kinds, self.now = design, table, kinds, now
        self.trusts = trusts
        self.partition = design.table.partition[0].name
        """An attribute that every item has."""
        self.requirements = Requirements(design, kinds)
        self._writes: dict[type, EntityWrites] = {}

    def writes(self, entity: Entity) -> EntityWrites:
        """The compiled parts of an entity's writes."""
        return self._writes.get(entity.cls) or self._writes.setdefault(
            entity.cls, EntityWrites(self.design, entity, self.kinds)
        )

    def values(self, entity: Entity, value: Any) -> dict[str, Any]:
        """The fields of an object."""
        return self.writes(entity).encoder.values(value)

    def validated(self, entity: Entity, value: Any) -> tuple[Mapping[str, Any], Any]:
        """The fields of an object, and the object; in their validated form where derived data follows from them."""
        writes = self.writes(entity)
        values = writes.encoder.values(value)
        made = None if writes.is_independent else writes.validator.changed_by_reading(values)
        return (values, value) if made is None else (writes.encoder.values(made), made)

    def keeping(self, entity: Entity) -> Keeping:
        """The derived data of an entity."""
        return self.writes(entity).keeping

    def key(self, intent: WriteIntent) -> Item:
        """The key of an intent's item; raises InvalidValue for an object whose fields make none."""
        writes = self.writes(intent.entity)
        try:
            return writes.encoder.key(intent.values)
        except ArgumentRefused:
            if intent.kind in ("put", "create", "upsert"):
                writes.validator.item(intent.values)
            raise

    def needs_item(self, intent: WriteIntent) -> str | None:
        """Why the stored item has to be read before it is written; None when it need not be."""
        writes = self.writes(intent.entity)
        keeping = writes.keeping
        if intent.kind == "update":
            plan = writes.update_plan(intent)
            return plan.needs_item(plan.bind(intent.values, intent.arguments))
        is_read = {
            "put": keeping.follows_existence or bool(keeping.given) or bool(keeping.counters),
            "upsert": keeping.follows_existence or bool(keeping.given),
            "delete": keeping.follows_existence,
        }
        return f"derived data depends on the stored {intent.entity.label}" if is_read.get(intent.kind) else None

    def _inputs(self, intent: WriteIntent) -> Inputs:
        return Inputs(intent.arguments, {"N": str(intent.version)}, moment(self.now()))

    def prepared(self, intent: WriteIntent, number: int, old: Item | None, copies: Mapping[str, Any]) -> PreparedWrite:
        """The action of a write; `old` is the stored item where it was read, `copies` are values of other items."""
        if old is not None and self.is_older(intent, old):
            return self._written_back(intent, number, old, copies)
        return self._prepared(intent, number, old, copies)

    def is_older(self, intent: WriteIntent, item: Item | None) -> bool:
        """Whether an item is of an older schema version, and the write keeps a part of it."""
        if item is None or intent.kind == "create" or intent.absent:
            return False
        upgrader = self.kinds.upgrader(intent.entity)
        return upgrader is not None and upgrader.is_older(item)

    def _written_back(self, intent: WriteIntent, number: int, older: Item, copies: Mapping[str, Any]) -> PreparedWrite:
        """A write of an item of an older schema version: on its upgraded form, and written whole."""
        entity, upgrader = intent.entity, self.kinds.upgrader(intent.entity)
        assert upgrader is not None, "an item is older than a version"
        whole = upgrader.upgraded(older)
        made = self._prepared(intent, number, whole, copies, is_upgraded=True)
        schema_versions.require(made.action, whole)
        after: Item = Update(made.action.changes).apply(whole, {}) if made.action.changes else whole
        values = self.fields(entity, after) if made.action.kind == "Update" else {}
        action = schema_versions.written_back(self.design, upgrader, entity, made.action, older, (after, values))
        return replace(made, action=action)

    def _prepared(
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
                return self._whole(intent, number, old, copies)
            case "update":
                return self._update(intent, number, old, copies, is_upgraded=is_upgraded)
            case "delete":
                return self._delete(intent, number, old)
            case _:
                return self._check(intent, number)

    def written_values(self, intent: WriteIntent, copies: Mapping[str, Any], old: Values | None) -> Mapping[str, Any]:
        """The fields as they are written: with copies, the next version, and counters as they are stored."""
        version, counters = intent.entity.declaration.version, self.keeping(intent.entity).counters
        if version is None and not copies and not counters:
            return intent.values
        values = {**intent.values, **copies}
        if version is not None:
            known = values[version] or 0  # None in an object that was never written
            values[version] = {"create": 1, "upsert": known}.get(intent.kind, known + 1)
        for name in counters:
            values[name] = 0 if old is None else old[name] or 0
        return values

    def valid(self, writes: EntityWrites, intent: WriteIntent, values: Mapping[str, Any]) -> Valid:
        """The validated form of an intent's object with these fields; raises InvalidValue."""
        if intent.is_trusted:
            return Valid(writes.validator.item(values), values, intent.target)
        is_as_given = values is intent.values and not isinstance(intent.target, Key)
        return writes.validator.valid(values, intent.target if is_as_given else None)

    def valid_derived(self, entity: Entity, values: Mapping[str, Any], kind: Literal["copy", "mirror"]) -> Valid:
        """The validated form of an item that a write changes with its own; raises InvalidValue."""
        if self.trusts(entity):
            return Valid(item_of(self.design, entity, values), values, None)
        try:
            return self.writes(entity).validator.valid(values)
        except InvalidValue as problem:
            rule = f"{problem.rule}; {shown(entity, values)} would hold it as a {kind} of what is written"
            raise InvalidValue(problem.entity, problem.field, problem.value, rule) from problem

    def check_copies(self, entity: Entity, copied: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Raises InvalidValue for a copy that validation changes, so that it would differ from its source."""
        repeated = self.keeping(entity).repeated & copied.keys()
        self.check_unchanged(entity, {name: copied[name] for name in repeated}, values)

    def check_unchanged(self, entity: Entity, derived: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Raises InvalidValue for a field of derived data that validation changes."""
        for name, value in derived.items():
            if values[name] != value:
                rule = "validation changes it, and derived data has to equal its source"
                raise InvalidValue(entity.label, name, value, rule)

    def _whole(self, intent: WriteIntent, number: int, old: Item | None, copies: Mapping[str, Any]) -> PreparedWrite:
        entity, writes = intent.entity, self.writes(intent.entity)
        keeping, needs_item = writes.keeping, self.needs_item(intent) is not None
        old_values = None if old is None else self.fields(entity, old)
        valid = self.valid(writes, intent, self.written_values(intent, copies, old_values))
        self.check_copies(entity, copies, valid.values)
        requirements = tuple(self.requirements.of(intent, number, self._inputs(intent)))
        guards = self._guards(entity, keeping.decisive | keeping.counters, old) if needs_item else ()
        guards += self.schema_guards(intent, requirements)
        item = {**intent.unknown, **valid.item}
        key = {name: valid.item[name] for name in self.design.table.key_attributes}
        if intent.kind == "upsert":
            changes = tuple(_upsert_changes(entity, keeping, item, key))
            action = _requested("Update", key, intent, number, requirements, guards, changes=changes)
        else:
            action = _requested("Put", key, intent, number, requirements, guards, item=item)
        is_known = needs_item or intent.kind == "create"
        return PreparedWrite(intent, action, old_values, dict(valid.values), is_known, valid.result)

    def schema_guards(self, intent: WriteIntent, requirements: Sequence[Requirement]) -> tuple[Condition, ...]:
        """Items of an older schema version do not pass a condition by accident, nor keep a part of an upsert."""
        if intent.kind == "upsert" or (requirements and intent.kind in ("put", "delete")):
            return schema_versions.is_current_or_missing(self.design, intent.entity)
        return ()

    def _update(
        self, intent: WriteIntent, number: int, old: Item | None, copies: Mapping[str, Any], *, is_upgraded: bool
    ) -> PreparedWrite:
        entity, writes = intent.entity, self.writes(intent.entity)
        plan = writes.update_plan(intent)
        bound = plan.bind(intent.values, intent.arguments)
        needs_item = plan.needs_item(bound) is not None or is_upgraded or bool(copies)
        is_read = needs_item and old is not None
        expressed = [
            each.on(old or {}, change) if is_read else each.expressed(change.form, change.values)
            for each, change in zip(plan.fields, bound.changes, strict=True)
        ]
        changes = [change for each in expressed for change in each.changes]
        changes += [set_field(entity, name, value) for name, value in copies.items()]
        changes += self.incremented(intent)
        requirements = (
            *self.requirements.of(intent, number, self._inputs(intent)),
            *self.bounds(intent, number, plan, bound.changes),
        )
        current = schema_versions.is_current(self.design, entity)
        key = writes.encoder.key(intent.values)
        if old is None and needs_item:
            # There is nothing to change, as the requirement will find; an item created meanwhile is read first.
            guards = (missing(self.partition), *current)
            action = _requested("Update", key, intent, number, requirements, guards, changes=tuple(changes))
            return PreparedWrite(intent, action)
        if old is None or not needs_item:
            changes += key_changes(entity, key_rewrites(entity, plan.changed, plan.lost(bound)), bound.known)
            action = _requested("Update", key, intent, number, requirements, current, changes=tuple(changes))
            return PreparedWrite(intent, action)
        return self._update_of(intent, number, old, plan, changes, copies, requirements)

    def _update_of(
        self,
        intent: WriteIntent,
        number: int,
        old: Item,
        plan: UpdatePlan,
        changes: list[Change],
        copies: Mapping[str, Any],
        requirements: tuple[Requirement, ...],
    ) -> PreparedWrite:
        """The update of an item that was read: validated, and written if what it depends on is unchanged."""
        entity, keeping = intent.entity, self.keeping(intent.entity)
        bound = plan.bind(intent.values, intent.arguments)
        changed = plan.changed | copies.keys()
        known = {**bound.known, **copies}
        lost = frozenset(name for name in changed if name in known and known[name] is None)
        rewrites = [whole_where_new(rewrite, old) for rewrite in key_rewrites(entity, changed, lost)]
        old_values = self._readable(entity, old)
        after: Item = Update(changes).apply(old, {})
        after = without_old_keys(entity, after, rewrites, changed, old_values or {})
        new_values = self._after(intent, old_values, after)
        if plan.whole is not None and not self.trusts(entity):
            new_values, corrected = self._corrected(intent, new_values, after)
            changes = [each for each in changes if str(each.path.steps[0]) not in corrected]
            changes += corrected.values()
            names = {name for name, attribute in entity.attributes.items() if attribute in corrected}
            # The class may compute a field from those that change; its index keys follow from what a read returns.
            names |= {name for name in entity.fields if old_values is None or old_values[name] != new_values[name]}
            changed |= names - entity.base.fields
            rewrites = [whole_where_new(each, old) for each in key_rewrites(entity, changed, lost - names)]
        decisive = keeping.decisive if copies or changed & keeping.decisive else frozenset()
        if decisive and old_values is None:
            self.fields(entity, old)  # raises: derived data needs the fields as they were
        needed = decisive.union(*(rewrite.needed for rewrite in rewrites))
        if plan.whole is not None:
            needed = frozenset(entity.fields)
        changes += key_changes(entity, rewrites, new_values)
        guards = (*self._guards(entity, needed, old), *schema_versions.is_current(self.design, entity))
        key = self.key(intent)
        action = _requested("Update", key, intent, number, requirements, guards, changes=tuple(changes))
        return PreparedWrite(intent, action, old_values, new_values, is_known=bool(decisive))

    def _after(self, intent: WriteIntent, old: Values | None, after: Item) -> Values:
        """The fields after an update; raises InvalidValue when it is the update that makes the item unreadable."""
        writes = self.writes(intent.entity)
        if self.trusts(intent.entity):
            return self.fields(intent.entity, after)
        try:
            return dict(writes.encoder.values(writes.validator.read_slowly(after)))
        except InvalidValue as problem:
            if old is None and isinstance(problem.__cause__, ItemRefused):
                raise problem.__cause__ from None  # it was unreadable before
            raise

    def _corrected(self, intent: WriteIntent, values: Values, after: Item) -> tuple[Values, dict[str, Change]]:
        """What validation makes of the fields, and the changes of attributes that it changed."""
        entity, writes = intent.entity, self.writes(intent.entity)
        valid = writes.validator.valid(values)
        touched = {entity.attributes[name] for name in intent.changed}
        changes: dict[str, Change] = {}
        for name, attribute in entity.attributes.items():
            before, stored = after.get(attribute), valid.item.get(attribute)
            if name in entity.base.fields or _is_same(before, stored) or (before is None and attribute not in touched):
                continue
            changes[attribute] = set_field(entity, name, valid.values[name])
        return dict(valid.values), changes

    def incremented(self, intent: WriteIntent) -> list[Change]:
        """The change of the version, if the entity has one."""
        version = intent.entity.declaration.version
        return [] if version is None else [Change("ADD", Path((intent.entity.attributes[version],)), _ONE)]

    def bounds(
        self, intent: WriteIntent, number: int, plan: UpdatePlan, changes: Sequence[BoundChange]
    ) -> list[Requirement]:
        """The rules of fields that DynamoDB checks."""
        bounds: list[Requirement] = []
        for each, change in zip(plan.fields, changes, strict=True):
            for bound in each.expressed(change.form, change.values).bounds:
                bounds.append(Requirement(bound.condition, _breaks(each, intent, bound.rule), number))
        return bounds

    def _delete(self, intent: WriteIntent, number: int, old: Item | None) -> PreparedWrite:
        entity, keeping = intent.entity, self.keeping(intent.entity)
        needs_item = self.needs_item(intent) is not None
        requirements = tuple(self.requirements.of(intent, number, self._inputs(intent)))
        # A transaction does not return the item that it deletes, so the item that was read must be the one.
        guards = self._guards(entity, entity.fields.keys() - keeping.counters, old) if needs_item else ()
        guards += self.schema_guards(intent, requirements)
        counted = dict.fromkeys((entity.attributes[name] for name in sorted(keeping.counters)), 0)
        action = _requested("Delete", self.key(intent), intent, number, requirements, guards, counted=counted or None)
        old_values = None if old is None else self._readable(entity, old) if intent.is_raw else self.fields(entity, old)
        is_known = needs_item and (old is None or old_values is not None)
        return PreparedWrite(intent, action, old_values, None, is_known)

    def _check(self, intent: WriteIntent, number: int) -> PreparedWrite:
        requirements = tuple(self.requirements.of(intent, number, self._inputs(intent)))
        has_condition = intent.where is not None
        guards = schema_versions.is_current_or_missing(self.design, intent.entity) if has_condition else ()
        return PreparedWrite(
            intent, _requested("ConditionCheck", self.key(intent), intent, number, requirements, guards)
        )

    def _guards(self, entity: Entity, fields: Iterable[str], old: Item | None) -> tuple[Condition, ...]:
        """The item is still as it was read, in these fields."""
        if old is None:
            return (missing(self.partition),)
        attributes = sorted(entity.attributes[name] for name in fields if name not in entity.base.fields)
        return (exists(self.partition), *(attribute_equals(name, old.get(name)) for name in attributes))

    def unchanged(self, entity: Entity, values: Mapping[str, Any], fields: Iterable[str]) -> tuple[Condition, ...]:
        """The item exists and has these values in these fields."""
        names = sorted(name for name in fields if name not in entity.base.fields)
        return (exists(self.partition), *(_is_still(entity, name, values[name]) for name in names))

    def fields(self, entity: Entity, item: Item) -> Values:
        """The fields of an item; raises ItemRefused for one that the model cannot read."""
        writes = self.writes(entity)
        try:
            return dict(writes.encoder.values(writes.decoder.read(item)))
        except ItemRefused:
            if not self.trusts(entity):
                raise
            return {**dict.fromkeys(entity.fields), **writes.validator.values_in(item)}

    def _readable(self, entity: Entity, item: Item) -> Values | None:
        try:
            return self.fields(entity, item)
        except ItemRefused:
            return None


def _requested(
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
) -> Action:
    """The action that the caller requested."""
    return Action(
        kind, key, number, item, changes, requirements, guards, intent.shown, is_requested=True, counted=counted
    )


def _breaks(plan: FieldPlan, intent: WriteIntent, rule: str) -> Callable[[Item | None], Exception]:
    value = intent.arguments.get(getattr(plan.change.value, "name", ""))
    return lambda item: plan.invalid(value, rule, sent=True)


def _is_still(entity: Entity, name: str, value: Any) -> Condition:
    """The item has a value in a field; where that is the class's default, the attribute may be missing."""
    attribute, of = entity.attributes[name], entity.fields[name]
    same = attribute_equals(attribute, stored_or_none(entity, name, value))
    return Or((same, missing(attribute))) if value is not None and of.is_default(value) else same


def _is_same(one: Any, other: Any) -> bool:
    """Whether two stored values are equal; the members of sets have no order."""
    if one == other or one is None or other is None:
        return bool(one == other)
    ((kind, content),), ((other_kind, other_content),) = one.items(), other.items()
    return kind == other_kind and kind in ("SS", "NS", "BS") and set(content) == set(other_content)


def _upsert_changes(entity: Entity, keeping: Keeping, item: Item, key: Item) -> Iterable[Change]:
    counters = {entity.attributes[name] for name in keeping.counters}
    version = entity.declaration.version
    incremented = None if version is None else entity.attributes[version]
    for name, value in item.items():
        path = Path((name,))
        if name in counters:
            yield Change("SET", path, Function("if_not_exists", (path, Constant({"N": "0"}))))
        elif name == incremented:
            yield Change("ADD", path, _ONE)
        elif name not in key:
            yield Change("SET", path, Constant(value))
    placed = {part.attribute for placement in entity.placements.values() for part in placement.parts}
    for name in sorted({*entity.attributes.values(), *placed} - item.keys()):
        yield Change("REMOVE", Path((name,)))
