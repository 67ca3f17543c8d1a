"""ST106: a key contains an optional field, so items are silently missing from the index."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST106", "optional field in a key", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find keys with a field that can be None and that are not declared sparse."""
    for entity in planned.design.entities:
        for alias, placement in entity.placements.items():
            optional = sorted(name for name in placement.fields if entity.fields[name].optional)
            if not optional or placement.index.is_inverse or (placement.sparse and not placement.index.is_table):
                continue
            names = ", ".join(optional)
            if placement.index.is_table:
                message = f"{names} can be None, but an item without it has no key and cannot be stored"
                yield entity_finding(RULE, entity, message, "Make the field required, or remove it from the key.")
            else:
                given = ", ".join(f'"{part}"' for part in placement.parts)
                message = f"{names} can be None, and items without it are missing from {placement.index.label}"
                yield entity_finding(RULE, entity, message, f"If this is intended, declare {alias}=sparse({given}).")
