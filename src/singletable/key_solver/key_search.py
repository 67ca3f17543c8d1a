"""The exact search: the fewest indexes with which every read is one request, and the best keys for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from singletable.key_solver.common_keys import NoCommonKey, why_no_key, why_no_table
from singletable.key_solver.entity_slots import LOCAL_SLOT, NOT_SERVED, EntityKeys, EntitySearch
from singletable.key_solver.slot_search import SlotChoice, SlotSearch
from singletable.key_solver.workload import Read, Workload
from singletable.planner.formatting import format_count

INDEXES_MAX = 20
"""DynamoDB allows 20 global secondary indexes for one table."""
LOCAL_INDEXES_MAX = 5
"""DynamoDB allows 5 local secondary indexes for one table."""


OVER_LIMIT = NoCommonKey("with the other reads, it needs more indexes than the limit allows")


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
    not_in_table: tuple[tuple[str, str], ...] = ()
    """The reads with the reason why the table cannot serve them, if it can serve none of the reads."""

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
    def is_limited(self) -> bool:
        """Whether more indexes would serve more reads."""
        return any(each.problem == OVER_LIMIT for each in self.rejected)

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


def solve(workload: Workload, *, indexes_min: int = 0, indexes_max: int = INDEXES_MAX) -> Solution:
    """Return the keys with the fewest rejected reads, then the fewest indexes, then the lowest rank.

    With `indexes_min`, smaller numbers of indexes are not tried.
    """
    normal = workload.normalized()
    searches = {each.name: EntitySearch(each) for each in normal.entities}
    for search in searches.values():
        _require_table_key(search)
    alone = tuple(map(sum, zip(*(_least(search) for search in searches.values()), strict=True))) or (0, 0)
    slots = SlotSearch(normal, searches)
    local_max = LOCAL_INDEXES_MAX if any(each.has_strong_reads for each in normal.entities) else 0
    reads = max((len(each.reads) for each in searches.values()), default=0)
    most = min(indexes_max, reads + local_max + len(normal.collections))
    numbers = range(min(indexes_min, indexes_max), max(most, indexes_min) + 1)
    # Search first without a rejected read, then with one, and so on. This excludes most assignments.
    for not_served in count(alone[0]):
        found = _fewest(slots, numbers, local_max, not_served, alone)
        if found is not None:
            indexes, choice, searched = found
            return _solution(indexes, choice, searches, searched)
    raise AssertionError("an assignment that serves no read is always possible")


def _fewest(
    slots: SlotSearch, numbers: range, local_max: int, not_served: int, alone: tuple[int, ...]
) -> tuple[int, SlotChoice, int] | None:
    """Return the best choice with the fewest indexes, and the number of assignments that were tried with one less.

    Return None if more reads than `not_served` have no key with any number of indexes.
    """
    best: tuple[int, SlotChoice, int] | None = None
    tried = 0
    for indexes in numbers:
        before = slots.visited
        each_local = (slots.best(indexes - n, n, not_served) for n in range(min(indexes, local_max) + 1))
        choice = min((each for each in each_local if each is not None), key=lambda each: each.rank, default=None)
        if choice is not None and (best is None or choice.rank[:2] < best[1].rank[:2]):  # rejected reads and fan-outs
            best = indexes, choice, tried
            if choice.rank[:2] == alone:
                break
        tried = slots.visited - before
    return best


def _require_table_key(search: EntitySearch) -> None:
    if not search.can_use_table(frozenset()):
        problem = why_no_table(search.entity, [Read("identity", frozenset(search.entity.identity))])
        raise NoTableKey(search.entity.name, problem or NoCommonKey("the identity is empty"))


def _least(search: EntitySearch) -> tuple[int, int]:
    """Return the number of reads that no key serves, and the number that only shards serve, with one index per read."""
    numbers = range(len(search.reads))
    return sum(_is_impossible(search, n) for n in numbers), sum(search.needs_shards(n) for n in numbers)


def _is_impossible(search: EntitySearch, number: int) -> bool:
    """Return whether no key serves a read, even a key for this read alone."""
    group = frozenset({number})
    return not _may_share(search, group)


def _may_share(search: EntitySearch, group: frozenset[int]) -> bool:
    """Return whether one key of the table, of a global index or of a local index serves all these reads."""
    return search.can_use_table(group) or search.can_share_index(group) or search.can_share_local(group)


def _solution(indexes: int, choice: SlotChoice, searches: Mapping[str, EntitySearch], searched: int) -> Solution:
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


def _rejected(choice: SlotChoice, searches: Mapping[str, EntitySearch]) -> Iterator[RejectedRead]:
    for each in choice.entities:
        search = searches[each.entity]
        for read in each.reads_in(NOT_SERVED):
            problem = why_no_key(search.entity, [read]) or OVER_LIMIT
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
    one_uses_table = any(search.can_use_table(frozenset({number})) for number in largest)
    return EntityBound(
        search.entity.name,
        tuple(search.names_of(search.reads[number])[0] for number in largest),
        tuple(_reasons(search, largest)),
        one_uses_table,
        () if one_uses_table else tuple(_not_in_table(search, largest)),
    )


def _not_in_table(search: EntitySearch, clique: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    for number in clique:
        read = search.reads[number]
        if (problem := why_no_table(search.entity, [read])) is not None:
            yield search.names_of(read)[0], problem.reason


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
