"""ST122: all items of a growing list are in one constant partition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import Placement
from singletable.planner.key_proposals import SHARDS, shard_partition
from singletable.planner.key_source import expected_edit
from singletable.planner.partition_values import partition_values
from singletable.planner.remedy import Alternative, Remedy
from singletable.values.limits import PARTITION_WRITE_UNITS_PER_SECOND_MAX
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding
from singletable.verify.rules.hot_partition import hot_placements

RULE = Rule("ST122", "one partition for a growing list", "warning")
SUGGESTED_ITEMS = 1_000


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find constant partition keys of entities that do not declare their number of items."""
    reported = hot_placements(planned)
    lists: dict[tuple[str, str], list[Entity]] = {}
    for entity in planned.design.entities:
        for alias, placement in entity.placements.items():
            if placement.index.is_inverse or placement.sparse or (entity.label, alias) in reported:
                continue
            if not partition_values(entity, placement) and grows(entity, placement):
                keys = " and ".join(f'{part.attribute} = "{part}"' for part in placement.partition)
                lists.setdefault((alias, keys), []).append(entity)
    for (alias, keys), entities in lists.items():
        yield _finding(planned.design, entities, alias, keys)


def grows(entity: Entity, placement: Placement) -> bool:
    """Return whether a partition can have any number of items: no declaration limits it, and the key allows several."""
    declared = entity.declaration
    if declared.expected_items is not None or entity.expected_in(placement.index) is not None:
        return False
    if not entity.base.exact_fields or entity.identity == ():
        return False
    return not placement.index.is_table or any(part.fields for part in placement.sort)


def _remedy(design: Design, entities: list[Entity], alias: str) -> Remedy:
    """Return the choice between declaring that the list is short, and spreading it over shards."""
    declared = tuple(expected_edit(entity, {alias: SUGGESTED_ITEMS}) for entity in entities)
    short = Alternative(declared, "Write the number of items that you expect, if the list stays short.", True)
    sharded = shard_partition(design, entities[0], alias, SHARDS) if len(entities) == 1 else None
    if sharded is None:
        return Remedy("", (short,))
    effect = f"Each read of the list then sends {SHARDS} Queries, one per shard."
    return Remedy("", (short, replace(sharded, effect=f"{effect} {sharded.effect}".rstrip(), needs_decision=True)))


def _finding(design: Design, entities: list[Entity], alias: str, keys: str) -> Finding:
    entity, placement = entities[0], entities[0].placements[alias]
    others = f", together with the items of {', '.join(each.label for each in entities[1:])}" if entities[1:] else ""
    message = (
        f"all items are in one partition of {placement.index.display_name}, {keys}{others}; a partition serves at most "
        f"{PARTITION_WRITE_UNITS_PER_SECOND_MAX:,} write units per second"
    )
    return entity_finding(RULE, entity, message, _remedy(design, entities, alias))
