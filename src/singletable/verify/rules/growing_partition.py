"""ST130: events accumulate in one partition for ever, because they never expire and no time is in its key."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import EVENT_WORDS, follows_clock, words_of
from singletable.model.fields import Field
from singletable.model.keys import NativePart, Placement, TemplatePart
from singletable.planner.formatting import format_list
from singletable.planner.key_source import expected_edit
from singletable.planner.partition_values import partition_values
from singletable.planner.remedy import Alternative, Remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST130", "partition grows without end", "warning")
SUGGESTED_ITEMS = 1_000
_SHORT_PROCESSES = frozenset(
    {"order", "delivery", "shipment", "package", "parcel", "booking", "reservation", "trip", "ride", "ticket", "job"}
    | {"task", "request", "claim", "invoice", "execution", "run", "build", "deployment", "checkout"}
)
"""Words of things that end, so that the number of their events is limited."""


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find events that are sorted by time in a partition that nothing limits."""
    design = planned.design
    for entity in design.entities:
        if entity.declaration.expected_items is not None or expires(design, entity):
            continue
        growing = {alias: placed for alias, placed in entity.placements.items() if _grows(design, entity, placed)}
        if growing:
            yield _finding(entity, growing)


def expires(design: Design, entity: Entity) -> bool:
    """Return whether an entity has a TTL, or an attribute that is named like one."""
    stored = {*entity.fields, *entity.attributes.values()}
    return entity.declaration.ttl is not None or bool({design.ttl_attribute, "ttl", "TTL"} & stored)


def _grows(design: Design, entity: Entity, placement: Placement) -> bool:
    """Whether partitions contain events sorted by time, and neither a time nor a declared size limits them."""
    index = placement.index
    if index.is_inverse or index.kind == "LSI" or _is_size_declared(entity, placement):
        return False
    names = [entity.label, "" if index.is_table else index.name]
    names += [design.name] if len(design.entities) == 1 else []
    words = {word.removesuffix("s") for name in names for word in words_of(name)}
    values = partition_values(entity, placement)
    is_fixed = values and not any(each.is_current_time or each.derived is not None for each in values)
    first = _first_varying(entity, placement)
    if any(_SHORT_PROCESSES.intersection(words_of(name)) for name in _partition_fields(placement)):
        return False
    return bool(EVENT_WORDS & words and is_fixed and first is not None and follows_clock(first))


def _is_size_declared(entity: Entity, placement: Placement) -> bool:
    """Whether the number of items is declared for the partition, or for another partition key with the same fields."""
    selecting = _partition_fields(placement)
    return any(
        entity.expected_in(each.index) is not None and _partition_fields(each) == selecting
        for each in entity.placements.values()
    )


def _partition_fields(placement: Placement) -> set[str]:
    return {name for part in placement.partition for name in part.fields}


def _first_varying(entity: Entity, placement: Placement) -> Field | None:
    """Return the first field by which the items of a partition are sorted."""
    fixed = _partition_fields(placement)
    for part in placement.sort:
        names = [part.field.name] if isinstance(part, NativePart) else _slot_names(part)
        for name in names:
            if name not in fixed:
                return entity.fields[name]
    return None


def _slot_names(part: TemplatePart) -> list[str]:
    return [name for slot in part.template.slots for name in slot.fields]


def _finding(entity: Entity, growing: dict[str, Placement]) -> Finding:
    places = format_list(
        [
            f"{placed.index.display_name} ({' and '.join(str(part) for part in placed.partition)})"
            for placed in growing.values()
        ]
    )
    message = f"items accumulate in the partitions of {places}: they do not expire, and their number is not declared"
    explanation = "Declare ttl=, put the month or the day into the partition key with bucket(...), or state the size:"
    declared = expected_edit(entity, dict.fromkeys(growing, SUGGESTED_ITEMS))
    stated = Alternative((declared,), "Write the number of items that a partition can have.", needs_decision=True)
    return entity_finding(RULE, entity, message, Remedy(explanation, (stated,)))
