"""The fewest index keys that serve given reads of one entity, when its table key and its other keys are fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from singletable.key_solver.common_keys import ColumnKey
from singletable.key_solver.entity_slots import EntitySearch
from singletable.key_solver.workload import EntityNeeds, Read


@dataclass(frozen=True)
class IndexGroup:
    """Reads that one index key serves."""

    key: ColumnKey
    reads: tuple[Read, ...]


def index_groups(entity: EntityNeeds) -> tuple[IndexGroup, ...]:
    """Return the groups of the reads with the fewest index keys. Reads that no key serves are in no group.

    The search tries every assignment of reads to groups. Of assignments with equally many groups, it chooses the one
    with the lowest cost.
    """
    search = EntitySearch(entity)
    possible = [n for n in range(len(search.reads)) if search.can_share_index(frozenset({n}))]
    best: tuple[tuple[float, ...], list[frozenset[int]]] | None = None
    for groups in _assignments(search, possible):
        rank = (float(len(groups)), *search.index_rank(groups))
        if best is None or rank < best[0]:
            best = rank, groups
    chosen = [] if best is None else best[1]
    return tuple(IndexGroup(search.index_key(group), _reads(search, group)) for group in chosen)


def _assignments(search: EntitySearch, numbers: Sequence[int]) -> Iterator[list[frozenset[int]]]:
    fewest = len(numbers)

    def extend(place: int, groups: list[frozenset[int]]) -> Iterator[list[frozenset[int]]]:
        nonlocal fewest
        if len(groups) > fewest:
            return
        if place == len(numbers):
            fewest = len(groups)
            yield groups
            return
        number = numbers[place]
        for at, group in enumerate(groups):
            if search.can_share_index(group | {number}):
                yield from extend(place + 1, [*groups[:at], group | {number}, *groups[at + 1 :]])
        yield from extend(place + 1, [*groups, frozenset({number})])

    yield from extend(0, [])


def _reads(search: EntitySearch, group: frozenset[int]) -> tuple[Read, ...]:
    """Return all reads of a group, including those of the same shape."""
    shapes = {search.reads[number].shape for number in group}
    return tuple(each for each in search.entity.reads if each.shape in shapes)
