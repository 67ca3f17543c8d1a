"""ST143: an entity has an id, but neither the key of the table nor the partition key of an index contains it."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.field_roles import is_time, own_identifier
from singletable.model.keys import NativePart
from singletable.planner.key_proposals import new_alias
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST143", "id in no key", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find entities whose own id only a Scan can find, although other entities may refer to it."""
    for entity in planned.design.entities:
        keyed = _keyed(entity)
        own = [each for each in entity.fields.values() if own_identifier(entity.label, (each,)) is not None]
        name = next((each.name for each in own if each.name not in keyed), None)
        if name is None or _is_keyed_by_time(entity):
            continue
        message = (
            f"{name} identifies an item, but neither the key nor the partition key of an index contains it: a "
            f"read, an update or a delete by {name} needs a Scan"
        )
        yield entity_finding(RULE, entity, message, _remedy(planned.design, entity, name))


def _is_keyed_by_time(entity: Entity) -> bool:
    """Return whether the key contains a time, as for events. If such a key needs the id, ST119 reports it."""
    return any(is_time(entity.fields[name]) for part in entity.base.parts for name in part.fields)


def _keyed(entity: Entity) -> set[str]:
    """Return the fields by which the table or an index finds items, and the fields in `unique=`."""
    parts = [*entity.base.parts, *(part for placement in entity.placements.values() for part in placement.partition)]
    parts += [
        placement.sort[0]
        for placement in entity.placements.values()
        if placement.sort and isinstance(placement.sort[0], NativePart)
    ]
    return {name for part in parts for name in part.fields} | {
        name for fields in entity.declaration.unique for name in fields
    }


def _remedy(design: Design, entity: Entity, name: str) -> str:
    return (
        f"Put {name} into the key of the table, or into an index such as {new_alias(design)}, or remove the field. If "
        "no read needs it, accept ST143 with the reason."
    )
