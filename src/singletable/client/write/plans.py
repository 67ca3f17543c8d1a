"""Write plans: the finished request of each entity and operation, by shape; a call only fills in its values.

A plan is built for the first write of its shape and kept for as long as the table is open. It covers writes that need
neither a read nor other items. `prepare.py` plans all other writes, on the same parts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from singletable.client.answers import Item
from singletable.client.items.kinds import Kinds
from singletable.client.write.actions import RETURN_ITEM_ON_FAILURE, RETURN_VALUES, Action
from singletable.client.write.conditions import Slot, printed
from singletable.client.write.encode import Encoder, PartEncoder
from singletable.client.write.field_changes import REMOVE, UNKNOWN, BoundChange, FieldPlan
from singletable.client.write.field_plans import field_plan
from singletable.client.write.intent import WriteIntent
from singletable.client.write.validate import Validator
from singletable.errors import ItemRefused
from singletable.expressions.tree import Change, Condition, Parameter, Path, parameters
from singletable.model.binding import held_values
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keeping import Keeping, keeping_of
from singletable.planner.key_rewrites import KeyRewrite, key_rewrites

_decode = msgspec.json.decode


SHAPES_MAX = 1000
"""How many shapes of writes are kept; a path into a map can be any text, so that there may be any number of them."""


class RequestTemplate:
    """A request of one shape: finished expressions, and the places of the values in them."""

    def __init__(self, action: Action) -> None:
        self.operation = action.operation
        condition = action.condition
        expressed = printed(condition, action.changes) if condition is not None or action.changes else {}
        slots: dict[str, Any] = expressed.pop("ExpressionAttributeValues", {})
        self._subject = "Item" if action.kind == "Put" else "Key"
        self._fixed = {**expressed, **RETURN_VALUES[action.kind], "ReturnConsumedCapacity": "TOTAL"}
        if condition is not None:
            self._fixed |= RETURN_ITEM_ON_FAILURE
        self._constants = {name: value for name, value in slots.items() if not isinstance(value, Slot)}
        self._names = [name for name, value in slots.items() if isinstance(value, Slot)]
        numbers = [value.number for value in slots.values() if isinstance(value, Slot)]
        self._chosen: Callable[[Sequence[Any]], Sequence[Any]] = _chooser(numbers)
        self.is_repeatable = condition is None and action.kind == "Put"
        """Whether it has the same effect and answer when it is sent twice."""

    @property
    def has_values(self) -> bool:
        """Whether the expressions have places for values."""
        return bool(self._names)

    def parameters(self, table: str, subject: Item | msgspec.Raw, values: Sequence[Any]) -> dict[str, Any]:
        """The parameters of one request."""
        filled = {"TableName": table, self._subject: subject, **self._fixed}
        if self._names:
            named = dict(zip(self._names, self._chosen(values), strict=True))
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
    """Everything that the writes of one entity need, compiled once."""

    def __init__(self, design: Design, entity: Entity, kinds: Kinds) -> None:
        self.entity = entity
        self.keeping: Keeping = keeping_of(design.entities, entity)
        self.decoder = kinds.decoder(entity)  # rejects a class that could not be read back
        self.encoder = Encoder(design, entity)
        self.validator = Validator(entity, self.encoder, self.decoder)
        self.is_independent = self.keeping.why is None
        """Whether its writes touch no other items."""
        self.is_plain_put = self.is_independent and entity.declaration.version is None
        """Whether a put is one request without conditions."""
        self.templates: dict[Hashable, RequestTemplate] = {}
        self._updates: dict[Hashable, UpdatePlan] = {}
        self._counters: dict[str, FieldPlan] = {}

    def object_of(self, attributes: msgspec.Raw) -> Any:
        """The object of an item that a write returned; raises ItemRefused after the write."""
        fast = self.validator.fast
        if fast is not None:
            try:
                (made,) = fast.made(fast.reader.rows(attributes))
            except Exception:  # noqa: S110  # of any kind, from the user's own class too; the slow path says what it is
                pass
            else:
                return made
        return self.read_back(_decode(attributes))

    def read_back(self, item: Item) -> Any:
        """The same for an item that is decoded already."""
        try:
            return self.decoder.read(item)
        except ItemRefused as problem:
            problem.add_note("The write was carried out; the item had other attributes that the model cannot read.")
            raise

    def update_plan(self, intent: WriteIntent) -> UpdatePlan:
        """The plan of an update of this shape."""
        shape = (intent.changes, intent.where, intent.validation)
        plan = self._updates.get(shape)
        if plan is None:
            if len(self._updates) >= SHAPES_MAX:
                self._updates.clear()
            plan = self._updates[shape] = UpdatePlan(self, intent.changes, intent.where, intent.validation == "whole")
        return plan

    def counter_plan(self, name: str) -> FieldPlan:
        """The plan of changes that other items make to a counter."""
        plan = self._counters.get(name)
        if plan is None:
            change = Change("ADD", Path((name,)), Parameter("count"))
            plan = field_plan(self.entity, change, self.encoder, self.decoder, validates_whole=False)
            self._counters[name] = plan
        return plan


class BoundUpdate(NamedTuple):
    """An update with its values."""

    changes: list[BoundChange]
    forms: tuple[Hashable, ...]
    known: dict[str, Any]
    """The fields whose values after the update are known without reading the item."""


class Direct(NamedTuple):
    """An update as one request: its index keys follow from values that are known."""

    rewrites: tuple[KeyRewrite, ...]
    parts: tuple[PartEncoder, ...]
    """The encoders of the index keys that it sets."""
    templates: dict[Hashable, RequestTemplate]
    """By whether the caller knows a version."""


class UpdatePlan:
    """An update of some fields on a condition."""

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
        self._held = [
            (name, source.name)
            for name, source in held_values(where).items()
            if isinstance(source, Parameter) and name not in self.changed
        ]
        self.where_parameters = sorted(parameters(where))
        self.whole = next((plan.needs_item for plan in self.fields if plan.needs_item is not None), None)
        """Why the item is read first, so that the result can be validated."""
        self.changes_derived_data = bool(self.changed & writes.keeping.decisive)
        self._directs: dict[Hashable, Direct | None] = {}

    def bind(self, values: Mapping[str, Any], arguments: Mapping[str, Any]) -> BoundUpdate:
        """The update of an item with these fields in its key, for some arguments; raises InvalidValue."""
        known = dict(values)
        for name, source in self._held:
            known[name] = arguments[source]
        changes: list[BoundChange] = []
        forms: list[Hashable] = []
        for plan in self.fields:
            change = plan.bind(None if plan.parameter is None else arguments[plan.parameter])
            changes.append(change)
            forms.append(change.form)
            value = change.known
            if value is UNKNOWN and change.form == REMOVE and plan.is_none_without:
                value = None
            if value is UNKNOWN:
                known.pop(plan.name, None)
            else:
                known[plan.name] = value
        return BoundUpdate(changes, tuple(forms), known)

    def lost(self, bound: BoundUpdate) -> frozenset[str]:
        """The fields that are None after the update."""
        return frozenset(name for name in self.changed if name in bound.known and bound.known[name] is None)

    def needs_item(self, bound: BoundUpdate) -> str | None:
        """Why the item has to be read first; None when it need not be."""
        if self.whole is not None:
            return self.whole
        if self.changes_derived_data:
            return f"derived data depends on the stored {self._writes.entity.label}"
        if self.direct(bound) is None:
            return "index keys depend on fields that the update does not set"
        return None

    def direct(self, bound: BoundUpdate) -> Direct | None:
        """How index keys change, if the item need not be read for that; None if it must be."""
        try:
            return self._directs[bound.forms]
        except KeyError:
            direct = self._directs[bound.forms] = self._made_direct(bound)
            return direct

    def _made_direct(self, bound: BoundUpdate) -> Direct | None:
        if self.whole is not None or self.changes_derived_data:
            return None
        rewrites = tuple(key_rewrites(self._writes.entity, self.changed, self.lost(bound)))
        if any(rewrite.needed - bound.known.keys() for rewrite in rewrites):
            return None
        encoder = self._writes.encoder
        written = written_parts(self._writes.entity, rewrites)
        parts = tuple(encoder.part(rewrite.placement, part) for rewrite, part in written if not rewrite.is_left)
        return Direct(rewrites, parts, {})


def written_parts(entity: Entity, rewrites: Sequence[KeyRewrite]) -> list[tuple[KeyRewrite, Any]]:
    """The key attributes that an update writes for its own sake; a field's own attribute is written as a field."""
    done = {*entity.attributes.values(), *(part.attribute for part in entity.base.parts)}
    written = []
    for rewrite in rewrites:
        for part in rewrite.parts:
            if part.attribute not in done:
                done.add(part.attribute)
                written.append((rewrite, part))
    return written
