"""What a plan will read or write, in items, bytes and DynamoDB's request units; guesses are marked as such."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import Placement, TemplatePart
from singletable.planner.plan import Plan
from singletable.values.limits import PAGE_BYTES_MAX, READ_UNIT_BYTES, WRITE_UNIT_BYTES

_TYPICAL_TEXT_BYTES = 16
_TYPICAL_ITEMS = 10
_TYPICAL_BYTES: dict[Any, int] = {
    int: 4,
    float: 9,
    Decimal: 6,
    bool: 1,
    datetime: 27,
    date: 10,
    UUID: 36,
    bytes: 64,
}


@dataclass(frozen=True)
class Estimate:
    """What one call reads or writes; `guessed` names what nobody declared."""

    items: int
    bytes: int
    units: float
    kind: Literal["read", "write"]
    guessed: tuple[str, ...] = ()

    @property
    def pages(self) -> int:
        """How many pages of 1 MB the bytes fill."""
        return max(1, math.ceil(self.bytes / PAGE_BYTES_MAX))

    def __str__(self) -> str:
        mark = "≈" if self.guessed else ""
        return f"{mark}{self.units:g} {'RRU' if self.kind == 'read' else 'WRU'}"


def estimate(design: Design, plan: Plan) -> Estimate:
    """The expected cost of one call, or of one page of it."""
    if plan.pattern.is_write:
        return _write(design, plan)
    if plan.operation == "GetItem":
        size, guessed = item_bytes(design, plan.wanted[0])
        units = math.ceil(size / READ_UNIT_BYTES) * _consistency(plan)
        return Estimate(1, size, units, "read", guessed)
    if plan.operation == "BatchGetItem":
        return _batch(design, plan)
    return _query(design, plan)


def _batch(design: Design, plan: Plan) -> Estimate:
    """Each item of a batch is rounded up by itself."""
    size, guessed = item_bytes(design, plan.wanted[0])
    options = plan.pattern.options
    items = options.expected_items if options.expected_items is not None else options.fanout
    if items is None:
        items, guessed = _TYPICAL_ITEMS, (*guessed, f"paths of {_TYPICAL_ITEMS} elements")
    units = items * math.ceil(size / READ_UNIT_BYTES) * _consistency(plan)
    return Estimate(items, items * size, units, "read", guessed)


def _query(design: Design, plan: Plan) -> Estimate:
    guessed: dict[str, None] = {}
    total_items, total_bytes = 0, 0
    for entity, items in _examined(plan, guessed):
        size, unknown = item_bytes(design, entity)
        guessed |= dict.fromkeys(unknown)
        total_items += items
        total_bytes += items * size
    queries = plan.queries or plan.pattern.options.fanout or 1
    units = max(math.ceil(total_bytes / READ_UNIT_BYTES), queries) * _consistency(plan)
    if plan.hydrate:
        units += total_items * _consistency(plan)
    return Estimate(total_items, total_bytes, units, "read", tuple(guessed))


def _consistency(plan: Plan) -> float:
    return 1.0 if plan.consistent else 0.5


def _examined(plan: Plan, guessed: dict[str, None]) -> list[tuple[Entity, int]]:
    """How many items of each entity are read, by what the pattern or the entity declares."""
    options = plan.pattern.options
    declared = options.expected_examined if options.expected_examined is not None else options.expected_items
    limit = _usual_limit(plan)
    if plan.members:
        return _collection_items(plan, declared, limit, guessed)
    entity = plan.wanted[0]
    items = declared if declared is not None else limit
    if items is None:
        items = _per_partition(plan, entity, guessed)
    return [(entity, items), *((other, _per_partition(plan, other, guessed)) for other in plan.foreign)]


def _usual_limit(plan: Plan) -> int | None:
    """The limit that the body fixes, or the one a caller gets by leaving it out."""
    if plan.limit is None:
        return None
    if isinstance(plan.limit.count, int):
        return plan.limit.count
    default = plan.pattern.signature.parameters[plan.limit.count.name].default
    return default if isinstance(default, int) else None


def _collection_items(
    plan: Plan, declared: int | None, limit: int | None, guessed: dict[str, None]
) -> list[tuple[Entity, int]]:
    counted: list[tuple[Entity, int]] = []
    for member, entity in zip(plan.members, plan.wanted, strict=True):
        many = declared if declared is not None else limit
        items = 1 if member.kind != "many" else (many if many is not None else _per_partition(plan, entity, guessed))
        counted.append((entity, items))
    return [*counted, *((other, _per_partition(plan, other, guessed)) for other in plan.foreign)]


def _per_partition(plan: Plan, entity: Entity, guessed: dict[str, None]) -> int:
    declared = entity.expected_in(plan.index)
    if declared is not None:
        return declared
    guessed[f"{_TYPICAL_ITEMS} items of {entity.label} in a partition of {plan.index.label}"] = None
    return _TYPICAL_ITEMS


def _write(design: Design, plan: Plan) -> Estimate:
    entity = plan.wanted[0]
    size, guessed = item_bytes(design, entity)
    units = math.ceil(size / WRITE_UNIT_BYTES)
    rewritten = {rewrite.index.alias for rewrite in plan.rewrites}
    for alias, placement in entity.placements.items():
        if placement.index.is_table:
            continue
        entry = math.ceil(index_entry_bytes(design, entity, placement) / WRITE_UNIT_BYTES)
        units += entry * (2 if alias in rewritten else 1)  # a moved entry is taken away and written
    if plan.kept is not None:  # a transaction costs twice as much, and each further item at least a unit
        return Estimate(1 + plan.kept.items, size, 2 * (units + plan.kept.items), "write", guessed)
    return Estimate(1, size, units, "write", guessed)


def item_bytes(design: Design, entity: Entity) -> tuple[int, tuple[str, ...]]:
    """The size of an item as DynamoDB counts it: declared, or put together from the types of its fields."""
    if entity.declaration.expected_bytes is not None:
        return entity.declaration.expected_bytes, ()
    size = sum(len(entity.attributes[name]) + _value_bytes(field.type) for name, field in entity.fields.items())
    attributes = {part.attribute: part for p in entity.placements.values() for part in p.parts}
    size += sum(len(name) + _key_bytes(part) for name, part in attributes.items() if isinstance(part, TemplatePart))
    if design.settings.type_attribute:
        size += len(design.settings.type_attribute) + len(entity.name)
    if entity.declaration.schema_version is not None:
        size += len(design.settings.schema_version_attribute) + 2
    return size, (f"the size of {entity.label}",)


def index_entry_bytes(design: Design, entity: Entity, placement: Placement) -> int:
    """The size of an item's entry in an index: all of it, or its keys and what is projected."""
    projection = placement.index.projection
    if projection.kind == "ALL":
        return item_bytes(design, entity)[0]
    parts = {part.attribute: part for part in (*entity.base.parts, *placement.parts)}
    size = sum(
        len(name) + (_key_bytes(part) if isinstance(part, TemplatePart) else _value_bytes(part.field.type))
        for name, part in parts.items()
    )
    included = {name: stored for name, stored in entity.attributes.items() if stored in projection.attributes}
    return size + sum(len(stored) + _value_bytes(entity.fields[name].type) for name, stored in included.items())


def _key_bytes(part: TemplatePart) -> int:
    literals = len(part.template.text) - sum(len(str(slot)) for slot in part.template.slots)
    return literals + sum(slot.width or _TYPICAL_TEXT_BYTES for slot in part.template.slots)


def _value_bytes(annotation: Any) -> int:
    origin = get_origin(annotation)
    if origin is Literal:
        return max(len(str(value)) for value in get_args(annotation))
    if origin in (list, tuple, set, frozenset):
        inner = get_args(annotation)[0] if get_args(annotation) else str
        return 3 + 3 * (1 + _value_bytes(inner))
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return max((len(str(member.value)) for member in annotation), default=8)
    return _TYPICAL_BYTES.get(annotation, _TYPICAL_TEXT_BYTES)
