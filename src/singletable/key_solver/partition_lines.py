"""Partition lines: an order of the entities in one partition in which every collection is one range."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from singletable.key_solver.workload import Collection

ENTITIES_MAX = 8
"""The maximum number of entities in one partition, because the search tries every order of them."""


def partition_line(collections: Sequence[Collection]) -> tuple[str, ...] | None:
    """Return the first order of the entities in which all these collections are contiguous, or None."""
    names = sorted({member.entity for each in collections for member in each.members})
    if len(names) > ENTITIES_MAX:
        raise ValueError(f"a partition with {len(names)} entities is more than the search supports ({ENTITIES_MAX})")
    return next((line for line in permutations(names) if all(_is_range(line, each) for each in collections)), None)


def _is_range(line: tuple[str, ...], collection: Collection) -> bool:
    """Return whether the members are adjacent, and the single members are where a limited read starts."""
    places = sorted(line.index(member.entity) for member in collection.members)
    if places[-1] - places[0] != len(places) - 1:
        return False
    if not collection.limited:
        return True
    single = sorted(line.index(member.entity) for member in collection.members if not member.is_list)
    start = places[len(places) - len(single) :] if collection.backward else places[: len(single)]
    return single == start


def connected(collections: Iterable[Collection]) -> list[list[Collection]]:
    """Return groups of collections that share entities, directly or through other collections.

    Each group is one line.
    """
    groups: list[list[Collection]] = []
    for each in collections:
        names = {member.entity for member in each.members}
        touching = [group for group in groups if any(names & {m.entity for m in one.members} for one in group)]
        merged = [one for group in touching for one in group]
        groups = [group for group in groups if group not in touching]
        groups.append([*merged, each])
    return groups
