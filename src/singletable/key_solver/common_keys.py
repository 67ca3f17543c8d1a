"""Keys that serve several reads of one entity: a test whether there is one, all of them, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from singletable.key_solver.partition_load import SHARDS_MAX, WRITE_UNITS_MAX, hottest_write_units, shards_needed
from singletable.key_solver.workload import EntityNeeds, Read, Write


@dataclass(frozen=True)
class ColumnKey:
    """A key as columns: the partition key and the sort key."""

    partition: tuple[str, ...]
    sort: tuple[str, ...]

    @property
    def columns(self) -> frozenset[str]:
        """All columns of the key."""
        return frozenset((*self.partition, *self.sort))


@dataclass(frozen=True)
class NoCommonKey:
    """The reason why no key serves the reads: a sentence, and the fact or change that would make a key possible."""

    reason: str
    remedy: str = ""


def index_keys(entity: EntityNeeds, reads: Sequence[Read]) -> tuple[ColumnKey, ...]:
    """Return every key of an index that serves all these reads. Return an empty tuple if there is none."""
    found = _keys(entity, reads, identified=not any(each.single for each in reads))
    return tuple(key for key in found if _index_problem(entity, key, reads) is None)


def table_keys(entity: EntityNeeds, reads: Sequence[Read]) -> tuple[ColumnKey, ...]:
    """Return every key of the table that serves all these reads and that every write can compute."""
    found = _keys(entity, reads) if reads else _identity_keys(entity)
    return tuple(key for key in found if _table_problem(entity, key, reads) is None)


def why_no_index(entity: EntityNeeds, reads: Sequence[Read]) -> NoCommonKey | None:
    """Return why no index key serves these reads together, or None if a key serves them."""
    chain = _chain(entity, reads)
    if isinstance(chain, NoCommonKey):
        return chain
    found = _keys(entity, reads, identified=not any(each.single for each in reads))
    problems = [_index_problem(entity, key, reads) for key in found]
    return None if not problems or None in problems else problems[0]


def why_no_table(entity: EntityNeeds, reads: Sequence[Read]) -> NoCommonKey | None:
    """Return why no table key serves these reads, or None if a key serves them."""
    if table_keys(entity, reads):
        return None
    chain = _chain(entity, reads) if reads else None
    if isinstance(chain, NoCommonKey):
        return chain
    return next(filter(None, (_table_problem(entity, key, reads) for key in _keys(entity, reads))), None)


def serves(key: ColumnKey, read: Read) -> bool:
    """Return whether one Query on this key returns exactly the items of the read, in its order."""
    if read.single and key.columns != read.equal:
        return False
    if not set(key.partition) <= read.equal or (read.partition is not None and key.partition != read.partition):
        return False
    if not read.present <= key.columns:
        return False
    rest = read.equal - set(key.partition)
    if frozenset(key.sort[: len(rest)]) != rest:
        return False
    return read.following is None or key.sort[len(rest) : len(rest) + 1] == (read.following,)


def _keys(entity: EntityNeeds, reads: Sequence[Read], *, identified: bool = True) -> Iterator[ColumnKey]:
    """Yield one key for each possible set of partition columns.

    With `identified`, each key ends with the identity columns that it would otherwise lack.
    """
    chain = _chain(entity, reads)
    if isinstance(chain, NoCommonKey):
        return
    common, steps = chain
    for partition in _partitions(entity, common, reads):
        sort = [*entity.sorted(common - set(partition)), *(name for name in steps if name not in partition)]
        present = frozenset[str]().union(*(each.present for each in reads)) - {*partition, *sort}
        sort += entity.sorted(present)  # only items with these columns are in the index
        used = {*partition, *sort}
        rest = [name for name in entity.identity if name not in used] if identified else []
        yield ColumnKey(partition, (*sort, *rest))


def _partitions(entity: EntityNeeds, common: frozenset[str], reads: Sequence[Read]) -> Iterator[tuple[str, ...]]:
    exact = {each.partition for each in reads if each.partition is not None}
    if exact:
        if len(exact) == 1 and set(one := exact.pop()) <= common:
            yield one
        return
    if not common:
        yield ()
        return
    columns = entity.sorted(common)
    for size in range(1, len(columns) + 1):
        yield from combinations(columns, size)


def _chain(entity: EntityNeeds, reads: Sequence[Read]) -> tuple[frozenset[str], tuple[str, ...]] | NoCommonKey:
    """Return the columns that all reads fix, and the order in which the other columns follow in the sort key."""
    common = frozenset.intersection(*(each.equal for each in reads))
    if not common and all(each.equal for each in reads):
        return NoCommonKey("no column is fixed by all of them, so they have no common partition key")
    exact = sorted({each.partition for each in reads if each.partition is not None})
    if len(exact) > 1 or any(not set(each) <= common for each in exact):
        return NoCommonKey("one of them needs exactly its own partition key, and another does not provide it")
    steps: list[str] = []
    for read in sorted(reads, key=lambda each: (len(each.equal), each.shape)):
        rest = read.equal - common
        if len(steps) > len(rest):  # an earlier read with the same columns has a range or an order
            if frozenset(steps[:-1]) != rest or read.following not in (None, steps[-1]):
                return _does_not_follow(entity, rest, steps, read)
            continue
        if not set(steps) <= rest:
            return _does_not_follow(entity, rest, steps, read)
        steps += [name for name in entity.sorted(rest) if name not in steps]
        steps += [read.following] if read.following is not None else []
    return common, tuple(steps)


def _does_not_follow(entity: EntityNeeds, rest: frozenset[str], steps: Sequence[str], read: Read) -> NoCommonKey:
    """Return why the sort key of the other reads cannot also serve this read."""
    needed = [*entity.sorted(rest), *([read.following] if read.following is not None else [])]
    shown = ", ".join(needed) or "no other column"
    return NoCommonKey(f"in the sort key, one of them needs {', '.join(steps)} first, and the other needs {shown}")


def _index_problem(entity: EntityNeeds, key: ColumnKey, reads: Sequence[Read]) -> NoCommonKey | None:
    for read in reads:
        if problem := _not_single(entity, key, read):
            return problem
        if problem := _not_from_index(read):
            return problem
        hidden = [
            name for name in entity.sorted(key.columns) if entity.facts(name).optional and name not in read.tested
        ]
        if hidden:
            return NoCommonKey(
                f"{read.name} would omit the items without {hidden[0]}",
                f"declare that every item of the result has it: where=lambda item: exists(item.{hidden[0]})",
            )
    for columns in (frozenset(key.partition), frozenset(key.sort)):
        for write in entity.by_key:
            if write.changed & columns and not write.computes(columns):
                return _unknown_to(entity, write, columns, "changes a key attribute but")
    return _hot_problem(entity, key, reads)


def _not_from_index(read: Read) -> NoCommonKey | None:
    """Return why only the table can serve a read, or None if an index can serve it too."""
    if read.by_key:
        return NoCommonKey(f"{read.name} gets items by their whole keys, which only the table supports")
    if not read.strong:
        return None
    if read.finds_copies:
        return NoCommonKey(f"{read.name} must be found in the table, because an index can lack the newest copies")
    reason = f"{read.name} is strongly consistent, which an index does not support"
    return NoCommonKey(reason, "remove consistent=True")


def _hot_problem(entity: EntityNeeds, key: ColumnKey, reads: Sequence[Read]) -> NoCommonKey | None:
    """Return why the hottest partition cannot serve the writes, or None if it can, with shards if they are allowed."""
    shards = shards_needed(entity, key.partition, key.columns)
    if shards == 1:
        return None
    reason = _hot_partition(key, hottest_write_units(entity, key.partition, key.columns))
    if shards > SHARDS_MAX:
        return NoCommonKey(f"{reason}; it needs {shards:,} shards, and the search uses at most {SHARDS_MAX}")
    if any(each.collection is not None for each in reads):
        return NoCommonKey(f"{reason}; a collection cannot be in several shards")
    if not entity.allows_shards:
        return NoCommonKey(reason, f"allow {shards} Queries for a read, one for each shard, with --allow-fan-out")
    return None


def _hot_partition(key: ColumnKey, units: float) -> str:
    where = f"the hottest partition by {' and '.join(key.partition)}" if key.partition else "the only partition"
    return f"{where} gets {units:,.0f} write units per second, but DynamoDB serves {WRITE_UNITS_MAX:,}"


def _unknown_to(entity: EntityNeeds, write: Write, columns: frozenset[str], effect: str) -> NoCommonKey:
    unknown = entity.sorted(columns - (write.known or frozenset()))
    names, plural = " and ".join(unknown), "s" if len(unknown) > 1 else ""
    reason = f"{write.name} {effect} does not know {names}"
    tests = [f"item.{name} == {name}" for name in unknown]
    condition = tests[0] if len(tests) == 1 else " & ".join(f"({test})" for test in tests)
    return NoCommonKey(
        reason, f"add the parameter{plural} {names} to {write.name}, with where=lambda item: {condition}"
    )


def _not_single(entity: EntityNeeds, key: ColumnKey, read: Read) -> NoCommonKey | None:
    """Return why a key does not identify the one item of a read: the key has other columns than the read provides."""
    if not read.single or key.columns == read.equal:
        return None
    others = " and ".join(entity.sorted(key.columns ^ read.equal))
    return NoCommonKey(f"{read.name} reads one item, but either this read or the key, not both, contains {others}")


def _table_problem(entity: EntityNeeds, key: ColumnKey, reads: Sequence[Read]) -> NoCommonKey | None:
    if problem := next(filter(None, (_not_single(entity, key, each) for each in reads)), None):
        return problem
    for name in entity.sorted(key.columns):
        if entity.facts(name).optional:
            return NoCommonKey(f"{name} is optional, and a table key needs a value")
        if name in entity.changed:
            return NoCommonKey(f"{name} changes, and a table key cannot change")
    if missing := [name for name in entity.identity if name not in key.columns]:
        return NoCommonKey(f"the key does not contain {missing[0]}")
    for write in entity.by_key:
        if not write.computes(key.columns):
            return _unknown_to(entity, write, key.columns, "finds the item by its key but")
    return _hot_table(entity, key)


def _hot_table(entity: EntityNeeds, key: ColumnKey) -> NoCommonKey | None:
    """Return why the hottest partition of the table cannot serve the writes. The table has no shards."""
    units = hottest_write_units(entity, key.partition, key.columns, is_index=False)
    if units <= WRITE_UNITS_MAX:
        return None
    return NoCommonKey(f"{_hot_partition(key, units)}, and its key cannot contain a shard")


def _identity_keys(entity: EntityNeeds) -> Iterator[ColumnKey]:
    """Yield the keys of an item that is found only by its identity."""
    for size in range(1, len(entity.identity) + 1):
        yield ColumnKey(entity.identity[:size], entity.identity[size:])
