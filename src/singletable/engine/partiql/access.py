"""How a SELECT is read: single items by their keys, ranges of partitions, or everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from singletable.engine.definition import KeyAttribute
from singletable.engine.page_request import Source
from singletable.engine.partiql.bind import value_of
from singletable.engine.partiql.branches import Branch, branches_of, key_test
from singletable.engine.partition import partition_of
from singletable.engine.storage.key_range import EVERYTHING, KeyRange
from singletable.errors import invalid
from singletable.expressions.key_condition import KeyCondition, KeyTest
from singletable.expressions.tree import And, Condition, Path, leaves, paths
from singletable.partiql.statements import Order
from singletable.values.comparison import equal
from singletable.values.key_bytes import key_bytes

NOTHING = KeyRange(b"", b"")

KeyAttributes = tuple[KeyAttribute, ...]


@dataclass(frozen=True)
class Read:
    """One range of keys, what it was told by, and what is left to be tested on each item in it."""

    keys: KeyRange
    tests: tuple[KeyTest, ...] = ()
    partition: tuple[bytes, ...] = ()
    filter: Condition | None = None
    is_item: bool = False  # the whole key is given


class Access(NamedTuple):
    """The reads of a SELECT, in order; a Query reads some partitions, a Scan everything."""

    kind: Literal["GetItem", "Query", "Scan"]
    reads: tuple[Read, ...]
    descending: bool = False


def access_of(source: Source, where: Condition | None, order: Sequence[Order], values: Mapping[str, Any]) -> Access:
    """The access that answers a condition; refuses an order that it does not come in."""
    partition_names, sort_names, keys = source.order.partition_names, source.order.sort_names, source.order.names
    branches = None if where is None else branches_of(where, partition_names, keys)
    _refuse_order(order, where, keys, is_keyed=branches is not None)
    if branches is None:
        return Access("Scan", (Read(EVERYTHING, filter=where),))
    assert where is not None
    found = [_read(source, branch, values) for branch in branches]
    if source.index is not None:
        _refuse_unprojected(source, found)
    reads = _apart([read for read in found if read.keys.low < read.keys.high], where, keys)
    names = {each.attribute for each in order}
    if len({read.partition for read in reads}) > 1 and order and not names.intersection(partition_names):
        raise invalid(
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
        )
    # Captured: ordered by the partition key alone, the items of a partition come from its end, be it ASC or DESC.
    by_sort = [each.descending for each in order if each.attribute in sort_names]
    descending = by_sort[0] if by_sort else bool(names)
    partition_descending = any(each.descending for each in order if each.attribute in partition_names)
    reads.sort(key=lambda read: read.keys.low, reverse=descending)
    reads.sort(key=lambda read: read.partition, reverse=partition_descending)
    is_items = source.index is None and bool(reads) and all(read.is_item for read in reads)
    return Access("GetItem" if is_items else "Query", tuple(reads), descending)


def _refuse_order(order: Sequence[Order], where: Condition | None, keys: tuple[str, ...], *, is_keyed: bool) -> None:
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


def _read(source: Source, branch: Branch, values: Mapping[str, Any]) -> Read:
    """The range that the tests of keys leave; what else is said is the filter."""
    partition, sort = source.order.partition, source.order.sort
    tests, left = _sorted_out(branch, partition, sort, values)
    chosen = {attribute.name: tests[attribute.name][0] for attribute in partition}
    whole = partition_of(source, KeyCondition(chosen, values))
    ranges, sort_given = [whole.keys], 0
    for attribute in sort:
        # An equality comes first: with it, the next attribute can be given too.
        of_attribute = sorted(tests[attribute.name], key=lambda test: test.operator != "=")
        for test in of_attribute:
            ranges.append(partition_of(source, KeyCondition({**chosen, attribute.name: test}, values)).keys)
        if not of_attribute or of_attribute[0].operator != "=":
            break
        chosen[attribute.name] = of_attribute[0]
        sort_given += 1
    # Tests behind an attribute that is not given cannot narrow the range.
    behind = [attribute.name for attribute in sort[sort_given + 1 :]]
    left += [condition for condition in branch if key_test(condition, behind) is not None]
    is_contradiction = any(_differs(tests[attribute.name], values) for attribute in partition)
    low, high = max(each.low for each in ranges), min(each.high for each in ranges)
    return Read(
        NOTHING if is_contradiction else KeyRange(low, high),
        tuple(test for name, several in tests.items() if name not in behind for test in several),
        tuple(key_bytes(each.kind, whole.values[each.name][each.kind]) for each in partition),
        _all_of(left),
        is_item=sort_given == len(sort),
    )


def _sorted_out(
    branch: Branch, partition: KeyAttributes, sort: KeyAttributes, values: Mapping[str, Any]
) -> tuple[dict[str, list[KeyTest]], list[Condition]]:
    """The tests of every key attribute, and what else is said; a partition attribute is tested by equality alone."""
    kinds = {each.name: each.kind for each in (*partition, *sort)}
    tests: dict[str, list[KeyTest]] = {name: [] for name in kinds}
    left: list[Condition] = []
    sort_names = [each.name for each in sort]
    for condition in branch:
        test = key_test(condition, kinds)
        if test is None or (test.operator != "=" and test.attribute not in sort_names):
            left.append(condition)
        else:
            _refuse_type(test, kinds[test.attribute], values)
            tests[test.attribute].append(test)
    return tests, left


def _differs(tests: list[KeyTest], values: Mapping[str, Any]) -> bool:
    """Whether two equalities of one attribute contradict each other."""
    given = [value_of(test.operands[0], values) for test in tests if test.operator == "="]
    return any(not equal(given[0], value) for value in given[1:])


def _refuse_type(test: KeyTest, kind: str, values: Mapping[str, Any]) -> None:
    for operand in test.operands:
        if kind not in value_of(operand, values):
            rule = "Key attribute's data type should match its data type in table's schema"
            raise invalid(f"{rule}: Key {test.attribute}")


def _apart(reads: list[Read], where: Condition, keys: tuple[str, ...]) -> list[Read]:
    """Reads that share no item. Those of one partition are refused when they do, unless one of them also says what a
    range cannot, such as `sk <> 'a'`: then the service answers all of them together (captured), and so it is one read.
    """
    by_partition: dict[tuple[bytes, ...], list[Read]] = {}
    for read in reads:
        by_partition.setdefault(read.partition, []).append(read)
    apart: list[Read] = []
    for several in by_partition.values():
        several.sort(key=lambda read: read.keys.low)
        overlap = any(one.keys.high > other.keys.low for one, other in pairwise(several))
        if not overlap:
            apart += several
        elif any(read.filter is not None and _mentions(read.filter, keys) for read in several):
            whole = KeyRange(several[0].keys.low, max(read.keys.high for read in several))
            apart.append(replace(several[0], keys=whole, tests=_shared(several), filter=where, is_item=False))
        else:
            raise invalid("Overlapping conditions with range keys are not supported in where clause")
    return apart


def _shared(reads: list[Read]) -> tuple[KeyTest, ...]:
    """The tests that several reads have in common: those of their partition."""
    return tuple(test for test in reads[0].tests if all(test in read.tests for read in reads))


def _refuse_unprojected(source: Source, reads: list[Read]) -> None:
    """A filter on what the index does not hold is refused where every alternative has one; the last one is told."""
    index = source.index
    assert index is not None
    lacking: list[list[str]] = []
    for read in sorted(reads, key=lambda read: read.partition):
        spoken_of = [] if read.filter is None or read.keys == NOTHING else _attributes(read.filter)
        lacking.append([name for name in spoken_of if not index.holds(name)])
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
