"""Chooses the access path of a SELECT: single items by key, key ranges within partitions, or a scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from singletable.engine.items.page_reader import PageSource
from singletable.engine.items.query_ranges import query_range
from singletable.engine.partiql.bound_statement import value_of
from singletable.engine.partiql.where_clause import Branch, branches_of, key_test
from singletable.engine.storage.entry_keys import EVERYTHING, EntryRange
from singletable.engine.tables.table_definition import KeyElement
from singletable.errors import invalid
from singletable.expressions.key_condition import KeyCondition, KeyTest
from singletable.expressions.tree import And, Condition, Path, leaves, paths
from singletable.partiql.statements import OrderBy
from singletable.values.attribute_value import equal
from singletable.values.scalars import key_bytes

NOTHING = EntryRange(b"", b"")

KeyAttributes = tuple[KeyElement, ...]


@dataclass(frozen=True)
class RangeRead:
    """A key range to read, the key tests that define the range, and the filter for the items in the range."""

    keys: EntryRange
    tests: tuple[KeyTest, ...] = ()
    partition: tuple[bytes, ...] = ()
    filter: Condition | None = None
    is_item: bool = False  # whether the tests determine one complete key
    partition_values: tuple[str, ...] = ()


class SelectAccess(NamedTuple):
    """The reads of a SELECT, in order. A Query reads some partitions, and a Scan reads the whole table or index."""

    kind: Literal["GetItem", "Query", "Scan"]
    reads: tuple[RangeRead, ...]
    descending: bool = False


def plan_access(
    source: PageSource, where: Condition | None, order: Sequence[OrderBy], values: Mapping[str, Any]
) -> SelectAccess:
    """Return the access path for a condition. Raise an error if it cannot return items in the ORDER BY order."""
    partition_names, sort_names, keys = source.order.partition_names, source.order.sort_names, source.order.names
    branches = None if where is None else branches_of(where, partition_names, keys)
    _check_order(order, where, keys, is_keyed=branches is not None)
    if branches is None:
        return SelectAccess("Scan", (RangeRead(EVERYTHING, filter=where),))
    assert where is not None
    found = [_read(source, branch, values) for branch in branches]
    if source.index is not None:
        _check_projected(source, found)
    reads = _disjoint([read for read in found if read.keys.low < read.keys.high], where, keys)
    names = {each.attribute for each in order}
    if len({read.partition for read in reads}) > 1 and order and not names.intersection(partition_names):
        raise invalid(
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
        )
    # If ORDER BY names only the partition key, items within a partition are in descending order, even with ASC
    # (captured from AWS).
    by_sort = [each.descending for each in order if each.attribute in sort_names]
    descending = by_sort[0] if by_sort else bool(names)
    partition_descending = any(each.descending for each in order if each.attribute in partition_names)
    reads.sort(key=lambda read: read.keys.low, reverse=descending)
    reads.sort(key=lambda read: read.partition, reverse=partition_descending)
    is_items = source.index is None and bool(reads) and all(read.is_item for read in reads)
    return SelectAccess("GetItem" if is_items else "Query", tuple(reads), descending)


def _check_order(order: Sequence[OrderBy], where: Condition | None, keys: tuple[str, ...], *, is_keyed: bool) -> None:
    if not order:
        return
    if where is None:
        raise invalid("Must have WHERE clause in the statement when using ORDER BY clause.")
    for each in order:
        if each.attribute not in keys:
            raise invalid(f"Attribute {each.attribute} in ORDER BY clause must be part of the primary key")
    if not is_keyed:
        raise invalid(
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
        )


def _read(source: PageSource, branch: Branch, values: Mapping[str, Any]) -> RangeRead:
    """Return the range that the key tests of a branch define; the other conditions of the branch are the filter."""
    partition, sort = source.order.partition, source.order.sort
    tests, left = _split_key_tests(branch, partition, sort, values)
    chosen = {attribute.name: tests[attribute.name][0] for attribute in partition}
    whole = query_range(source, KeyCondition(chosen, values))
    ranges, sort_given = [whole.keys], 0
    for attribute in sort:
        # Equality tests come first. A test of the next sort key attribute narrows the range only after an equality
        # test.
        of_attribute = sorted(tests[attribute.name], key=lambda test: test.operator != "=")
        for test in of_attribute:
            ranges.append(query_range(source, KeyCondition({**chosen, attribute.name: test}, values)).keys)
        if not of_attribute or of_attribute[0].operator != "=":
            break
        chosen[attribute.name] = of_attribute[0]
        sort_given += 1
    # After a key attribute without a test, tests of later attributes cannot narrow the range.
    later = [attribute.name for attribute in sort[sort_given + 1 :]]
    left += [condition for condition in branch if key_test(condition, later) is not None]
    is_contradiction = any(_differs(tests[attribute.name], values) for attribute in partition)
    low, high = max(each.low for each in ranges), min(each.high for each in ranges)
    return RangeRead(
        NOTHING if is_contradiction else EntryRange(low, high),
        tuple(test for name, several in tests.items() if name not in later for test in several),
        tuple(key_bytes(each.kind, whole.values[each.name][each.kind]) for each in partition),
        _all_of(left),
        is_item=sort_given == len(sort),
        partition_values=tuple(whole.values[each.name][each.kind] for each in partition),
    )


def _split_key_tests(
    branch: Branch, partition: KeyAttributes, sort: KeyAttributes, values: Mapping[str, Any]
) -> tuple[dict[str, list[KeyTest]], list[Condition]]:
    """Return the tests by key attribute, and the other conditions. A partition key test is always an equality."""
    kinds = {each.name: each.kind for each in (*partition, *sort)}
    tests: dict[str, list[KeyTest]] = {name: [] for name in kinds}
    left: list[Condition] = []
    sort_names = [each.name for each in sort]
    for condition in branch:
        test = key_test(condition, kinds)
        if test is None or (test.operator != "=" and test.attribute not in sort_names):
            left.append(condition)
        else:
            _check_type(test, kinds[test.attribute], values)
            tests[test.attribute].append(test)
    return tests, left


def _differs(tests: list[KeyTest], values: Mapping[str, Any]) -> bool:
    """Return whether the equality tests of one attribute contradict each other."""
    given = [value_of(test.operands[0], values) for test in tests if test.operator == "="]
    return any(not equal(given[0], value) for value in given[1:])


def _check_type(test: KeyTest, kind: str, values: Mapping[str, Any]) -> None:
    for operand in test.operands:
        if kind not in value_of(operand, values):
            rule = "Key attribute's data type should match its data type in table's schema"
            raise invalid(f"{rule}: Key {test.attribute}")


def _disjoint(reads: list[RangeRead], where: Condition, keys: tuple[str, ...]) -> list[RangeRead]:
    """Return reads that have no item in common. Raise an error for overlapping reads of one partition.

    DynamoDB accepts overlapping reads if one of them has a key test that is not a range, such as `sk <> 'a'` (captured
    from AWS). This function merges such reads into one.
    """
    by_partition: dict[tuple[bytes, ...], list[RangeRead]] = {}
    for read in reads:
        by_partition.setdefault(read.partition, []).append(read)
    disjoint: list[RangeRead] = []
    for several in by_partition.values():
        several.sort(key=lambda read: read.keys.low)
        overlap = any(one.keys.high > other.keys.low for one, other in pairwise(several))
        if not overlap:
            disjoint += several
        elif any(read.filter is not None and _mentions(read.filter, keys) for read in several):
            whole = EntryRange(several[0].keys.low, max(read.keys.high for read in several))
            disjoint.append(replace(several[0], keys=whole, tests=_shared(several), filter=where, is_item=False))
        else:
            raise invalid("Overlapping conditions with range keys are not supported in where clause")
    return disjoint


def _shared(reads: list[RangeRead]) -> tuple[KeyTest, ...]:
    """Return the tests that several reads of one partition have in common."""
    return tuple(test for test in reads[0].tests if all(test in read.tests for read in reads))


def _check_projected(source: PageSource, reads: list[RangeRead]) -> None:
    """Raise an error if every read filters on attributes that the index does not project.

    The error names only the attributes of the last read.
    """
    index = source.index
    assert index is not None
    lacking: list[list[str]] = []
    for read in sorted(reads, key=lambda read: read.partition):
        filtered = [] if read.filter is None or read.keys == NOTHING else _attributes(read.filter)
        lacking.append([name for name in filtered if not index.holds(name)])
    if lacking and all(lacking):
        raise invalid(
            f"One or more parameter values were invalid: Secondary index {index.name} "
            f"does not project one or more filter attributes: [{', '.join(lacking[-1])}]"
        )


def _attributes(condition: Condition) -> list[str]:
    return list(dict.fromkeys(leaf.attribute for leaf in leaves(condition) if isinstance(leaf, Path)))


def _mentions(condition: Condition, keys: tuple[str, ...]) -> bool:
    return any(path.attribute in keys for path in paths(condition))


def _all_of(conditions: list[Condition]) -> Condition | None:
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else And(tuple(conditions))
