"""Plans of field changes: which kind of change an update makes of a field, and how its values are encoded and read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from singletable.client.items.decoder import Decoder
from singletable.client.items.value_reader import reader_of
from singletable.client.write.encode import Encoder
from singletable.client.write.field_changes import (
    AddNumber,
    AppendToList,
    ChangeMembers,
    Coding,
    FieldPlan,
    RemoveField,
    SetField,
)
from singletable.expressions.tree import Change
from singletable.model.entity import Entity
from singletable.model.fields import Field
from singletable.model.rules.class_rules import rules_of
from singletable.planner.stored import stored_value
from singletable.planner.validation_reads import ChangeKind, change_kind, field_at, read_reason
from singletable.values.attribute_value import AttributeValue

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
    """The plan of one change; without `validates_whole`, rules that need the whole object are waived."""
    steps = change.path.steps
    rules, name = rules_of(entity.cls, steps), str(steps[0])
    kind = _PLANS[change_kind(change, rules.type)]
    needs = read_reason(entity.cls, change, validates_whole=validates_whole)
    if len(steps) > 1:
        read = reader_of(rules.type | None if rules.optional else rules.type)
        encode = partial(_nested_value, field_at(entity.cls, steps))
        return kind(entity, change, rules, Coding(encode, read, decoder.read), needs)
    is_simple = kind is SetField and rules.validate is None and needs is None
    fast = encoder.fast_field(name) if is_simple else None
    coding = Coding(partial(encoder.field, name), decoder.readers[name], decoder.read, fast)
    return kind(entity, change, rules, coding, needs)


def _nested_value(field: Field | None, value: Any) -> AttributeValue | None:
    """The stored form of a value inside a field; an empty set, which DynamoDB cannot hold, is left out or a list."""
    if isinstance(value, set | frozenset) and not value:
        return None if field is not None and field.is_empty_unless_stored else {"L": []}
    return stored_value(value)
