"""Write plans: a prebuilt request for each shape of write. A call only fills in its values.

The first write of a shape builds its plan, which stays in memory while the table is open. A plan is for writes that
need no read and change no other items. `prepare_actions.py` prepares all other writes from the same parts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from singletable.client.items.decoder import Decoder
from singletable.client.items.item_types import ItemTypes
from singletable.client.items.value_reader import reader_of
from singletable.client.responses import Item
from singletable.client.write.field_changes import (
    REMOVE,
    UNKNOWN,
    AddNumber,
    AppendToList,
    BoundChange,
    ChangeMembers,
    Coding,
    FieldPlan,
    RemoveField,
    SetField,
)
from singletable.client.write.item_actions import RETURN_ITEM_ON_FAILURE, RETURN_VALUES, ItemAction
from singletable.client.write.item_encoder import Encoder, PartEncoder
from singletable.client.write.object_validation import Validator
from singletable.client.write.stored_expressions import Slot, expression_parameters
from singletable.client.write.write_intents import WriteIntent
from singletable.errors import ItemRefused
from singletable.expressions.tree import Change, Condition, Parameter, Path, parameters
from singletable.model.derived_data import DerivedDataRules, derived_data_of
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.fields import Field
from singletable.model.parameter_binding import fixed_values
from singletable.model.type_codecs import TypeCodecs
from singletable.model.validation.class_rules import rules_of
from singletable.planner.stored_items import stored_value
from singletable.planner.validation_reads import ChangeKind, change_kind, field_at, read_reason
from singletable.planner.write_effects import KeyRewrite, key_rewrites
from singletable.values.attribute_value import AttributeValue
from singletable.values.fast_path import FastPath, NotOnFastPath

FAST_RETURNED_ITEMS = FastPath("returned items")

_PLANS: Mapping[ChangeKind, type[FieldPlan]] = {
    "set": SetField,
    "remove": RemoveField,
    "add to number": AddNumber,
    "append to list": AppendToList,
    "change members of set": ChangeMembers,
}


def field_plan(
    entity: Entity, change: Change, encoder: Encoder, decoder: Decoder, *, validates_whole: bool
) -> FieldPlan:
    """Return the plan of one change. Without `validates_whole`, it ignores rules that need the whole object."""
    steps = change.path.steps
    rules, name = rules_of(entity.cls, steps), str(steps[0])
    kind = _PLANS[change_kind(change, rules.type)]
    needs = read_reason(entity.cls, change, validates_whole=validates_whole)
    if len(steps) > 1:
        codecs = entity.declaration.codecs
        read = reader_of(rules.type | None if rules.optional else rules.type, codecs)
        encode = partial(_nested_value, field_at(entity.cls, steps), codecs)
        return kind(entity, change, rules, Coding(encode, read, decoder.read), needs)
    is_simple = kind is SetField and rules.validate is None and needs is None
    fast = encoder.fast_field(name) if is_simple else None
    coding = Coding(partial(encoder.field, name), decoder.readers[name], decoder.read, fast)
    return kind(entity, change, rules, coding, needs)


def _nested_value(field: Field | None, codecs: TypeCodecs, value: Any) -> AttributeValue | None:
    """Return the stored form of a nested value; an empty set, which DynamoDB cannot hold, becomes None or a list."""
    if isinstance(value, set | frozenset) and not value:
        return None if field is not None and field.is_empty_unless_stored else {"L": []}
    return stored_value(value, codecs)


_decode = msgspec.json.decode


SHAPES_MAX = 1000
"""The maximum number of cached write shapes; without a limit, paths into maps could create any number of shapes."""


class RequestTemplate:
    """A request template for writes of one shape: the text of its expressions, with placeholders for the values."""

    def __init__(self, action: ItemAction) -> None:
        self.operation = action.operation
        condition = action.condition
        expressed = expression_parameters(condition, action.changes) if condition is not None or action.changes else {}
        slots: dict[str, Any] = expressed.pop("ExpressionAttributeValues", {})
        self._subject = "Item" if action.kind == "Put" else "Key"
        self._fixed = {**expressed, **RETURN_VALUES[action.kind], "ReturnConsumedCapacity": "TOTAL"}
        if condition is not None:
            self._fixed |= RETURN_ITEM_ON_FAILURE
        self._constants = {name: value for name, value in slots.items() if not isinstance(value, Slot)}
        self._names = [name for name, value in slots.items() if isinstance(value, Slot)]
        numbers = [value.number for value in slots.values() if isinstance(value, Slot)]
        self._choose: Callable[[Sequence[Any]], Sequence[Any]] = _chooser(numbers)
        self.is_repeatable = condition is None and action.kind == "Put"
        """Whether sending the request twice has the same effect and response as sending it once."""

    @property
    def has_values(self) -> bool:
        """Return whether the expressions have placeholders for values."""
        return bool(self._names)

    def parameters(self, table: str, subject: Item | msgspec.Raw, values: Sequence[Any]) -> dict[str, Any]:
        """Return the parameters of one request with these values."""
        filled = {"TableName": table, self._subject: subject, **self._fixed}
        if self._names:
            named = dict(zip(self._names, self._choose(values), strict=True))
            filled["ExpressionAttributeValues"] = {**self._constants, **named} if self._constants else named
        elif self._constants:
            filled["ExpressionAttributeValues"] = self._constants
        return filled


def _chooser(numbers: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    if len(numbers) == 1:
        (number,) = numbers
        return lambda values: (values[number],)
    return itemgetter(*numbers) if numbers else lambda values: ()


class EntityWrites:
    """The compiled parts that all writes of one entity share."""

    def __init__(self, design: Design, entity: Entity, item_types: ItemTypes) -> None:
        self.entity = entity
        self.derived_data: DerivedDataRules = derived_data_of(design.entities, entity)
        self.decoder = item_types.decoder(entity)  # raises an error for a class that cannot be read back
        self.encoder = Encoder(design, entity)
        self.validator = Validator(entity, self.encoder, self.decoder)
        self.is_independent = self.derived_data.reason is None
        """Whether writes of the entity change no other items."""
        self.is_unconditional_put = self.is_independent and entity.declaration.version is None
        """Whether a put is one request without conditions."""
        self.exact_times = sorted(entity.base.truncated_fields)
        """The times that the key contains only to a unit; an update by key must find the exact time."""
        self.templates: dict[Hashable, RequestTemplate] = {}
        self._update_plans: dict[Hashable, UpdatePlan] = {}
        self._counter_plans: dict[str, FieldPlan] = {}

    def object_of(self, attributes: msgspec.Raw) -> Any:
        """Return the object of an item in a write response. Raise ItemRefused if the model cannot read the item."""
        fast = self.validator.fast
        if fast is not None:
            try:
                (made,) = fast.create(fast.reader.rows(attributes))
            except NotOnFastPath:
                FAST_RETURNED_ITEMS.misses += 1
            else:
                FAST_RETURNED_ITEMS.hits += 1
                return made
        return self.read_back(_decode(attributes))

    def read_back(self, item: Item) -> Any:
        """Return the object of a decoded item. Raise ItemRefused if the model cannot read the item."""
        try:
            return self.decoder.read(item)
        except ItemRefused as problem:
            problem.add_note("The write succeeded, but the stored item contains attributes that the model cannot read.")
            raise

    def update_plan(self, intent: WriteIntent) -> UpdatePlan:
        """Return the plan for updates of this shape."""
        shape = (intent.changes, intent.where, intent.validation)
        plan = self._update_plans.get(shape)
        if plan is None:
            if len(self._update_plans) >= SHAPES_MAX:
                self._update_plans.clear()
            plan = self._update_plans[shape] = UpdatePlan(
                self, intent.changes, intent.where, intent.validation == "whole"
            )
        return plan

    def counter_plan(self, name: str) -> FieldPlan:
        """Return the plan for changes to a counter; writes of other items cause these changes."""
        plan = self._counter_plans.get(name)
        if plan is None:
            change = Change("ADD", Path((name,)), Parameter("count"))
            plan = field_plan(self.entity, change, self.encoder, self.decoder, validates_whole=False)
            self._counter_plans[name] = plan
        return plan


class BoundChanges(NamedTuple):
    """The changes of an update with their values."""

    changes: list[BoundChange]
    forms: tuple[Hashable, ...]
    known: dict[str, Any]
    """The fields whose values after the update are known without a read."""


class DirectUpdate(NamedTuple):
    """An update that needs only one request, because known values determine all its index keys."""

    rewrites: tuple[KeyRewrite, ...]
    parts: tuple[PartEncoder, ...]
    """The encoders of the index keys that the update sets."""
    templates: dict[Hashable, RequestTemplate]
    """The request templates, by whether the caller's version is above 0; None if the caller has no version."""


class UpdatePlan:
    """The plan of an update: its field changes and its condition."""

    def __init__(
        self, writes: EntityWrites, changes: Sequence[Change], where: Condition | None, validates_whole: bool
    ) -> None:
        self._writes = writes
        entity = writes.entity
        self.fields: tuple[FieldPlan, ...] = tuple(
            field_plan(entity, change, writes.encoder, writes.decoder, validates_whole=validates_whole)
            for change in changes
        )
        self.where = where
        self.changed = frozenset(plan.name for plan in self.fields)
        self._fixed_by_condition = [
            (name, source.name)
            for name, source in fixed_values(where).items()
            if isinstance(source, Parameter) and name not in self.changed
        ]
        self.where_parameters = sorted(parameters(where))
        self.read_reason = next((plan.needs_item for plan in self.fields if plan.needs_item is not None), None)
        """The reason why validation of the result needs the stored item. None if it does not."""
        self.changes_derived_data = bool(self.changed & writes.derived_data.tracked_fields)
        self._direct_updates: dict[Hashable, DirectUpdate | None] = {}

    def bind(self, values: Mapping[str, Any], arguments: Mapping[str, Any]) -> BoundChanges:
        """Return the update with its values, given the key fields of the item.

        Raise InvalidValue if a value is invalid.
        """
        known = dict(values)
        for name, source in self._fixed_by_condition:
            known[name] = arguments[source]
        changes: list[BoundChange] = []
        forms: list[Hashable] = []
        for plan in self.fields:
            change = plan.bind(None if plan.parameter is None else arguments[plan.parameter])
            changes.append(change)
            forms.append(change.form)
            value = change.known
            if value is UNKNOWN and change.form == REMOVE and plan.is_none_if_missing:
                value = None
            if value is UNKNOWN:
                known.pop(plan.name, None)
            else:
                known[plan.name] = value
        return BoundChanges(changes, tuple(forms), known)

    def cleared_fields(self, bound: BoundChanges) -> frozenset[str]:
        """Return the fields that are None after the update."""
        return frozenset(name for name in self.changed if name in bound.known and bound.known[name] is None)

    def needs_item(self, bound: BoundChanges) -> str | None:
        """Return the reason to read the item first. Return None if the update needs no read."""
        if self.read_reason is not None:
            return self.read_reason
        if self.changes_derived_data:
            return f"derived data depends on the stored {self._writes.entity.label}"
        if self.direct(bound) is None:
            return "index keys depend on fields that the update does not set"
        return None

    def direct(self, bound: BoundChanges) -> DirectUpdate | None:
        """Return the update as one request. Return None if it needs the stored item."""
        try:
            return self._direct_updates[bound.forms]
        except KeyError:
            direct = self._direct_updates[bound.forms] = self._build_direct(bound)
            return direct

    def _build_direct(self, bound: BoundChanges) -> DirectUpdate | None:
        if self.read_reason is not None or self.changes_derived_data:
            return None
        rewrites = tuple(key_rewrites(self._writes.entity, self.changed, self.cleared_fields(bound)))
        if any(rewrite.needed - bound.known.keys() for rewrite in rewrites):
            return None
        encoder = self._writes.encoder
        written = written_parts(self._writes.entity, rewrites)
        parts = tuple(encoder.part(rewrite.placement, part) for rewrite, part in written if not rewrite.is_left)
        return DirectUpdate(rewrites, parts, {})


def written_parts(entity: Entity, rewrites: Sequence[KeyRewrite]) -> list[tuple[KeyRewrite, Any]]:
    """Return the key attributes that an update writes in addition to the fields.

    A key attribute that is a field is omitted.
    """
    done = {*entity.attributes.values(), *(part.attribute for part in entity.base.parts)}
    written = []
    for rewrite in rewrites:
        for part in rewrite.parts:
            if part.attribute not in done:
                done.add(part.attribute)
                written.append((rewrite, part))
    return written
