"""Entities that no pattern reads together, which one table gains nothing for."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.advice.advice import Advice
from singletable.advice.evidence import Evidence

TOPIC = "nothing is read together"


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Groups of entities of which no item collection is shared."""
    groups = evidence.groups
    if len(groups) < 2:
        return
    if all(len(group) == 1 for group in groups):
        yield Advice(
            TOPIC,
            "strong",
            f"none of the {len(groups)} entities is ever read in one request with another, or kept right with it, "
            "which is all that one table would save",
            (evidence.comparison.sentence,),
            "a table for each entity: its own capacity, alarms, backups and policies, and keys that say what they are",
        )
        return
    named = tuple(", ".join(entity.label for entity in group) for group in groups)
    yield Advice(
        "independent groups",
        "mild",
        f"the entities fall into {len(groups)} groups that never share an item collection",
        named,
        "a table for each group costs no request more, and each is easier to read; with one table "
        "there is less to operate",
    )
