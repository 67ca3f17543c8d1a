"""Table writer: put, create, update, upsert, delete, move and edit, and the patterns that write."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from singletable.client.items.decoder import decoded_class, make
from singletable.client.key import Key
from singletable.client.reading.table_reader import TableReader
from singletable.client.request_steps import Call, Steps, pause
from singletable.client.responses import Item, read_write
from singletable.client.write.direct_requests import DirectRequests
from singletable.client.write.prepare_actions import IsSample, Preparer, no_samples
from singletable.client.write.request_sender import Sender
from singletable.client.write.stored_expressions import all_of
from singletable.client.write.update_copies import CopyUpdater
from singletable.client.write.write_conditions import not_found
from singletable.client.write.write_execution import Executor
from singletable.client.write.write_intents import Intents, Where, WriteIntent, lift_constants
from singletable.client.write.write_plans import SHAPES_MAX, EntityWrites, UpdatePlan
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
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.fields import SCALAR_TYPES, strip
from singletable.model.intents import ItemWriteIntent, WriteKind
from singletable.model.pattern_declaration import ParameterDeclaration
from singletable.model.source_location import user_stacklevel
from singletable.model.update_changes import FieldChange
from singletable.model.validation.value_rules import Validation
from singletable.planner.plan import Plan
from singletable.planner.plan_writes import takes_item
from singletable.planner.stored_items import check_argument, key_of, values_of


@dataclass(frozen=True)
class DeclaredWrite:
    """A planned write that many calls share: a pattern, or an update that always changes the same fields."""

    kind: WriteKind
    writes: EntityWrites
    intent: WriteIntent | None
    """For an update or delete: the intent without the caller's arguments."""
    scalar_parameters: tuple[tuple[str, type, ParameterDeclaration], ...]
    """The parameters whose types each call checks."""
    keys: tuple[str, ...]
    """The parameters whose values are key fields."""

    @cached_property
    def update_plan(self) -> UpdatePlan:
        """Return the plan of an update."""
        assert self.intent is not None, "an update has an intent"
        return self.writes.update_plan(self.intent)

    def intent_for(self, values: Mapping[str, Any], arguments: Mapping[str, Any]) -> WriteIntent:
        """Return the intent of a call, given its key fields and arguments."""
        assert self.intent is not None, "a put's intent is its object"
        return self.intent.with_arguments(values, arguments)


class Writer:
    """The writes of a table; each is a generator of requests."""

    def __init__(
        self,
        reader: TableReader,
        *,
        returns_items: bool,
        skips_validation: bool = False,
        is_sample: IsSample = no_samples,
        finder: TableReader | None = None,
    ) -> None:
        """Create the parts; `skips_validation` and `is_sample` switch validation off for objects and stored items.

        `finder` is the reader that finds copies, if it is not `reader`.
        """
        self.reader = reader
        self._skips_validation = skips_validation
        self.design = reader.design
        self.preparer = Preparer(self.design, reader.name, reader.item_types, reader.now, is_sample=is_sample)
        self.direct = DirectRequests(self.preparer)
        sender = Sender(reader, returns_items)
        holders = CopyUpdater(replace(finder or reader, reports_unreadable=False), self.preparer)
        self.executor = Executor(reader, self.preparer, self.direct, holders, sender)
        self.intents = Intents(
            self.design, self.preparer.derived_data, self.preparer.validated_fields, self.preparer.values
        )
        self._unconditional_puts: dict[type, EntityWrites] = {}
        self._patterns: dict[str, DeclaredWrite] = {}
        self._updates: dict[tuple[Any, ...], DeclaredWrite] = {}

    def put(self, value: Any, *, source: str = "put") -> Steps[Any]:
        """Write an object, replacing the stored one.

        If the object has a version, the stored version must be the same.
        """
        writes = self._unconditional_puts.get(type(value)) or self._unconditional_writes(value)
        if writes is None:
            return (yield from self._run_put(self.intents.whole("put", value), source))
        json, _, result = writes.validator.valid_object(value)
        reader = self.reader
        parameters = {"TableName": reader.name, "Item": msgspec.Raw(json), "ReturnConsumedCapacity": "TOTAL"}
        (body,) = yield (Call("PutItem", parameters, source=source),)
        answer = read_write(body)
        if answer.consumed_capacity is not None:
            reader.metrics.write(source, answer.consumed_capacity.capacity_units)
        return result

    def _unconditional_writes(self, value: Any) -> EntityWrites | None:
        """Return the writes of the object's entity. Return None if a put needs conditions or changes other items."""
        writes = self.preparer.writes(self.intents.entities.of(value))
        if not writes.is_unconditional_put:
            return None
        self._unconditional_puts[type(value)] = writes
        return writes

    def create(self, value: Any, *, source: str = "create") -> Steps[Any]:
        """Write an object that must not exist yet."""
        return self._run_put(self.intents.whole("create", value), source)

    def upsert(self, value: Any, *, source: str = "upsert") -> Steps[Any]:
        """Write every field of an object, and keep other attributes of the item. Create the item if it is missing."""
        return self.run_update(self.intents.whole("upsert", value), source)

    def update(
        self, target: Any, changes: Sequence[FieldChange[Any]], where: Where | None, validate: Validation = "whole"
    ) -> Steps[Any]:
        """Change fields of an existing item, and every index key that depends on them. Return the new object."""
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
                return self._run_known_update(declared, target.values, arguments, "update")
        return self._update_by_intent(target, changes, where, validate)

    def _update_by_intent(
        self, target: Any, changes: Sequence[FieldChange[Any]], where: Where | None, validate: Validation
    ) -> Steps[Any]:
        """Run an update of a new shape, or an update with a condition or a version.

        Cache the shape for the fast path.
        """
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
        return self.run_update(intent, "update")

    def delete(self, target: Any, where: Where | None, *, raw: bool = False) -> Steps[Any]:
        """Delete an item if the condition holds; return the deleted object."""
        return self.run_delete(self.intents.delete(target, where, raw=raw), "delete")

    def move(self, old: Any, new: Any, *, source: str = "move") -> Steps[Any]:
        """Delete an object and create an object with a different key, if the old one is unchanged since it was read."""
        done = yield from self.executor.commit(self.move_intents(old, new), source=source)
        return done.prepared[1].result

    def move_intents(self, old: Any, new: Any) -> tuple[WriteIntent, WriteIntent]:
        """Return the two intents of a move."""
        entity = self.intents.entities.of(old)
        if self.intents.entities.of(new) is not entity:
            raise ArgumentRefused(f"move: {new!r} is not a {entity.label}; pass two objects of one entity")
        values = values_of(entity, old)
        if key_of(entity, values) == key_of(entity, values_of(entity, new)):
            raise ArgumentRefused(f"move: both {entity.label}s have the same key; use put or update")
        counters = self.preparer.derived_data(entity).counters
        same = self.preparer.unchanged(entity, values, [name for name in entity.fields if name not in counters])
        delete_old = WriteIntent("delete", entity, values, old, unchanged=all_of(*same))
        return delete_old, self.intents.whole("create", new)

    def edit(self, key: Key[Any], change: Callable[[Any], Any], attempts: int, *, source: str = "edit") -> Steps[Any]:
        """Read an object, write the result of `change`, and retry if another writer changes the item meanwhile."""
        entity, values = self.intents.entities.named(key)
        if entity.declaration.version is None:
            raise ArgumentRefused(f"edit: {entity.label} has no version; declare @entity(version=...)")
        if attempts < 1:
            raise ArgumentRefused(f"edit: attempts must be 1 or greater, not {attempts}")
        intent = WriteIntent("check", entity, values, key)
        writes = self.preparer.writes(entity)
        for attempt in range(1, attempts + 1):
            item = yield from self.executor.sender.read_item(writes.encoder.key(values), source)
            found = None if item is None else writes.decoder.read(item)
            if found is None or any(getattr(found, name) != values[name] for name in intent.exact_times):
                raise not_found(intent)(item)
            changed = change(found)
            is_same_entity = self.intents.entities.of(changed) is entity
            if not is_same_entity or key_of(entity, values_of(entity, changed)) != key_of(entity, values):
                raise ArgumentRefused(
                    f"edit: the function must return an object with the same key as {intent.label}.\n"
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
        """Run a pattern that writes."""
        declared = self._patterns.get(plan.pattern.name) or self._declare(plan)
        for name, cls, parameter in declared.scalar_parameters:
            if type(arguments[name]) is not cls:
                check_argument(parameter, arguments[name])
        if declared.intent is not None and declared.intent.kind == "update":
            values = {name: arguments[name] for name in declared.keys}
            constants = declared.intent.arguments
            return self._run_known_update(
                declared, values, {**constants, **arguments} if constants else arguments, plan.pattern.name
            )
        intent = self.pattern_intent(plan, arguments)
        if intent.kind in ("put", "create"):
            return self._run_put(intent, plan.pattern.name)
        return self.run_delete(intent, plan.pattern.name)

    def pattern_intent(self, plan: Plan, arguments: Mapping[str, Any]) -> WriteIntent:
        """Return the intent of a pattern for some arguments."""
        declared = self._patterns.get(plan.pattern.name) or self._declare(plan)
        if declared.intent is not None:
            return declared.intent_for({name: arguments[name] for name in declared.keys}, arguments)
        entity = plan.entities[0]
        if takes_item(plan.pattern, entity):
            value = next(a for name, a in arguments.items() if plan.pattern.parameters[name].type is entity.cls)
            if not isinstance(value, entity.cls):
                raise ArgumentRefused(f"{plan.pattern.name} takes a {entity.label}, got {value!r}")
        else:
            value = make(decoded_class(entity), {name: arguments[name] for name in entity.fields if name in arguments})
        return self.intents.whole(declared.kind, value, trusted=self._skips_validation)

    def _declare(self, plan: Plan) -> DeclaredWrite:
        """Prepare and cache the write of a pattern."""
        declared, entity = plan.pattern.intent, plan.entities[0]
        assert isinstance(declared, ItemWriteIntent), "the plan of a write has the intent of a write"
        parameters = plan.pattern.parameters.values()
        scalars = [(each.name, strip(each.type)[0], each) for each in parameters if strip(each.type)[0] in SCALAR_TYPES]
        keys = tuple(each.name for each in plan.pattern.bound_parameters if each.name in entity.fields)
        intent = None
        if declared.kind in ("update", "delete"):
            (changes, where), constants = lift_constants(declared.changes, declared.where)
            made = WriteIntent(
                declared.kind, entity, {}, None, changes, where, constants, validation=declared.validation
            )
            intent = self.intents.checked(made)
        write = DeclaredWrite(declared.kind, self.preparer.writes(entity), intent, tuple(scalars), keys)
        return self._patterns.setdefault(plan.pattern.name, write)

    def _run_known_update(
        self, declared: DeclaredWrite, values: Mapping[str, Any], arguments: Mapping[str, Any], source: str
    ) -> Steps[Any]:
        """Run an update of a cached shape, as a single request if possible."""
        writes = declared.writes
        request = self.direct.of_update(writes, declared.update_plan, values, arguments)
        if request is None:
            return (yield from self.run_update(declared.intent_for(values, arguments), source))
        try:
            (body,) = yield (Call("UpdateItem", request.parameters, False, source),)
        except RequestRefused as rejection:
            return (yield from self.run_update(declared.intent_for(values, arguments), source, rejection))
        answer = read_write(body)
        if answer.consumed_capacity is not None:
            self.reader.metrics.write(source, answer.consumed_capacity.capacity_units)
        return writes.object_of(answer.attributes)

    def run_update(self, intent: WriteIntent, source: str, rejection: RequestRefused | None = None) -> Steps[Any]:
        """Run an update or upsert and return the new object.

        `rejection` is the error of a request that was already sent.
        """
        done = yield from self.executor.commit([intent], source=source, rejection=rejection)
        writes = self.preparer.writes(intent.entity)
        if done.attributes is not None:
            return writes.object_of(done.attributes)
        item = yield from self.executor.sender.read_item(
            self.preparer.key(intent), source
        )  # a transaction returns no item
        if item is not None:
            return writes.read_back(item)
        new = done.prepared[0].new
        assert new is not None, "derived data follows from known values"
        return make(decoded_class(intent.entity), new)

    def run_delete(self, intent: WriteIntent, source: str) -> Steps[Any]:
        """Run a delete and return the deleted object. Return None if the item did not exist."""
        try:
            done = yield from self.executor.commit([intent], source=source)
        except NotFound as problem:
            if not intent.names_missing_item(problem):
                raise
            return None
        if not done.is_transaction:
            return None if done.attributes is None else self._deleted_object(intent, done.attributes)
        old = done.prepared[0].old
        return None if old is None else make(decoded_class(intent.entity), old)

    def _deleted_object(self, intent: WriteIntent, attributes: msgspec.Raw) -> Any:
        try:
            return self.preparer.writes(intent.entity).object_of(attributes)
        except ItemRefused as problem:
            item: Item = msgspec.json.decode(attributes)
            key = {name: item[name] for name in self.design.table.key_attributes}
            message = (
                f"{intent.label} was deleted, but the model cannot read it: {problem}. The call returns the raw "
                "attributes of the item."
            )
            warnings.warn(
                UnreadableItemWarning(message, UnreadableItem(key, item, problem)), stacklevel=user_stacklevel()
            )
            return item

    def current_objects(self, intents: Sequence[WriteIntent], source: str) -> Steps[tuple[Any, ...]]:
        """Read the stored objects of some intents, with None for each missing item."""
        items = yield from self.executor.sender.read_items([self.preparer.key(each) for each in intents], source)
        read = (
            None if item is None else self.preparer.writes(intent.entity).decoder.read(item)
            for intent, item in zip(intents, items, strict=True)
        )
        return tuple(read)

    def _run_put(self, intent: WriteIntent, source: str) -> Steps[Any]:
        done = yield from self.executor.commit([intent], source=source)
        return done.prepared[0].result if done.prepared else done.result
