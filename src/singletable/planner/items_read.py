"""Estimate how many items of each entity a Query reads, and name the guesses in the estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from singletable.expressions.tree import Constant
from singletable.model.entity import Entity
from singletable.model.intents import CollectionIntent, GetIntent
from singletable.model.keys import KeyPart, TemplatePart
from singletable.model.parameter_binding import Binding
from singletable.model.parameter_types import Equal
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.operands import Encoded, FixedText, KeyComparison, NativeOperand, TextOperand
from singletable.planner.plan import Plan

TYPICAL_ITEMS = 10
"""The assumed number of items in a partition when nothing is declared."""


class EntityCount(NamedTuple):
    """How many items of one entity a call reads, and whether the pattern returns them."""

    entity: Entity
    items: int
    is_returned: bool = True


def count_items_read(sizes: ItemSizes, plan: Plan, guessed: dict[str, None], scale: float) -> list[EntityCount]:
    """Return how many items of each entity a call reads, from the declared numbers; add guesses to `guessed`.

    Each Query of a fan-out reads one partition up to the limit, because any partition may contain the first items.
    """
    queries = query_count(plan)
    counts = _declared(sizes, plan, scale) or [
        _found(sizes, plan, i, guessed, scale) for i in range(len(plan.entities))
    ]
    found = [EntityCount(entity, items) for entity, items in zip(plan.entities, counts, strict=True)]
    return found + [
        EntityCount(other, items_per_partition(sizes, plan, other, guessed, scale, queries), False)
        for other in plan.other_entities
    ]


def query_count(plan: Plan) -> int:
    """Return the number of Queries per call, or the declared maximum."""
    return plan.queries or plan.pattern.options.fanout or 1


def count_wasted_items(plan: Plan, found: Sequence[EntityCount], scale: float) -> int:
    """Count the items read but not returned: other entities, filtered items, and items beyond the limit."""
    options, limit = plan.pattern.options, _usual_limit(plan)
    matching = sum(each.items for each in found if each.is_returned)
    returned = matching
    if options.expected_examined is not None and options.expected_items is not None:
        returned = scaled(options.expected_items, scale)
    elif limit is not None and plan.fan_outs:
        returned = limit
    return sum(each.items for each in found) - min(matching, returned)


def items_per_partition(
    sizes: ItemSizes, plan: Plan, entity: Entity, guessed: dict[str, None], scale: float, queries: int = 1
) -> int:
    """Return how many items of an entity the Queries of a pattern find together; each Query reads one partition.

    A declared number applies to every partition. A guess applies to the whole list, even if the list has several
    shards.
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
    """Scale the number of items in a collection."""
    return items if scale == 1.0 else max(1, round(items * scale))


def _declared(sizes: ItemSizes, plan: Plan, scale: float) -> list[int]:
    """Return the number of items that the pattern declares, divided among its lists; empty when it declares none."""
    options = plan.pattern.options
    declared = options.expected_examined if options.expected_examined is not None else options.expected_items
    if declared is None:
        return []
    if not plan.members:
        return [scaled(declared, scale)]
    counts = [0 if member.kind == "many" else 1 for member in plan.members]
    expected = [sizes.expected_in(entity, plan.index) for entity in plan.entities]
    lists = [i for i, count in enumerate(counts) if not count]
    known = [each for i in lists if (each := expected[i])]
    weights = known if len(known) == len(lists) else [1] * len(lists)
    for i, share in zip(lists, _divided(scaled(declared, scale) - sum(counts), weights), strict=True):
        counts[i] = share
    return counts


def _divided(total: int, weights: list[int]) -> list[int]:
    """Divide a number into parts proportional to the weights."""
    shares, left = [], max(0, total)
    for done, weight in enumerate(weights):
        shares.append(round(left * weight / sum(weights[done:])))
        left -= shares[-1]
    return shares


def _found(sizes: ItemSizes, plan: Plan, i: int, guessed: dict[str, None], scale: float) -> int:
    entity, queries, limit = plan.entities[i], query_count(plan), _usual_limit(plan)
    if plan.members and plan.members[i].kind != "many":
        return 1
    if limit is None:
        return items_per_partition(sizes, plan, entity, guessed, scale, queries)
    if sizes.expected_in(entity, plan.index) is None and _few(plan, entity, queries) is None:
        return queries * limit
    counted: dict[str, None] = {}
    items = items_per_partition(sizes, plan, entity, counted, scale, queries)
    if items < queries * limit:
        guessed |= counted
    return min(items, queries * limit)


def _few(plan: Plan, entity: Entity, queries: int) -> int | None:
    """Return the number of items when the key condition determines it, otherwise None."""
    if finds_one_item(plan, entity):
        return 1
    return queries if has_full_key(plan) else None


def _usual_limit(plan: Plan) -> int | None:
    """Return the fixed limit of the pattern, or the default of its limit parameter."""
    if plan.limit is None:
        return None
    if isinstance(plan.limit.count, int):
        return plan.limit.count
    default = plan.pattern.signature.parameters[plan.limit.count.name].default
    return default if isinstance(default, int) else None


def finds_one_item(plan: Plan, entity: Entity) -> bool:
    """Whether all Queries of a plan together find at most one item of an entity."""
    intent = plan.pattern.intent
    if isinstance(intent, CollectionIntent) or entity is not plan.entities[0]:
        return False  # the key condition of a collection uses fields of several entities
    if isinstance(intent, GetIntent) or (has_full_key(plan) and not plan.fan_outs):
        return True
    fixed = frozenset(_fixed(plan.tests))
    return any(fields <= fixed for fields in _unique_field_sets(plan, entity))


def has_full_key(plan: Plan) -> bool:
    """Whether each Query has the full primary key and so finds at most one item."""
    has_sort = len(plan.sort) == len(plan.index.key_attributes) - len(plan.partition)
    return plan.index.is_table and has_sort and all(test.operator == "=" for test in plan.sort)


def narrows_partition(plan: Plan) -> bool:
    """Whether a parameter restricts the Query to part of the partition."""
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
    """Yield sets of fields whose values are unique to one item."""
    yield entity.base.fields
    if plan.index.is_table:
        return  # in the table, only the full primary key fixes one item
    yield from map(frozenset, entity.declaration.unique)
    identity = frozenset(entity.identity or ())
    if entity.declaration.identity is not None or (identity and _last_field(entity.base.parts) in identity):
        yield identity


def _last_field(parts: tuple[KeyPart, ...]) -> str:
    """Return the last field of a key; only an identity field in this position identifies an item."""
    names: list[str] = []
    for part in parts:
        slots = part.template.slots if isinstance(part, TemplatePart) else ()
        names += [name for slot in slots for name in slot.fields] or sorted(part.exact_fields)
    return names[-1] if names else ""


def constant_fields(plan: Plan) -> frozenset[str]:
    """Return the partition key fields that the pattern fixes to a constant."""
    bindings: list[Binding] = []
    for operand in (operand for test in plan.partition for operand in test.operands):
        atoms = operand.atoms if isinstance(operand, TextOperand) else (operand,)
        bindings += [atom.binding for atom in atoms if isinstance(atom, Encoded | NativeOperand)]
    return frozenset(name for b in bindings if isinstance(b.source, Constant) for name in b.fields)
