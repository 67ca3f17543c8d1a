"""ST004: an entity has no key yet, so its items cannot be stored and its patterns cannot be planned."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.changed_designs import patterns_of
from singletable.planner.primary_key_proposals import key_remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST004", "no key yet", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Report entities without `key=`. Each finding proposes a key that fits the entity's identity and patterns."""
    for entity in planned.design.keyless:
        waiting = [pattern.name for pattern in patterns_of(planned.design, {entity.cls})]
        details = [f"not planned until then: {', '.join(waiting)}"] if waiting else []
        remedy = key_remedy(planned.design, entity)
        yield entity_finding(RULE, entity, "the entity is declared without key=", remedy, *details)
