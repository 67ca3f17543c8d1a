"""The exact search: the fewest indexes with which every read is one request, and the best keys for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from singletable.key_solver.common_keys import NoCommonKey, why_no_key, why_no_table
from singletable.key_solver.entity_slots import LOCAL_SLOT, NOT_SERVED, EntityKeys, EntitySearch
from singletable.key_solver.partition_lines import connected, partition_line
from singletable.key_solver.workload import Collection, EntityNeeds, Read, Workload
from singletable.planner.formatting import format_count

INDEXES_MAX = 20
"""DynamoDB allows 20 global secondary indexes for one table."""
LOCAL_INDEXES_MAX = 5
"""DynamoDB allows 5 local secondary indexes for one table."""


@dataclass(frozen=True)
class RejectedRead:
    """A read that no key serves, with the reason and the smallest change that makes a key possible."""

    entity: str
    name: str
    problem: NoCommonKey


@dataclass(frozen=True)
class EntityBound:
    """Reads of one entity, of which no two can share a key. The entity needs this many indexes."""

    entity: str
    reads: tuple[str, ...]
    reasons: tuple[tuple[str, str, str], ...]
    one_uses_table: bool

    @property
    def indexes(self) -> int:
        """The number of indexes that these reads need."""
        return len(self.reads) - self.one_uses_table


@dataclass(frozen=True)
class Solution:
    """The best keys: the number of indexes, the keys of every entity, and the proof that fewer do not suffice."""

    indexes: int
    """The number of global and local indexes."""
    entities: tuple[EntityKeys, ...]
    collection_slots: Mapping[str, int]
    lines: Mapping[str, tuple[str, ...]]
    """The order of the entities in the partition of each collection."""
    rejected: tuple[RejectedRead, ...]
    bound: EntityBound | None
    """The largest lower bound. None if no entity needs an index."""
    searched: int
    """The number of assignments that were tried with one index less."""
    rank: tuple[float, ...] = ()
    """The parts of the rank, added over all entities. `Rank` names them."""

    @property
    def local_indexes(self) -> int:
        """The number of local indexes."""
        return len({slot for each in self.entities for slot in each.keys if slot > LOCAL_SLOT})

    @property
    def counted(self) -> str:
        """The number of indexes as text, such as `2 GSIs` or `1 GSI and 1 LSI`."""
        return counted_indexes(self.indexes, self.local_indexes)

    def keys_of(self, entity: str) -> EntityKeys:
        """Return the keys of an entity."""
        return next(each for each in self.entities if each.entity == entity)


def counted_indexes(indexes: int, local_indexes: int = 0) -> str:
    """Return a number of indexes as text."""
    if not local_indexes:
        return format_count(indexes, "GSI")
    others = [format_count(indexes - local_indexes, "GSI")] if indexes > local_indexes else []
    return " and ".join([*others, format_count(local_indexes, "LSI")])


class NoTableKey(ValueError):
    """An entity for which no table key is possible. The message names the entity, the reason and the remedy."""

    def __init__(self, entity: str, problem: NoCommonKey) -> None:
        super().__init__(f"{entity}: no table key is possible: {problem.reason}")
        self.entity, self.problem = entity, problem


@dataclass(frozen=True)
class _Choice:
    entities: tuple[EntityKeys, ...]
    slots: Mapping[str, int]
    lines: Mapping[str, tuple[str, ...]]
    local_indexes: int

    @property
    def sums(self) -> tuple[float, ...]:
        return tuple(math.fsum(column) for column in zip(*(each.rank[:-1] for each in self.entities), strict=True))

    @property
    def rank(self) -> tuple[object, ...]:
        """The rank of the choice: a local index is only used if it is better in the reads served or in the fan-outs."""
        sums = self.sums
        return (
            *sums[:2],
            self.local_indexes,
            *sums[2:],
            tuple(each.rank.text for each in self.entities),
            tuple(sorted(self.slots.items())),
        )


def solve(workload: Workload, *, indexes_min: int = 0, indexes_max: int = INDEXES_MAX) -> Solution:
    """Return the keys with the fewest rejected reads, then the fewest indexes, then the lowest rank.

    With `indexes_min`, smaller numbers of indexes are not tried.
    """
    normal = workload.normalized()
    searches = {each.name: EntitySearch(each) for each in normal.entities}
    for search in searches.values():
        _require_table_key(search)
    alone = tuple(map(sum, zip(*(_least(search) for search in searches.values()), strict=True))) or (0, 0)
    local_max = LOCAL_INDEXES_MAX if any(each.has_strong_reads for each in normal.entities) else 0
    best: tuple[int, _Choice] | None = None
    searched, tried, visited = 0, 0, 0
    reads = max((len(each.reads) for each in searches.values()), default=0)
    most = min(indexes_max, reads + local_max + len(normal.collections))
    for indexes in range(min(indexes_min, indexes_max), max(most, indexes_min) + 1):
        choice = min(
            (_best_choice(normal, searches, indexes - local, local) for local in range(min(indexes, local_max) + 1)),
            key=lambda each: each.rank,
        )
        before, visited = visited, sum(each.visited for each in searches.values())
        fewer, tried = tried, visited - before
        if best is None or choice.rank[:2] < best[1].rank[:2]:  # rejected reads and fan-outs
            best, searched = (indexes, choice), fewer
        if choice.rank[:2] == alone:
            break
    assert best is not None
    return _solution(best[0], best[1], searches, searched)


def _require_table_key(search: EntitySearch) -> None:
    if not search.can_use_table(frozenset()):
        problem = why_no_table(search.entity, [Read("identity", frozenset(search.entity.identity))])
        raise NoTableKey(search.entity.name, problem or NoCommonKey("the identity is empty"))


def _least(search: EntitySearch) -> tuple[int, int]:
    """Return how many reads no key serves, and how many only shards serve, with as many indexes as reads."""
    numbers = range(len(search.reads))
    return sum(_is_impossible(search, n) for n in numbers), sum(search.needs_shards(n) for n in numbers)


def _is_impossible(search: EntitySearch, number: int) -> bool:
    """Return whether no key serves a read, even if the key has to serve no other read."""
    group = frozenset({number})
    return not _may_share(search, group)


def _may_share(search: EntitySearch, group: frozenset[int]) -> bool:
    """Return whether one key of the table, of a global index or of a local index serves all these reads."""
    return search.can_use_table(group) or search.can_share_index(group) or search.can_share_local(group)


def _best_choice(workload: Workload, searches: Mapping[str, EntitySearch], indexes: int, local_indexes: int) -> _Choice:
    best: _Choice | None = None
    memo: dict[tuple[str, tuple[tuple[str, int], ...]], EntityKeys | None] = {}
    for slots in _collection_slots(workload.collections, indexes):
        lines = _lines(workload.collections, slots)
        if lines is None:
            continue
        found = [
            _of_entity(each, searches[each.name], indexes, local_indexes, slots, memo) for each in workload.entities
        ]
        entities = tuple(each for each in found if each is not None)
        if len(entities) == len(found):
            choice = _Choice(entities, slots, lines, local_indexes)
            if best is None or choice.rank < best.rank:
                best = choice
    assert best is not None, "without collections, every entity has a table key"
    return best


def _of_entity(
    entity: EntityNeeds,
    search: EntitySearch,
    indexes: int,
    local_indexes: int,
    slots: Mapping[str, int],
    memo: dict[tuple[str, tuple[tuple[str, int], ...]], EntityKeys | None],
) -> EntityKeys | None:
    own = {each.collection: slots[each.collection] for each in entity.reads if each.collection is not None}
    key = (entity.name, tuple(sorted(own.items())))
    if key not in memo:
        memo[key] = search.best(indexes, own, local_indexes)
    return memo[key]


def _collection_slots(collections: tuple[Collection, ...], indexes: int) -> Iterator[dict[str, int]]:
    """Yield the slots of the collections. Unused indexes are interchangeable, so only the first one is tried."""

    def extend(number: int, slots: dict[str, int]) -> Iterator[dict[str, int]]:
        if number == len(collections):
            yield slots
            return
        last = max([0, *slots.values()])
        for slot in (*range(min(last + 1, indexes) + 1), NOT_SERVED):
            yield from extend(number + 1, {**slots, collections[number].name: slot})

    yield from extend(0, {})


def _lines(collections: tuple[Collection, ...], slots: Mapping[str, int]) -> dict[str, tuple[str, ...]] | None:
    """Return the order of the entities for every collection that is served. Return None if there is none."""
    lines: dict[str, tuple[str, ...]] = {}
    for slot in sorted(set(slots.values()) - {NOT_SERVED}):
        for group in connected(each for each in collections if slots[each.name] == slot):
            line = partition_line(group)
            if line is None:
                return None
            lines |= {each.name: line for each in group}
    return lines


def _solution(indexes: int, choice: _Choice, searches: Mapping[str, EntitySearch], searched: int) -> Solution:
    bounds = [bound for search in searches.values() if (bound := _bound(search)) is not None]
    largest = max(bounds, key=lambda each: (each.indexes, each.entity), default=None)
    return Solution(
        indexes,
        choice.entities,
        choice.slots,
        choice.lines,
        tuple(_rejected(choice, searches)),
        largest,
        searched,
        choice.sums,
    )


def _rejected(choice: _Choice, searches: Mapping[str, EntitySearch]) -> Iterator[RejectedRead]:
    for each in choice.entities:
        search = searches[each.entity]
        for read in each.reads_in(NOT_SERVED):
            problem = why_no_key(search.entity, [read]) or NoCommonKey(
                "with the other reads, it needs more indexes than the limit allows"
            )
            for name in search.names_of(read):
                yield RejectedRead(each.entity, name, problem)


def _bound(search: EntitySearch) -> EntityBound | None:
    """Return the largest set of reads of which no two can share a key.

    Two strongly consistent reads cannot share an index, but they can share the table. So a pair counts only if it can
    share neither.
    """
    possible = [n for n in range(len(search.reads)) if not _is_impossible(search, n)]
    apart = {
        (one, other): not _may_share(search, pair)
        for one in possible
        for other in possible
        for pair in (frozenset({one, other}),)
    }
    largest = max(_cliques(possible, apart), key=lambda each: (_needed(search, each), len(each), [-n for n in each]))
    if _needed(search, largest) < 1:
        return None
    return EntityBound(
        search.entity.name,
        tuple(search.names_of(search.reads[number])[0] for number in largest),
        tuple(_reasons(search, largest)),
        any(search.can_use_table(frozenset({number})) for number in largest),
    )


def _cliques(numbers: list[int], apart: Mapping[tuple[int, int], bool]) -> Iterator[tuple[int, ...]]:
    """Yield every set of reads of which no two can share a key."""

    def extend(clique: tuple[int, ...], rest: list[int]) -> Iterator[tuple[int, ...]]:
        yield clique
        for place, number in enumerate(rest):
            yield from extend((*clique, number), [each for each in rest[place + 1 :] if apart[number, each]])

    yield from extend((), numbers)


def _needed(search: EntitySearch, clique: tuple[int, ...]) -> int:
    return len(clique) - any(search.can_use_table(frozenset({number})) for number in clique)


def _reasons(search: EntitySearch, clique: tuple[int, ...]) -> Iterator[tuple[str, str, str]]:
    for place, one in enumerate(clique):
        for other in clique[place + 1 :]:
            pair = (search.reads[one], search.reads[other])
            problem = why_no_key(search.entity, pair)
            reason = problem.reason if problem is not None else "no key fulfils the conditions of both"
            yield search.names_of(pair[0])[0], search.names_of(pair[1])[0], reason
