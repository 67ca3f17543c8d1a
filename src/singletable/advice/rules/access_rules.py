"""Entities that different people may see, in partitions that a policy cannot tell apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from singletable.advice.advice import Advice
from singletable.advice.evidence import Evidence


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Entities with different `access` whose partition keys begin alike, in the table or in an index."""
    ruled = [entity for entity in evidence.design.entities if entity.declaration.access is not None]
    if not ruled:
        return
    held: dict[tuple[str, str], dict[str, list[str]]] = {}
    for entity in evidence.design.entities:
        for placement in entity.placements.values():
            form = "/".join(re.sub(r"\{.*", "", str(part)) for part in placement.partition)
            rules = held.setdefault((placement.index.spoken, form), {})
            rules.setdefault(entity.declaration.access or "anybody", []).append(entity.label)
    mixed = {place: rules for place, rules in held.items() if len(rules) > 1}
    audience = sorted({entity.declaration.access or "" for entity in ruled})
    if mixed:
        yield Advice(
            "access rules",
            "strong",
            "entities that different people may see lie in partitions that begin alike, and dynamodb:LeadingKeys "
            "is all that a policy can look at",
            tuple(f'"{form}" of {place}: {_told(rules)}' for (place, form), rules in mixed.items()),
            "a table of its own for what has rules of its own, or a prefix of its own in every key of it",
        )
    else:
        yield Advice(
            "access rules",
            "mild",
            f"there are rules for {', '.join(audience)}, and one table has one ARN: they become conditions on "
            "leading keys, which are harder to audit than separate tables",
            tuple(f"{entity.label}: {entity.declaration.access}" for entity in ruled),
            "`singletable export iam` writes these policies; a table for each audience makes them unnecessary",
        )


def _told(rules: dict[str, list[str]]) -> str:
    return "; ".join(f"{', '.join(dict.fromkeys(labels))} for {access}" for access, labels in rules.items())
