"""Partition lines: an order of the entities in one partition in which every collection is one range."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from singletable.key_solver.workload import Collection


def partition_line(collections: Sequence[Collection]) -> tuple[str, ...] | None:
    """Return the first order of the entities in which all these collections are contiguous, or None."""
    names = sorted({member.entity for each in collections for member in each.members})

    def extend(line: tuple[str, ...]) -> tuple[str, ...] | None:
        if len(line) == len(names):
            return line
        for name in names:
            if name not in line and all(_may_follow(line, name, each) for each in collections):
                found = extend((*line, name))
                if found is not None:
                    return found
        return None

    return extend(())


def _may_follow(line: tuple[str, ...], name: str, collection: Collection) -> bool:
    """Return whether an entity can be the next one of a line, if all members of a collection are adjacent.

    If the collection has a limit, its single members come before its list, in the direction of the read.
    """
    members = {member.entity: member for member in collection.members}
    placed = sum(each in members for each in line)
    if name not in members:
        return placed in (0, len(members))
    if not collection.limited:
        return True
    single = sum(not each.is_list for each in collection.members)
    if collection.backward:
        return members[name].is_list == (placed < len(members) - single)
    return members[name].is_list == (placed >= single)


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
