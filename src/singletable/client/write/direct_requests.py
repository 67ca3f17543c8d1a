"""Direct requests, built from a template and the values of a call: writes that need no read and change one item."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import count
from typing import Any, NamedTuple

import msgspec

from singletable.client.key import Key
from singletable.client.write import schema_versions
from singletable.client.write.item_actions import ActionKind, ItemAction
from singletable.client.write.prepare_actions import Preparer
from singletable.client.write.stored_expressions import Slot, stored_time
from singletable.client.write.write_conditions import ConditionInputs
from singletable.client.write.write_intents import WriteIntent
from singletable.client.write.write_plans import (
    BoundChanges,
    DirectUpdate,
    EntityWrites,
    RequestTemplate,
    UpdatePlan,
    written_parts,
)
from singletable.expressions.tree import Change, Constant, Path, parameters
from singletable.model.entity import Entity
from singletable.planner.stored_items import field_value, stored_value

_SINGLE_REQUEST_PARAMETERS = frozenset(("ReturnValues", "ReturnConsumedCapacity"))
"""Request parameters that an entry of a transaction does not have."""


class DirectRequest(NamedTuple):
    """The single request of a write that needs no read and changes no other items."""

    operation: str
    parameters: dict[str, Any]
    is_repeatable: bool
    """Whether sending the request twice has the same effect and response as sending it once."""
    result: Any = None
    """The object that a put or create writes."""
    key: Hashable = None
    """The key of a put in hashable form. It is set only if the fast path encoded the key."""

    def entry(self) -> dict[str, Any]:
        """Return the request as an entry of a transaction."""
        parameters = {name: value for name, value in self.parameters.items() if name not in _SINGLE_REQUEST_PARAMETERS}
        return {self.operation.removesuffix("Item"): parameters}


class DirectRequests:
    """Builds the direct requests of one table."""

    def __init__(self, preparer: Preparer) -> None:
        self._preparer = preparer

    def of(self, intent: WriteIntent) -> DirectRequest | None:
        """Return the request of a write. Return None if the write needs a read or changes other items."""
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
        if intent.unchanged is not None:  # a condition with the values of one stored item
            template = self._template("Put", intent)
        else:
            shape = (intent.kind, None if intent.version is None else bool(intent.version))
            template = writes.templates.get(shape) or writes.templates.setdefault(shape, self._template("Put", intent))
        values = self._condition_values(intent) if template.has_values else ()
        is_unchanged = not (intent.is_trusted or intent.unknown or isinstance(intent.target, Key))
        if is_unchanged and writes.entity.declaration.version is None:
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
        """Return the request of an update, given the key fields.

        Return None if it needs a read or changes other items.
        """
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
            filled.append(stored_value(arguments[name], writes.entity.declaration.codecs))
        for name in writes.exact_times:
            filled.append(field_value(writes.entity, name, values[name]))
        if version is not None:
            filled.append({"N": str(version)})
        parameters = template.parameters(self._preparer.table, writes.encoder.key(values), filled)
        return DirectRequest("UpdateItem", parameters, False)

    def _template(self, kind: ActionKind, intent: WriteIntent) -> RequestTemplate:
        requirements = tuple(self._preparer.requirements.of(intent, 0, self._slots(intent)))
        return RequestTemplate(
            ItemAction(kind, {}, 0, {}, (), requirements, self._preparer.schema_guards(intent, requirements))
        )

    def _update_template(
        self, entity: Entity, plan: UpdatePlan, bound: BoundChanges, direct: DirectUpdate, version: int | None
    ) -> RequestTemplate:
        """Return the template for updates with the same changes.

        Its slots are in the order in which values are filled in.
        """
        slots = (Slot(number) for number in count())
        changes = [each._replace(values=tuple(next(slots) for _ in each.values)) for each in bound.changes]
        keys: list[Change] = []
        for rewrite, part in written_parts(entity, direct.rewrites):
            path = Path((part.attribute,))
            keys.append(Change("REMOVE", path) if rewrite.is_left else Change("SET", path, Constant(next(slots))))
        intent = WriteIntent("update", entity, {}, where=plan.where, version=version)
        inputs = ConditionInputs(
            {name: next(slots) for name in plan.where_parameters},
            times={name: next(slots) for name in intent.exact_times},
            version=next(slots),
            now=None,
        )
        fields = [
            change
            for each, made in zip(plan.fields, changes, strict=True)
            for change in each.expressions(made.form, made.values).changes
        ]
        requirements = (
            *self._preparer.requirements.of(intent, 0, inputs),
            *self._preparer.rule_requirements(intent, 0, plan, changes),
        )
        current = schema_versions.is_current(self._preparer.design, entity)
        all_changes = (*fields, *self._preparer.version_changes(intent), *keys)
        return RequestTemplate(ItemAction("Update", {}, 0, None, all_changes, requirements, current))

    def _condition_values(self, intent: WriteIntent) -> list[Any]:
        """Return the values for the slots of conditions, in order."""
        arguments = intent.arguments
        names, codecs = self._names(intent) if intent.where is not None else [], intent.entity.declaration.codecs
        values = [stored_value(arguments[name], codecs) for name in names]
        return [*values, {"N": str(intent.version)}, stored_time(self._preparer.now()), *intent.times.values()]

    def _slots(self, intent: WriteIntent) -> ConditionInputs:
        names = self._names(intent)
        slots = (Slot(number) for number in count())
        arguments = {name: next(slots) for name in names}
        version, now = next(slots), next(slots)
        return ConditionInputs(arguments, version, now, {name: next(slots) for name in intent.exact_times})

    def _names(self, intent: WriteIntent) -> list[str]:
        """Return the names of a condition's parameters, sorted."""
        return sorted(parameters(intent.where))
