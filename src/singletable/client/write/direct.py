"""Direct requests: writes that need neither a read nor other items, by a finished template and the values of a call."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import count
from typing import Any, NamedTuple

import msgspec

from singletable.client.key import Key
from singletable.client.write import schema_versions
from singletable.client.write.actions import Action, ActionKind
from singletable.client.write.conditions import Slot, moment
from singletable.client.write.intent import WriteIntent
from singletable.client.write.plans import BoundUpdate, Direct, EntityWrites, RequestTemplate, UpdatePlan, written_parts
from singletable.client.write.prepare import Preparer
from singletable.client.write.requirements import Inputs
from singletable.expressions.tree import Change, Constant, Path, parameters
from singletable.model.entity import Entity
from singletable.planner.stored import stored_value

_ALONE = frozenset(("ReturnValues", "ReturnConsumedCapacity"))
"""Parameters of a request that an entry of a transaction does not have."""


class DirectRequest(NamedTuple):
    """A write that needs neither a read nor other items: its one request."""

    operation: str
    parameters: dict[str, Any]
    is_repeatable: bool
    """Whether it has the same effect and the same answer when it is sent twice."""
    result: Any = None
    """The object of a put or a create."""
    key: Hashable = None
    """The key of a put, in a form in which equal keys are equal, where it is at hand."""

    def entry(self) -> dict[str, Any]:
        """The request as an entry of a transaction."""
        parameters = {name: value for name, value in self.parameters.items() if name not in _ALONE}
        return {self.operation.removesuffix("Item"): parameters}


class DirectRequests:
    """Makes the direct requests of one table."""

    def __init__(self, preparer: Preparer) -> None:
        self._preparer = preparer

    def of(self, intent: WriteIntent) -> DirectRequest | None:
        """The one request of a write; None where it needs a read or other items."""
        writes = self._preparer.writes(intent.entity)
        if intent.kind == "update":
            plan = writes.update_plan(intent)
            return self.of_update(writes, plan, intent.values, intent.arguments, intent.version)
        if intent.kind in ("put", "create") and writes.is_independent:
            return self._direct_put(writes, intent)
        if intent.kind == "delete" and writes.is_independent and intent.unchanged is None:
            return self._direct_delete(writes, intent)
        return None

    def _direct_put(self, writes: EntityWrites, intent: WriteIntent) -> DirectRequest:
        shape = (intent.kind, None if intent.version is None else bool(intent.version))
        template = writes.templates.get(shape) or writes.templates.setdefault(shape, self._template("Put", intent))
        values = self._condition_values(intent) if template.has_values else ()
        is_as_given = not (intent.is_trusted or intent.unknown or isinstance(intent.target, Key))
        if is_as_given and writes.entity.declaration.version is None:
            json, key, result = writes.validator.valid_object(intent.target)
            parameters = template.parameters(self._preparer.table, msgspec.Raw(json), values)
            return DirectRequest(template.operation, parameters, template.is_repeatable, result, key)
        valid = self._preparer.valid(writes, intent, self._preparer.written_values(intent, {}, None))
        item = {**intent.unknown, **valid.item} if intent.unknown else valid.item
        parameters = template.parameters(self._preparer.table, item, values)
        return DirectRequest(template.operation, parameters, template.is_repeatable, valid.result)

    def _direct_delete(self, writes: EntityWrites, intent: WriteIntent) -> DirectRequest:
        key = writes.encoder.key(intent.values)
        shape = ("delete", intent.where, None if intent.version is None else bool(intent.version))
        template = writes.templates.get(shape) or writes.templates.setdefault(shape, self._template("Delete", intent))
        parameters = template.parameters(self._preparer.table, key, self._condition_values(intent))
        return DirectRequest(template.operation, parameters, template.is_repeatable)

    def of_update(
        self,
        writes: EntityWrites,
        plan: UpdatePlan,
        values: Mapping[str, Any],
        arguments: Mapping[str, Any],
        version: int | None = None,
    ) -> DirectRequest | None:
        """The one request of an update of the item with these key fields; None where it needs a read or other items."""
        bound = plan.bind(values, arguments)
        direct = plan.direct(bound)
        if direct is None:
            return None
        shape = None if version is None else version > 0
        template = direct.templates.get(shape)
        if template is None:
            template = direct.templates[shape] = self._update_template(writes.entity, plan, bound, direct, version)
        filled: list[Any] = []
        for change in bound.changes:
            filled += change.values
        for encode in direct.parts:
            filled.append(encode(bound.known))
        for name in plan.where_parameters:
            filled.append(stored_value(arguments[name]))
        if version is not None:
            filled.append({"N": str(version)})
        parameters = template.parameters(self._preparer.table, writes.encoder.key(values), filled)
        return DirectRequest("UpdateItem", parameters, False)

    def _template(self, kind: ActionKind, intent: WriteIntent) -> RequestTemplate:
        requirements = tuple(self._preparer.requirements.of(intent, 0, self._slots(intent)))
        return RequestTemplate(
            Action(kind, {}, 0, {}, (), requirements, self._preparer.schema_guards(intent, requirements))
        )

    def _update_template(
        self, entity: Entity, plan: UpdatePlan, bound: BoundUpdate, direct: Direct, version: int | None
    ) -> RequestTemplate:
        """The finished request of an update's shape, with slots in the order in which values are filled in."""
        slots = (Slot(number) for number in count())
        changes = [each._replace(values=tuple(next(slots) for _ in each.values)) for each in bound.changes]
        keys: list[Change] = []
        for rewrite, part in written_parts(entity, direct.rewrites):
            path = Path((part.attribute,))
            keys.append(Change("REMOVE", path) if rewrite.is_left else Change("SET", path, Constant(next(slots))))
        inputs = Inputs({name: next(slots) for name in plan.where_parameters}, next(slots), None)
        intent = WriteIntent("update", entity, {}, where=plan.where, version=version)
        fields = [
            change
            for each, made in zip(plan.fields, changes, strict=True)
            for change in each.expressed(made.form, made.values).changes
        ]
        requirements = (
            *self._preparer.requirements.of(intent, 0, inputs),
            *self._preparer.bounds(intent, 0, plan, changes),
        )
        current = schema_versions.is_current(self._preparer.design, entity)
        all_changes = (*fields, *self._preparer.incremented(intent), *keys)
        return RequestTemplate(Action("Update", {}, 0, None, all_changes, requirements, current))

    def _condition_values(self, intent: WriteIntent) -> list[Any]:
        """The values that the slots of conditions stand for, in their order."""
        arguments = intent.arguments
        values = [stored_value(arguments[name]) for name in self._names(intent)] if intent.where is not None else []
        return [*values, {"N": str(intent.version)}, moment(self._preparer.now())]

    def _slots(self, intent: WriteIntent) -> Inputs:
        names = self._names(intent)
        slots = {name: Slot(number) for number, name in enumerate(names)}
        return Inputs(slots, Slot(len(names)), Slot(len(names) + 1))

    def _names(self, intent: WriteIntent) -> list[str]:
        """The parameters of a condition."""
        return sorted(parameters(intent.where))
