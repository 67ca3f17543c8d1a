"""Keys that serve several reads of one entity: a test for such a key, all such keys, and the reason if none exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from singletable.key_solver.partition_load import SHARDS_MAX, WRITE_UNITS_MAX, hottest_write_units, shards_needed
from singletable.key_solver.workload import EntityNeeds, Read

_OR_ATTRIBUTES = ", or allow multi-attribute keys with --multi-attribute"
_OR_READ_FIRST = ", or let it read the item first with --allow-fan-out"
ATTRIBUTES_MAX = 4
"""DynamoDB allows four attributes in the partition key and four in the sort key of a global index."""


@dataclass(frozen=True)
class ColumnKey:
    """A key as columns: the partition key and the sort key."""

    partition: tuple[str, ...]
    sort: tuple[str, ...]
    is_multi_attribute: bool = False
    """Whether each column is a key attribute of its own."""

    @property
    def columns(self) -> frozenset[str]:
        """All columns of the key."""
        return frozenset((*self.partition, *self.sort))

    @property
    def attributes(self) -> tuple[frozenset[str], ...]:
        """The columns of each key attribute."""
        if self.is_multi_attribute:
            return tuple(frozenset({name}) for name in (*self.partition, *self.sort))
        return frozenset(self.partition), frozenset(self.sort)


@dataclass(frozen=True)
class NoCommonKey:
    """The reason why no key serves the reads: a sentence, and the fact or change that would make a key possible."""

    reason: str
    remedy: str = ""
    changes: int = 1
    """The number of changes in the remedy."""


def index_keys(entity: EntityNeeds, reads: Sequence[Read]) -> tuple[ColumnKey, ...]:
    """Return every key of a global index that serves all these reads. Return an empty tuple if there is none."""
    found = (_with_attributes(entity, key) for key in _candidates(entity, reads))
    return tuple(key for key in found if _index_problem(entity, key, reads) is None)


def local_keys(entity: EntityNeeds, reads: Sequence[Read]) -> tuple[ColumnKey, ...]:
    """Return every key of a local index that serves all these reads, if the table has the same partition key."""
    found = _candidates(entity, reads)
    return tuple(key for key in found if key.partition and _local_problem(entity, key, reads) is None)


def table_keys(entity: EntityNeeds, reads: Sequence[Read]) -> tuple[ColumnKey, ...]:
    """Return every key of the table that serves all these reads and that every write can compute."""
    found = _keys(entity, reads) if reads else _identity_keys(entity)
    return tuple(key for key in found if _table_problem(entity, key, reads) is None)


def why_no_index(entity: EntityNeeds, reads: Sequence[Read]) -> NoCommonKey | None:
    """Return why no index key serves these reads together, or None if a key serves them."""
    chain = _chain(entity, reads)
    if isinstance(chain, NoCommonKey):
        return chain
    problems = [_index_problem(entity, _with_attributes(entity, key), reads) for key in _candidates(entity, reads)]
    found = [each for each in problems if each is not None]
    return min(found, key=lambda each: each.changes) if found and len(found) == len(problems) else None


def why_no_table(entity: EntityNeeds, reads: Sequence[Read]) -> NoCommonKey | None:
    """Return why no table key serves these reads, or None if a key serves them."""
    if table_keys(entity, reads):
        return None
    chain = _chain(entity, reads) if reads else None
    if isinstance(chain, NoCommonKey):
        return chain
    return next(filter(None, (_table_problem(entity, key, reads) for key in _keys(entity, reads))), None)


def why_no_key(entity: EntityNeeds, reads: Sequence[Read]) -> NoCommonKey | None:
    """Return why neither the table nor an index serves these reads together. The reason is that of the nearest key."""
    problem = why_no_index(entity, reads)
    is_strong = any(each.strong for each in reads)
    if problem is None or not is_strong or isinstance(_chain(entity, reads), NoCommonKey):
        return problem
    reasons, remedies = [problem.reason], [_weaker(entity, reads)]
    if local := local_keys(entity, reads):
        partition = local[0].partition
        table = why_no_table(entity, [Read("partition", frozenset(partition), partition=partition)])
        if table is not None:
            reasons.append(f"the table cannot have the partition key {' and '.join(partition)}: {table.reason}")
            remedies.append(table.remedy)
    else:
        found = (_local_problem(entity, key, reads) for key in _candidates(entity, reads))
        reasons += [f"a local index cannot serve it: {each.reason}" for each in found if each is not None][:1]
    return NoCommonKey(", and ".join(reasons), ", or ".join(filter(None, remedies)))


def _weaker(entity: EntityNeeds, reads: Sequence[Read]) -> str:
    """Return the remedy that makes a global index possible for strongly consistent reads."""
    if any(each.finds_copies or each.by_key for each in reads):
        return ""
    problem = why_no_index(entity, [replace(each, strong=False) for each in reads])
    if problem is None:
        return "remove consistent=True"
    added = problem.remedy.removesuffix(_OR_READ_FIRST).removesuffix(_OR_ATTRIBUTES)
    return f"remove consistent=True, and {added}" if added else ""


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


def _candidates(entity: EntityNeeds, reads: Sequence[Read]) -> Iterator[ColumnKey]:
    """Yield the index keys that fit the reads, before the writes are considered."""
    return _keys(entity, reads, identified=not any(each.single for each in reads))


def _with_attributes(entity: EntityNeeds, key: ColumnKey) -> ColumnKey:
    """Return the key with one attribute for each column, if this is possible and enables more writes to change the key.

    Otherwise, return the key unchanged.
    """
    if not entity.multi_attribute or max(len(key.partition), len(key.sort)) > ATTRIBUTES_MAX:
        return key
    separate = replace(key, is_multi_attribute=True)
    is_better = len(entity.unknown_changes(separate.attributes)) < len(entity.unknown_changes(key.attributes))
    return separate if is_better else key


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
    if problem := _beside_feed(reads):
        return problem
    common = frozenset.intersection(*(each.equal for each in reads))
    if not common and all(each.equal for each in reads):
        return NoCommonKey("they provide no field in common, so no partition key serves both")
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


def _beside_feed(reads: Sequence[Read]) -> NoCommonKey | None:
    """Return why the key of a feed cannot serve another read: the items of this read are not adjacent in the index."""
    feeds = sorted({each.feed for each in reads if each.feed})
    if not feeds or (len(feeds) == 1 and all(each.feed or each.single for each in reads)):
        return None
    return NoCommonKey(
        f"items of {' and '.join(feeds[0])} alternate in a feed, so another read with this key would read all of them"
    )


def _does_not_follow(entity: EntityNeeds, rest: frozenset[str], steps: Sequence[str], read: Read) -> NoCommonKey:
    """Return why the sort key of the other reads cannot also serve this read."""
    needed = [*entity.sorted(rest), *([read.following] if read.following is not None else [])]
    shown = ", ".join(needed) or "no other column"
    return NoCommonKey(f"in the sort key, one of them needs {', '.join(steps)} first, and the other needs {shown}")


def _index_problem(entity: EntityNeeds, key: ColumnKey, reads: Sequence[Read]) -> NoCommonKey | None:
    for read in reads:
        if problem := _not_from_index(read) or _hidden(entity, key, read):
            return problem
    return _unknown_change(entity, key) or _hot_problem(entity, key, reads)


def _local_problem(entity: EntityNeeds, key: ColumnKey, reads: Sequence[Read]) -> NoCommonKey | None:
    """Return why a local index cannot have this key. The partition key is that of the table, so no write changes it."""
    for read in reads:
        if read.by_key or read.collection is not None:
            return NoCommonKey(f"{read.name} reads items that only the table has together")
        if problem := _hidden(entity, key, read):
            return problem
    return _unknown_change(entity, key)


def _hidden(entity: EntityNeeds, key: ColumnKey, read: Read) -> NoCommonKey | None:
    """Return why an index with this key does not contain exactly the items of a read."""
    if problem := _not_single(entity, key, read):
        return problem
    tested = frozenset[str]() if read.collection is not None else read.tested
    optional = [name for name in entity.sorted(key.columns) if entity.facts(name).optional and name not in tested]
    if not optional:
        return None
    name = optional[0]
    remedy = f"declare that every item of the result has it: where=lambda item: exists(item.{name})"
    if read.collection is not None:
        remedy = f"give {name} a value in every item of {entity.name}, and remove None from its type"
    return NoCommonKey(f"{read.name} would omit the items without {name}", remedy)


def _unknown_change(entity: EntityNeeds, key: ColumnKey) -> NoCommonKey | None:
    """Return which write changes a key attribute without knowing all columns of it, or None.

    If fan-outs are allowed, such a write reads the item first.
    """
    unknown = {} if entity.allows_fan_out else entity.unknown_changes(key.attributes)
    return _unknown_to(entity, key, unknown) if unknown else None


def _not_from_index(read: Read) -> NoCommonKey | None:
    """Return why no global index can serve a read, or None if one can serve it."""
    if read.by_key:
        return NoCommonKey(f"{read.name} gets items by their whole keys, which only the table supports")
    if not read.strong:
        return None
    if read.finds_copies:
        return NoCommonKey(
            f"{read.name} must be strongly consistent, because a global index can lack the newest copies"
        )
    reason = f"{read.name} is strongly consistent, which a global index does not support"
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
    if not entity.allows_fan_out:
        return NoCommonKey(reason, f"allow {shards} Queries for a read, one for each shard, with --allow-fan-out")
    return None


def _hot_partition(key: ColumnKey, units: float) -> str:
    where = f"the hottest partition by {' and '.join(key.partition)}" if key.partition else "the only partition"
    return f"{where} gets {units:,.0f} write units per second, but DynamoDB serves {WRITE_UNITS_MAX:,}"


def _not_found_by(entity: EntityNeeds, unknown: Mapping[str, frozenset[str]]) -> NoCommonKey:
    """Return the reason that writes do not know columns of the table key."""
    missing = {write: entity.sorted(columns) for write, columns in sorted(unknown.items())}
    reasons = [
        f"{write} finds the item by its key but does not know {' and '.join(names)}" for write, names in missing.items()
    ]
    remedies = [f"add the {_parameters(names)} to {write}" for write, names in missing.items()]
    return NoCommonKey("; ".join(reasons), ", and ".join(remedies), sum(map(len, missing.values())))


def _unknown_to(entity: EntityNeeds, key: ColumnKey, unknown: Mapping[str, frozenset[str]]) -> NoCommonKey:
    """Return the reason that writes change an attribute of an index key, but do not know its other columns."""
    missing = {write: entity.sorted(columns) for write, columns in sorted(unknown.items())}
    reasons = [
        f"{write} changes a key attribute but does not know {' and '.join(names)}" for write, names in missing.items()
    ]
    remedies = [
        f"add the {_parameters(names)} to {write}, with where=lambda item: {_condition(names)}"
        for write, names in missing.items()
    ]
    separate = replace(key, is_multi_attribute=True)
    other = "" if entity.multi_attribute or entity.unknown_changes(separate.attributes) else _OR_ATTRIBUTES
    changes = sum(map(len, missing.values()))
    return NoCommonKey("; ".join(reasons), ", and ".join(remedies) + other + _OR_READ_FIRST, changes)


def _parameters(names: Sequence[str]) -> str:
    return f"parameter{'s' if len(names) > 1 else ''} {' and '.join(names)}"


def _condition(names: Sequence[str]) -> str:
    tests = [f"item.{name} == {name}" for name in names]
    return tests[0] if len(tests) == 1 else " & ".join(f"({test})" for test in tests)


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
    unknown = {
        each.name: key.columns - ((each.known if each.finds_by is None else each.finds_by) or frozenset())
        for each in entity.by_key
        if not each.finds(key.columns)
    }
    return _not_found_by(entity, unknown) if unknown else _hot_table(entity, key)


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
