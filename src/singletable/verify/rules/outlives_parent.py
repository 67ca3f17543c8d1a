"""ST139: an item expires, but other items of its partition do not, and remain without it."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.planner.formatting import format_list
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding
from singletable.verify.rules.growing_partition import expires

RULE = Rule("ST139", "items outlive their parent", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find entities without a TTL whose partition belongs to one item with a TTL."""
    entities = planned.design.entities
    parents = {_partition(each): each for each in entities if each.declaration.ttl is not None and _is_single(each)}
    for parent in parents.values():
        own = parent.declaration.ttl
        children = [
            each
            for each in entities
            if each is not parent and _partition(each) == _partition(parent) and not expires(planned.design, each)
        ]
        if children and own is not None:
            names = [each.label for each in children]
            message = (
                f"expires by {own}, but {format_list(names)} in the same partition {_have(names)} no TTL, so "
                f"{'its items remain' if len(names) == 1 else 'their items remain'} when the {parent.label} is gone"
            )
            remedy = f"Add the same expiry time to {format_list(names)}, and declare ttl= there too."
            yield entity_finding(RULE, parent, message, remedy)


def _have(names: list[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _partition(entity: Entity) -> tuple[str, ...]:
    return tuple(str(part) for part in entity.base.partition)


def _is_single(entity: Entity) -> bool:
    """Return whether a partition has one item of the entity, whose id is in the partition key."""
    partition = {name for part in entity.base.partition for name in part.fields}
    return bool(partition) and partition.issuperset(name for part in entity.base.sort for name in part.fields)
