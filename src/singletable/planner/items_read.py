"""Estimate how many items of each entity a Query reads, and list the guesses on which the estimate depends."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from singletable.expressions.tree import Constant
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.entity import Entity
from singletable.model.intents import CollectionIntent, FeedIntent, GetIntent
from singletable.model.key_template import DerivedSlot, FieldSlot
from singletable.model.keys import KeyPart, NativePart, TemplatePart
from singletable.model.parameter_binding import Binding
from singletable.model.parameter_types import Between, Equal
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.operands import Encoded, FixedText, KeyComparison, NativeOperand, TextOperand
from singletable.planner.plan import Plan

TYPICAL_ITEMS = 10
"""The assumed number of items in a partition if nothing is declared."""
TYPICAL_LIMIT = 100
"""The assumed limit of a call if the limit parameter has no default."""


@dataclass(frozen=True)
class EntityCount:
    """How many items of one entity a call reads, and whether the pattern returns them."""

    entity: Entity
    items: int
    is_returned: bool = True
    is_known: bool = True
    """Whether a declaration, a limit or the key bounds the number of items."""
    discarded: int = 0
    """How many of these items the client discards, because their time is outside the range in the same unit."""


def count_items_read(sizes: ItemSizes, plan: Plan, guessed: dict[str, None], scale: float) -> list[EntityCount]:
    """Return how many items of each entity a call reads, from the declared numbers. Add the guesses to `guessed`.

    Each Query of a fan-out reads its partition up to the limit, because any partition can contain the first items.
    """
    queries = query_count(plan)
    counts = _declared(sizes, plan, scale)
    found = [EntityCount(entity, items) for entity, items in zip(plan.entities, counts, strict=False)]
    if not counts:
        found = [_found(sizes, plan, i, guessed, scale) for i in range(len(plan.entities))]
    found = _within_limit(plan, found, queries)
    if not counts:
        found = [_with_discarded(plan, each, i, guessed) for i, each in enumerate(found)]
    if limit_of_call(plan) is not None and _has_assumed_limit(plan):
        guessed[f"a limit of {TYPICAL_LIMIT}, because the limit parameter has no default"] = None
    return found + [
        EntityCount(
            other,
            items_per_partition(sizes, plan, other, guessed, scale, queries),
            False,
            _is_bounded(sizes, plan, other, queries),
        )
        for other in plan.other_entities
    ]


def _within_limit(plan: Plan, found: list[EntityCount], queries: int) -> list[EntityCount]:
    """Return the counts of a feed, whose limit applies to all its entities together."""
    limit, total = _read_limit(plan), sum(each.items for each in found)
    if not isinstance(plan.pattern.intent, FeedIntent) or limit is None or total <= queries * limit:
        return found
    shares = _divided(queries * limit, [each.items for each in found])
    return [replace(each, items=share) for each, share in zip(found, shares, strict=True)]


def _with_discarded(plan: Plan, count: EntityCount, i: int, guessed: dict[str, None]) -> EntityCount:
    """Add the items that the client discards at the bounds of a time range to the items of a full page.

    This concerns a key that contains the time only to a unit, such as the second: one item per bound is assumed.
    """
    trims, limit = plan.trims[i] if i < len(plan.trims) else (), _read_limit(plan)
    if not trims or limit is None or count.items < query_count(plan) * limit:
        return count  # without a limit, the count is a whole partition
    discarded = 0
    for trim in trims:
        bounds = 2 if trim.binding.test is Between else 1
        items = "2 items" if bounds == 2 else "1 item"
        guessed[f"{items} of {count.entity.label} with another {trim.field} in the same {trim.unit}"] = None
        discarded += bounds
    return replace(count, items=count.items + discarded, discarded=discarded)


def query_count(plan: Plan) -> int:
    """Return the number of Queries per call, or the declared maximum."""
    return plan.queries or plan.pattern.options.fanout or 1


def count_wasted_items(plan: Plan, found: Sequence[EntityCount], scale: float) -> int:
    """Count the items that are read but not returned: other entities, filtered items, and items beyond the limit."""
    options, limit = plan.pattern.options, limit_of_call(plan)
    matching = sum(each.items - each.discarded for each in found if each.is_returned)
    returned = matching
    if options.expected_examined is not None and options.expected_items is not None:
        returned = scaled(options.expected_items, scale)
    if limit is not None and (plan.fan_outs or plan.filter is not None):
        returned = min(returned, limit)
    return sum(each.items for each in found) - min(matching, returned)


def items_per_partition(
    sizes: ItemSizes, plan: Plan, entity: Entity, guessed: dict[str, None], scale: float, queries: int = 1
) -> int:
    """Return how many items of an entity all Queries of a pattern find together. Each Query reads one partition.

    A declared number applies to every partition. A guess applies to the whole list, even if it has several shards.
    """
    if (few := _few(plan, entity, queries)) is not None:
        return few
    where = (
        f"a partition of {plan.index.display_name}"
        if queries == 1
        else f"{queries:,} partitions of {plan.index.display_name}"
    )
    whole = "" if queries == 1 else " in total"
    declared = sizes.expected_in(entity, plan.index)
    if declared is None and (possible := _possible_items(plan, entity)) is not None:
        if possible > 1:
            guessed[f"all {possible:,} items of {entity.label} that {where} can contain"] = None
        return queries * possible
    if declared is None:
        guessed[f"{TYPICAL_ITEMS} items of {entity.label} in {where}{whole}"] = None
        return scaled(TYPICAL_ITEMS, scale)
    items = queries * scaled(declared, scale)
    if narrows_partition(plan) and items > queries:
        guessed[
            f"all {items:,} items of {entity.label} in {where}{whole}, although the pattern reads only part of them"
        ] = None
    return items


def scaled(items: int, scale: float) -> int:
    """Multiply the number of items in a collection by a factor."""
    return items if scale == 1.0 else max(1, round(items * scale))


def _declared(sizes: ItemSizes, plan: Plan, scale: float) -> list[int]:
    """Return the number of items that the pattern declares, divided among its lists.

    Return nothing if it declares none.
    """
    options = plan.pattern.options
    declared = options.expected_examined
    if declared is None and plan.filter is None:  # with a filter, expected_items= does not say how many items are read
        declared = options.expected_items
    if declared is None:
        return []
    limit = _read_limit(plan)
    declared = scaled(declared, scale)
    if not plan.members:
        return [declared if limit is None else min(declared, query_count(plan) * limit)]
    counts = [0 if member.kind == "many" else 1 for member in plan.members]
    expected = [sizes.expected_in(entity, plan.index) for entity in plan.entities]
    lists = [i for i, count in enumerate(counts) if not count]
    known = [each for i in lists if (each := expected[i])]
    weights = known if len(known) == len(lists) else [1] * len(lists)
    for i, share in zip(lists, _divided(declared - sum(counts), weights), strict=True):
        counts[i] = share if limit is None else min(share, limit)
    return counts


def _divided(total: int, weights: list[int]) -> list[int]:
    """Divide a number into parts proportional to the weights."""
    shares, left = [], max(0, total)
    for done, weight in enumerate(weights):
        shares.append(round(left * weight / sum(weights[done:])))
        left -= shares[-1]
    return shares


def _found(sizes: ItemSizes, plan: Plan, i: int, guessed: dict[str, None], scale: float) -> EntityCount:
    entity, queries, limit = plan.entities[i], query_count(plan), _read_limit(plan)
    if plan.members and plan.members[i].kind != "many":
        return EntityCount(entity, 1)
    is_bounded = _is_bounded(sizes, plan, entity, queries)
    if limit is not None and not is_bounded:
        return EntityCount(entity, queries * limit)
    counted: dict[str, None] = {}
    items = items_per_partition(sizes, plan, entity, counted, scale, queries)
    if limit is None or items < queries * limit:
        guessed |= counted
    if limit is None and share_kept(plan) is None and items > 1:
        guessed[f"that the filter examines all {items:,} items of {entity.label}"] = None
    return EntityCount(entity, items if limit is None else min(items, queries * limit), is_known=is_bounded)


def _is_bounded(sizes: ItemSizes, plan: Plan, entity: Entity, queries: int) -> bool:
    """Return whether a declaration or the key limits how many items of an entity the Queries find."""
    if sizes.expected_in(entity, plan.index) is not None or _few(plan, entity, queries) is not None:
        return True
    return _possible_items(plan, entity) is not None


def _possible_items(plan: Plan, entity: Entity) -> int | None:
    """Return how many items of an entity one partition can contain, or None if the sort key sets no limit."""
    if plan.index.kind == "GSI":
        return None
    fixed = frozenset[str]().union(*(part.exact_fields for part in entity.base.partition))
    count = 1
    for part in entity.base.sort:
        if isinstance(part, NativePart):
            domains = [(part.field.name, part.domain)]
        elif any(isinstance(slot, DerivedSlot) for slot in part.template.slots):
            return None
        else:
            domains = [(slot.name, slot.codec.domain) for slot in part.template.slots if isinstance(slot, FieldSlot)]
        for name, domain in domains:
            if name not in fixed and not domain:
                return None
            count *= 1 if name in fixed else len(domain or ())
    return count


def _few(plan: Plan, entity: Entity, queries: int) -> int | None:
    """Return the number of items if the key condition determines it, otherwise None."""
    if finds_one_item(plan, entity):
        return 1
    return queries if has_full_key(plan) else None


def limit_of_call(plan: Plan) -> int | None:
    """Return the limit of a call: a constant, the default of the limit parameter, or without a default a typical limit.

    Return None for a pattern without a limit.
    """
    if plan.limit is None:
        return None
    if isinstance(plan.limit.count, int):
        return plan.limit.count
    default = plan.pattern.signature.parameters[plan.limit.count.name].default
    return default if isinstance(default, int) else TYPICAL_LIMIT


def _has_assumed_limit(plan: Plan) -> bool:
    """Return whether the limit is a parameter without a default."""
    limit = plan.limit
    if limit is None or isinstance(limit.count, int):
        return False
    return not isinstance(plan.pattern.signature.parameters[limit.count.name].default, int)


def share_kept(plan: Plan) -> float | None:
    """Return the share of the read items that a filter keeps: 1 without a filter, None if it is not declared."""
    options = plan.pattern.options
    if plan.filter is None:
        return 1.0
    if not options.expected_items or not options.expected_examined:
        return None
    return min(1.0, options.expected_items / options.expected_examined)


def _read_limit(plan: Plan) -> int | None:
    """Return how many items a Query reads to return the requested number. Return None if the pattern has no limit."""
    limit, share = limit_of_call(plan), share_kept(plan)
    return None if limit is None or share is None else math.ceil(limit / share)


def finds_one_item(plan: Plan, entity: Entity) -> bool:
    """Return whether all Queries of a plan together find at most one item of an entity."""
    intent = plan.pattern.intent
    if isinstance(intent, CollectionIntent) or entity is not plan.entities[0]:
        return False  # the key condition of a collection uses fields of several entities
    if isinstance(intent, GetIntent) or (has_full_key(plan) and not plan.fan_outs):
        return True
    fixed = frozenset(_fixed(plan.tests))
    return any(fields <= fixed for fields in _unique_field_sets(plan, entity))


def has_full_key(plan: Plan) -> bool:
    """Return whether each Query has the full primary key, so that it finds at most one item."""
    has_sort = len(plan.sort) == len(plan.index.key_attributes) - len(plan.partition)
    return plan.index.is_table and has_sort and all(test.operator == "=" for test in plan.sort)


def narrows_partition(plan: Plan) -> bool:
    """Return whether a parameter restricts the Query to a part of the partition."""
    operands = (operand for test in plan.sort for operand in test.operands)
    return any(
        not isinstance(operand, TextOperand) or any(not isinstance(atom, FixedText) for atom in operand.atoms)
        for operand in operands
    )


def _fixed(tests: tuple[KeyComparison, ...]) -> Iterator[str]:
    """Yield the fields that a key condition fixes to one value."""
    for operand in (operand for test in tests for operand in test.operands):
        atoms = operand.atoms if isinstance(operand, TextOperand) else (operand,)
        for atom in atoms:
            if isinstance(atom, Encoded | NativeOperand) and atom.binding.test is Equal:
                yield from atom.binding.fields


def _unique_field_sets(plan: Plan, entity: Entity) -> Iterator[frozenset[str]]:
    """Yield the sets of fields whose values are unique to one item."""
    yield entity.base.fields
    if plan.index.is_table:
        return  # in the table, only the full primary key identifies one item
    yield from map(frozenset, entity.declaration.unique)
    identity = frozenset(entity.identity or ())
    if entity.declaration.identity is not None or (identity and _last_field(entity.base.parts) in identity):
        yield identity


def _last_field(parts: tuple[KeyPart, ...]) -> str:
    """Return the last field of a key. An identity field identifies an item only in this position."""
    names: list[str] = []
    for part in parts:
        slots = part.template.slots if isinstance(part, TemplatePart) else ()
        names += [name for slot in slots for name in slot.fields] or sorted(part.exact_fields)
    return names[-1] if names else ""


def constant_fields(plan: Plan) -> frozenset[str]:
    """Return the partition key fields to which the pattern assigns a constant."""
    bindings: list[Binding] = []
    for operand in (operand for test in plan.partition for operand in test.operands):
        atoms = operand.atoms if isinstance(operand, TextOperand) else (operand,)
        bindings += [atom.binding for atom in atoms if isinstance(atom, Encoded | NativeOperand)]
    return frozenset(name for b in bindings if isinstance(b.source, Constant) for name in b.fields)
