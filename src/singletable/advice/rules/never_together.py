"""Advice about entities that no pattern reads together. A single table has no benefit for them."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.advice.recommendation import Advice, Evidence

TOPIC = "nothing is read together"


def advise(evidence: Evidence) -> Iterator[Advice]:
    """Yield advice about groups of entities that share no item collection."""
    groups = evidence.groups
    if len(groups) < 2:
        return
    if all(len(group) == 1 for group in groups):
        yield Advice(
            TOPIC,
            "strong",
            f"no two of the {len(groups)} entities are read in one request or kept in sync in one transaction, but "
            "this is the purpose of a single table",
            (evidence.comparison.sentence,),
            "one table per entity: separate capacity, alarms, backups and policies, and keys that are easy to read",
        )
        return
    named = tuple(", ".join(entity.label for entity in group) for group in groups)
    yield Advice(
        "independent groups",
        "mild",
        f"the entities fall into {len(groups)} groups that never share an item collection",
        named,
        "one table per group, which needs no extra requests and is easier to understand; with a single table, you "
        "operate fewer tables",
    )
