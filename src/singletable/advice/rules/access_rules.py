"""Advice about entities with different access rules in partitions that an IAM policy cannot distinguish."""

from __future__ import annotations

import re
from collections.abc import Iterator

from singletable.advice.recommendation import Advice, Evidence


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Yield advice about entities with different `access` whose partition keys have the same prefix."""
    ruled = [entity for entity in evidence.design.entities if entity.declaration.access is not None]
    if not ruled:
        return
    held: dict[tuple[str, str], dict[str, list[str]]] = {}
    for entity in evidence.design.entities:
        for placement in entity.placements.values():
            form = "/".join(re.sub(r"\{.*", "", str(part)) for part in placement.partition)
            rules = held.setdefault((placement.index.display_name, form), {})
            rules.setdefault(entity.declaration.access or "anybody", []).append(entity.label)
    mixed = {place: rules for place, rules in held.items() if len(rules) > 1}
    audience = sorted({entity.declaration.access or "" for entity in ruled})
    if mixed:
        yield Advice(
            "access rules",
            "strong",
            "entities with different access rules share a partition key prefix, and an IAM policy can distinguish "
            "items only by partition key (dynamodb:LeadingKeys)",
            tuple(f'"{form}" of {place}: {_audiences(rules)}' for (place, form), rules in mixed.items()),
            "a separate table for the entities with their own access rule, or a separate prefix in all their keys",
        )
    else:
        yield Advice(
            "access rules",
            "mild",
            f"one table has one ARN, so the access rules for {', '.join(audience)} become conditions on leading keys, "
            "which are harder to audit than separate tables",
            tuple(f"{entity.label}: {entity.declaration.access}" for entity in ruled),
            "one table per audience, which needs no such conditions; otherwise `singletable export iam` writes them",
        )


def _audiences(rules: dict[str, list[str]]) -> str:
    return "; ".join(f"{', '.join(dict.fromkeys(labels))} for {access}" for access, labels in rules.items())
