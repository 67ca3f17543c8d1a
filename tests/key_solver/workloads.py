"""Short notation for workloads, and an exhaustive search that shares no code with the solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from singletable.key_solver.workload import Collection, EntityNeeds, Member, Read, Workload, Write


def read(text: str) -> Read:
    """A read as text: `a,b` fixes a and b, `a>d` has a range on d, `a/d` an order by d."""
    range_, order = text.partition(">"), text.partition("/")
    equal, first = (range_[0], range_[2]) if range_[1] else (order[0], order[2])
    return Read(text, frozenset(equal.split(",")) - {""}, first or None, bool(range_[1]))


def update(changed: str, known: str) -> Write:
    """An update that changes columns, and knows these and others."""
    new = frozenset(changed.split(","))
    return Write(f"update {changed}", new, frozenset(known.split(",")) | new)


def entity(
    name: str, *reads: str | Read, writes: Sequence[Write] = (), identity: tuple[str, ...] = ("id",)
) -> EntityNeeds:
    """An entity with reads in short notation."""
    return EntityNeeds(
        name, identity, {}, tuple(each if isinstance(each, Read) else read(each) for each in reads), tuple(writes)
    )


def lists(collections: dict[str, str], *, updates: bool) -> Workload:
    """Collections of lists: `{"A,B": "p"}` reads A and B from the partition p."""
    names = sorted({name for members in collections for name in members.split(",")})
    return Workload(
        tuple(
            EntityNeeds(
                name,
                ("id",),
                {},
                tuple(
                    Read(members, frozenset({column}), partition=(column,), collection=members)
                    for members, column in collections.items()
                    if name in members.split(",")
                ),
                (update("z", "id"),) if updates else (),
            )
            for name in names
        ),
        tuple(
            Collection(members, tuple(Member(each, is_list=True) for each in members.split(",")))
            for members in collections
        ),
    )


def parent_with_lists(backward: dict[str, bool]) -> Workload:
    """A parent with limited lists, each read from the newest (backward) or the oldest item."""
    parent = EntityNeeds(
        "Parent",
        ("id",),
        {},
        tuple(Read(name, frozenset({"id"}), partition=("id",), collection=name) for name in backward),
    )
    children = (
        EntityNeeds(
            name, ("id",), {}, (Read(name, frozenset({"parent"}), "at", partition=("parent",), collection=name),)
        )
        for name in backward
    )
    return Workload(
        (parent, *children),
        tuple(
            Collection(name, (Member("Parent", is_list=False), Member(name, is_list=True)), True, newest)
            for name, newest in backward.items()
        ),
    )


def fewest_indexes(*entities: EntityNeeds) -> int | None:
    """Return the fewest indexes by trying every key of up to all columns; None if a read cannot be served.

    Global indexes are shared by all entities, and so are local indexes.
    """
    found = []
    for local in range(max(len(each.reads) for each in entities) + 1):
        numbers = [_fewest_global(each, local) for each in entities]
        found += [local + max(each for each in numbers if each is not None)] if None not in numbers else []
    return min(found, default=None)


def _fewest_global(needs: EntityNeeds, local_indexes: int) -> int | None:
    """Return the fewest global indexes of one entity with at most this many local indexes."""
    reads = list({each.shape: each for each in needs.reads}.values())
    columns = sorted({*needs.identity, *(name for each in reads for name in (*each.equal, each.first) if name)})
    keys = list(_keys(columns))
    tables = {(key[0], _served(key, reads)) for key in keys if _may_be_table(key, needs)}
    weak = frozenset(number for number, each in enumerate(reads) if not each.strong)
    computed = [key for key in keys if _may_be_index(key, needs)]
    indexes = _largest({_served(key, reads) & weak for key in computed})
    everything = frozenset(range(len(reads)))
    covered = set[frozenset[int]]()
    for partition in {each for each, _ in tables}:
        local = _largest({_served(key, reads) for key in computed if key[0] == partition and partition})
        for chosen in combinations(local, min(local_indexes, len(local))):
            served = frozenset().union(*chosen)
            covered |= {table | served for own, table in tables if own == partition}
    for number in range(len(reads) + 1):
        for chosen in combinations(indexes, number):
            if any(each.union(*chosen) == everything for each in covered):
                return number
    return None


def _largest(sets: set[frozenset[int]]) -> list[frozenset[int]]:
    """Return the sets that no other set contains."""
    return sorted((each for each in sets if not any(each < other for other in sets)), key=sorted)


def _keys(columns: Sequence[str]) -> Iterator[tuple[frozenset[str], tuple[str, ...]]]:
    for size in range(len(columns) + 1):
        for ordered in permutations(columns, size):
            for split in range(size + 1):
                if list(ordered[:split]) == sorted(ordered[:split]):
                    yield frozenset(ordered[:split]), ordered[split:]


def _served(key: tuple[frozenset[str], tuple[str, ...]], reads: Sequence[Read]) -> frozenset[int]:
    partition, sort = key
    found = set[int]()
    for number, each in enumerate(reads):
        rest = each.equal - partition
        next_column = sort[len(rest) : len(rest) + 1]
        is_sorted = each.first is None or each.first in each.equal or next_column == (each.first,)
        is_exact = not each.single or partition | set(sort) == each.equal
        if is_exact and partition <= each.equal and frozenset(sort[: len(rest)]) == rest and is_sorted:
            found.add(number)
    return frozenset(found) if partition or any(not each.equal for each in reads) else frozenset()


def _may_be_table(key: tuple[frozenset[str], tuple[str, ...]], needs: EntityNeeds) -> bool:
    columns = key[0] | set(key[1])
    if not key[0] and all(each.equal for each in needs.reads):
        return False
    if not set(needs.identity) <= columns or columns & needs.changed:
        return False
    return all(each.known is None or columns <= each.known for each in needs.writes)


def _may_be_index(key: tuple[frozenset[str], tuple[str, ...]], needs: EntityNeeds) -> bool:
    for part in (key[0], frozenset(key[1])):
        for each in needs.writes:
            if each.known is not None and each.changed & part and not part <= each.known:
                return False
    return True
