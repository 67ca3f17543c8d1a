"""ST131: a key contains free text, such as a message, which can be longer than DynamoDB allows for a key."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import is_free_text
from singletable.model.keys import Placement
from singletable.planner.formatting import format_list
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST131", "free text in a key", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find fields with free text in the keys of the table and of its indexes."""
    for entity in planned.design.entities:
        found: dict[str, list[str]] = {}
        for placement in entity.placements.values():
            for name in dict.fromkeys(_free_text(entity, placement)):
                found.setdefault(name, []).append(placement.index.display_name)
        for name, places in found.items():
            message = (
                f"{name} in a key of {format_list(places)} is free text; a partition key has at most 2,048 bytes and a "
                "sort key 1,024, so DynamoDB rejects items with a longer text"
            )
            remedy = f"Replace {name} with an id or a time in the key, and keep it as an attribute."
            yield entity_finding(RULE, entity, message, remedy)


def _free_text(entity: Entity, placement: Placement) -> Iterator[str]:
    if placement.index.is_inverse:
        return
    for part in placement.parts:
        yield from (name for name in part.fields if is_free_text(entity.fields[name]))
