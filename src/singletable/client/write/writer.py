"""The writes of a table by object and key: put, create, update, upsert, delete, move and edit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import msgspec

from singletable.client.answers import Item, read_write
from singletable.client.items.decoder import made_of, make
from singletable.client.key import Key
from singletable.client.reading.reader import Reader
from singletable.client.steps import Call, Steps, pause
from singletable.client.write.conditions import all_of
from singletable.client.write.copies import CopyHolders
from singletable.client.write.direct import DirectRequests
from singletable.client.write.execute import Executor
from singletable.client.write.intent import Intents, Where, WriteIntent, lift
from singletable.client.write.plans import SHAPES_MAX, EntityWrites, UpdatePlan
from singletable.client.write.prepare import Preparer, Trusts, trusts_none
from singletable.client.write.sender import Sender
from singletable.errors import (
    ArgumentRefused,
    ItemRefused,
    NotFound,
    RequestRefused,
    UnreadableItem,
    UnreadableItemWarning,
    VersionConflict,
)
from singletable.expressions.tree import Constant
from singletable.model.changes import FieldChange
from singletable.model.declaration import ParameterDeclaration
from singletable.model.fields import strip
from singletable.model.intents import Write, WriteKind
from singletable.model.plain_types import PLAIN
from singletable.model.rules.value_rules import Validation
from singletable.planner.items import key_of, values_of
from singletable.planner.plan import Plan
from singletable.planner.stored import checked
from singletable.planner.writes import takes_item


@dataclass(frozen=True)
class DeclaredWrite:
    """A pattern that writes, prepared for all its calls."""

    kind: WriteKind
    writes: EntityWrites
    intent: WriteIntent | None
    """Of an update or a delete: the intent without the caller's arguments."""
    plain_parameters: tuple[tuple[str, type, ParameterDeclaration], ...]
    """The parameters whose types are checked."""
    keys: tuple[str, ...]
    """The parameters that are fields of the key."""

    @cached_property
    def update_plan(self) -> UpdatePlan:
        """The plan of an update."""
        assert self.intent is not None, "an update has an intent"
        return self.writes.update_plan(self.intent)

    def intent_for(self, values: Mapping[str, Any], arguments: Mapping[str, Any]) -> WriteIntent:
        """The intent of a call, by the key's fields and the arguments."""
        assert self.intent is not None, "a put's intent is its object"
        return self.intent.with_arguments(values, arguments)


class Writer:
    """A table's writes; each is a generator of requests."""

    def __init__(
        self, reader: Reader, *, returns_items: bool, trusts_objects: bool = False, trusts: Trusts = trusts_none
    ) -> None:
        """`trusts_objects` and `trusts`: whether objects that are put, and stored items, are not validated."""
        self.reader = reader
        self._trusts_objects = trusts_objects
        self.design = reader.design
        self.preparer = Preparer(self.design, reader.name, reader.kinds, reader.now, trusts=trusts)
        self.direct = DirectRequests(self.preparer)
        sender = Sender(reader, returns_items)
        holders = CopyHolders(replace(reader, reports_unreadable=False), self.preparer)
        self.executor = Executor(reader, self.preparer, self.direct, holders, sender)
        self.intents = Intents(self.design, self.preparer.keeping, self.preparer.validated, self.preparer.values)
        self._plain_puts: dict[type, EntityWrites] = {}
        self._patterns: dict[str, DeclaredWrite] = {}
        self._updates: dict[tuple[Any, ...], DeclaredWrite] = {}

    def put(self, value: Any, *, source: str = "put") -> Steps[Any]:
        """Writes an object in place of the stored one; with a version, only of the one it was read as."""
        writes = self._plain_puts.get(type(value)) or self._plain_writes(value)
        if writes is None:
            return (yield from self._written(self.intents.whole("put", value), source))
        json, _, result = writes.validator.valid_object(value)
        reader = self.reader
        parameters = {"TableName": reader.name, "Item": msgspec.Raw(json), "ReturnConsumedCapacity": "TOTAL"}
        (body,) = yield (Call("PutItem", parameters),)
        answer = read_write(body)
        if answer.consumed_capacity is not None:
            reader.metrics.write(source, answer.consumed_capacity.capacity_units)
        return result

    def _plain_writes(self, value: Any) -> EntityWrites | None:
        """The entity's writes, if a put is one request without conditions."""
        writes = self.preparer.writes(self.intents.entities.of(value))
        if not writes.is_plain_put:
            return None
        self._plain_puts[type(value)] = writes
        return writes

    def create(self, value: Any, *, source: str = "create") -> Steps[Any]:
        """Writes an object that must not exist yet."""
        return self._written(self.intents.whole("create", value), source)

    def upsert(self, value: Any, *, source: str = "upsert") -> Steps[Any]:
        """Writes every field of an object, and keeps other attributes of the item; creates a missing item."""
        return self.changed(self.intents.whole("upsert", value), source)

    def update(
        self, target: Any, changes: Sequence[FieldChange[Any]], where: Where | None, validate: Validation = "whole"
    ) -> Steps[Any]:
        """Changes fields of an existing item, and every index key that depends on them; returns the new object."""
        if where is None and validate == "whole" and type(target) is Key:
            shape: list[Any] = [target.entity]
            arguments: dict[str, Any] = {}
            for each in changes:
                change = each.change
                shape += change.action, change.path.steps
                if type(change.value) is Constant:
                    arguments[f"={len(arguments)}"] = change.value.value
            declared = self._updates.get(tuple(shape))
            if declared is not None and declared.keys == tuple(target.values):
                return self._updated(declared, target.values, arguments, "update")
        return self._update_by_intent(target, changes, where, validate)

    def _update_by_intent(
        self, target: Any, changes: Sequence[FieldChange[Any]], where: Where | None, validate: Validation
    ) -> Steps[Any]:
        """An update of a new shape, or with a condition or a version; the next one of its shape is shorter."""
        intent = self.intents.update(target, changes, where, validate)
        if where is None and validate == "whole" and type(target) is Key and len(intent.arguments) == len(changes):
            shape: list[Any] = [target.entity]
            for each in changes:
                shape += each.change.action, each.change.path.steps
            if len(self._updates) >= SHAPES_MAX:
                self._updates.clear()
            shared = replace(intent, values={}, target=None, arguments={})
            writes = self.preparer.writes(intent.entity)
            self._updates[tuple(shape)] = DeclaredWrite("update", writes, shared, (), tuple(target.values))
        return self.changed(intent, "update")

    def delete(self, target: Any, where: Where | None, *, raw: bool = False) -> Steps[Any]:
        """Deletes an item if the condition holds; returns the deleted object."""
        return self.deleted(self.intents.delete(target, where, raw=raw), "delete")

    def move(self, old: Any, new: Any, *, source: str = "move") -> Steps[Any]:
        """Deletes an object and writes another under a different key, if nobody has changed it since it was read."""
        done = yield from self.executor.commit(self.moved(old, new), source=source)
        return done.prepared[1].result

    def moved(self, old: Any, new: Any) -> tuple[WriteIntent, WriteIntent]:
        """The two writes of a move."""
        entity = self.intents.entities.of(old)
        if self.intents.entities.of(new) is not entity:
            raise ArgumentRefused(f"move: {new!r} is not a {entity.label}; pass two objects of one entity")
        values = values_of(entity, old)
        if key_of(entity, values) == key_of(entity, values_of(entity, new)):
            raise ArgumentRefused(f"move: both {entity.label}s have the same key; use put or update")
        counters = self.preparer.keeping(entity).counters
        same = self.preparer.unchanged(entity, values, [name for name in entity.fields if name not in counters])
        gone = WriteIntent("delete", entity, values, old, unchanged=all_of(*same))
        return gone, self.intents.whole("create", new)

    def edit(self, key: Key[Any], change: Callable[[Any], Any], attempts: int, *, source: str = "edit") -> Steps[Any]:
        """Reads an object, writes what `change` returns for it, and retries when somebody else wrote meanwhile."""
        entity, values = self.intents.entities.named(key)
        if entity.declaration.version is None:
            raise ArgumentRefused(f"edit: {entity.label} has no version; declare @entity(version=...)")
        if attempts < 1:
            raise ArgumentRefused(f"edit: attempts={attempts} must be at least 1")
        label = WriteIntent("check", entity, values, key).shown
        writes = self.preparer.writes(entity)
        for attempt in range(1, attempts + 1):
            item = yield from self.executor.sender.item(writes.encoder.key(values), source)
            if item is None:
                raise NotFound(f"{label} does not exist")
            changed = change(writes.decoder.read(item))
            is_own = self.intents.entities.of(changed) is entity
            if not is_own or key_of(entity, values_of(entity, changed)) != key_of(entity, values):
                raise ArgumentRefused(
                    f"edit: the function must return the same item as {label}.\n"
                    "  Use move(old, new), which writes the new item and deletes the old one in one transaction."
                )
            try:
                return (yield from self.put(changed, source=source))
            except VersionConflict:
                if attempt == attempts:
                    raise
                yield from pause(self.reader.retries.pause(attempt))
        raise AssertionError("the last attempt returns or raises")

    def pattern(self, plan: Plan, arguments: Mapping[str, Any]) -> Steps[Any]:
        """Runs a pattern that writes."""
        declared = self._patterns.get(plan.pattern.name) or self._declared(plan)
        for name, cls, parameter in declared.plain_parameters:
            if type(arguments[name]) is not cls:
                checked(parameter, arguments[name])
        if declared.intent is not None and declared.intent.kind == "update":
            values = {name: arguments[name] for name in declared.keys}
            constants = declared.intent.arguments
            return self._updated(
                declared, values, {**constants, **arguments} if constants else arguments, plan.pattern.name
            )
        intent = self.pattern_intent(plan, arguments)
        if intent.kind in ("put", "create"):
            return self._written(intent, plan.pattern.name)
        return self.deleted(intent, plan.pattern.name)

    def pattern_intent(self, plan: Plan, arguments: Mapping[str, Any]) -> WriteIntent:
        """What a pattern writes for some arguments."""
        declared = self._patterns.get(plan.pattern.name) or self._declared(plan)
        if declared.intent is not None:
            return declared.intent_for({name: arguments[name] for name in declared.keys}, arguments)
        entity = plan.wanted[0]
        if takes_item(plan.pattern, entity):
            value = next(a for name, a in arguments.items() if plan.pattern.parameters[name].type is entity.cls)
            if not isinstance(value, entity.cls):
                raise ArgumentRefused(f"{plan.pattern.name} takes a {entity.label}, got {value!r}")
        else:
            value = make(made_of(entity), {name: arguments[name] for name in entity.fields if name in arguments})
        return self.intents.whole(declared.kind, value, trusted=self._trusts_objects)

    def _declared(self, plan: Plan) -> DeclaredWrite:
        """A pattern's write, prepared for all its calls."""
        declared, entity = plan.pattern.intent, plan.wanted[0]
        assert isinstance(declared, Write), "a write's plan has a write's intent"
        parameters = plan.pattern.parameters.values()
        plain = [(each.name, strip(each.type)[0], each) for each in parameters if strip(each.type)[0] in PLAIN]
        keys = tuple(each.name for each in plan.pattern.bound_parameters if each.name in entity.fields)
        intent = None
        if declared.kind in ("update", "delete"):
            (changes, where), constants = lift(declared.changes, declared.where)
            made = WriteIntent(
                declared.kind, entity, {}, None, changes, where, constants, validation=declared.validation
            )
            intent = self.intents.checked(made)
        known = DeclaredWrite(declared.kind, self.preparer.writes(entity), intent, tuple(plain), keys)
        return self._patterns.setdefault(plan.pattern.name, known)

    def _updated(
        self, declared: DeclaredWrite, values: Mapping[str, Any], arguments: Mapping[str, Any], source: str
    ) -> Steps[Any]:
        """An update of a known shape: by its one request where that is enough."""
        writes = declared.writes
        request = self.direct.of_update(writes, declared.update_plan, values, arguments)
        if request is None:
            return (yield from self.changed(declared.intent_for(values, arguments), source))
        try:
            (body,) = yield (Call("UpdateItem", request.parameters, False),)
        except RequestRefused as refusal:
            return (yield from self.changed(declared.intent_for(values, arguments), source, refusal))
        answer = read_write(body)
        if answer.consumed_capacity is not None:
            self.reader.metrics.write(source, answer.consumed_capacity.capacity_units)
        return writes.object_of(answer.attributes)

    def changed(self, intent: WriteIntent, source: str, refusal: RequestRefused | None = None) -> Steps[Any]:
        """An update or upsert, and the object that it makes; `refusal` is the answer to its one request."""
        done = yield from self.executor.commit([intent], source=source, refusal=refusal)
        writes = self.preparer.writes(intent.entity)
        if done.attributes is not None:
            return writes.object_of(done.attributes)
        item = yield from self.executor.sender.item(self.preparer.key(intent), source)  # a transaction returns no item
        if item is not None:
            return writes.read_back(item)
        new = done.prepared[0].new
        assert new is not None, "derived data follows from known values"
        return make(made_of(intent.entity), new)

    def deleted(self, intent: WriteIntent, source: str) -> Steps[Any]:
        """A delete, and the object that was there."""
        done = yield from self.executor.commit([intent], source=source)
        if not done.is_transaction:
            return None if done.attributes is None else self._deleted_object(intent, done.attributes)
        old = done.prepared[0].old
        return None if old is None else make(made_of(intent.entity), old)

    def _deleted_object(self, intent: WriteIntent, attributes: msgspec.Raw) -> Any:
        try:
            return self.preparer.writes(intent.entity).object_of(attributes)
        except ItemRefused as problem:
            item: Item = msgspec.json.decode(attributes)
            key = {name: item[name] for name in self.design.table.key_attributes}
            message = (
                f"{intent.shown} was deleted; the model cannot read it, so its raw attributes are returned: {problem}"
            )
            warnings.warn(UnreadableItemWarning(message, UnreadableItem(key, item, problem)), stacklevel=2)
            return item

    def current(self, intents: Sequence[WriteIntent], source: str) -> Steps[tuple[Any, ...]]:
        """The stored objects of some intents, None where there is none."""
        items = yield from self.executor.sender.items([self.preparer.key(each) for each in intents], source)
        read = (
            None if item is None else self.preparer.writes(intent.entity).decoder.read(item)
            for intent, item in zip(intents, items, strict=True)
        )
        return tuple(read)

    def _written(self, intent: WriteIntent, source: str) -> Steps[Any]:
        done = yield from self.executor.commit([intent], source=source)
        return done.prepared[0].result if done.prepared else done.result
