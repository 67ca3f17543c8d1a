"""Advice about patterns of unknown frequency. No key can be designed for them."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.advice.recommendation import Advice, Evidence

UNKNOWN_SHARE_MAX = 1 / 3


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Yield advice about patterns with `frequency="unknown"`."""
    patterns = evidence.design.patterns
    unknown = [pattern.name for pattern in patterns if pattern.options.frequency == "unknown"]
    if not unknown:
        return
    yield Advice(
        "unknown patterns",
        "strong" if len(unknown) >= UNKNOWN_SHARE_MAX * len(patterns) else "mild",
        f"{len(unknown)} of {len(patterns)} patterns are marked unknown; keys are designed for known patterns, and "
        "every later pattern needs a new index that must be filled",
        (", ".join(unknown),),
        "one table per entity, or a relational database, until the patterns are stable; or leave these patterns out "
        "of the design, and plan an unused index for them",
    )
