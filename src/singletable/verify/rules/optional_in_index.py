"""ST106: an optional field in a key, so that items are silently missing from the index."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.verify.facts import Facts, on_entity
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST106", "optional field in a key", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Placements with a field that may be None and that are not declared sparse."""
    for entity in facts.design.entities:
        for alias, placement in entity.placements.items():
            optional = sorted(name for name in placement.fields if entity.fields[name].optional)
            if not optional or placement.index.is_inverse or (placement.sparse and not placement.index.is_table):
                continue
            names = ", ".join(optional)
            if placement.index.is_table:
                message = f"{names} may be None, and an item without it has no key and cannot be stored"
                yield on_entity(RULE, entity, message, "Make the field required, or leave it out of the key.")
            else:
                given = ", ".join(f'"{part}"' for part in placement.parts)
                message = f"{names} may be None, and such items would be missing from {placement.index.label}"
                yield on_entity(RULE, entity, message, f"If that is meant, say {alias}=sparse({given}).")
