"""Patterns that are marked as unknown, for which no key can be designed."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.advice.advice import Advice
from singletable.advice.evidence import Evidence

MANY = 1 / 3


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Patterns of an unknown frequency."""
    patterns = evidence.design.patterns
    unknown = [pattern.name for pattern in patterns if pattern.options.frequency == "unknown"]
    if not unknown:
        return
    yield Advice(
        "unknown patterns",
        "strong" if len(unknown) >= MANY * len(patterns) else "mild",
        f"{len(unknown)} of {len(patterns)} patterns are marked unknown; keys are made for patterns that are known, "
        "and another pattern later is a new index and a backfill",
        (", ".join(unknown),),
        "a table for each entity, or a relational database, until the patterns have settled; or leave them out of "
        "the design and keep an index in reserve",
    )
