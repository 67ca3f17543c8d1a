"""How many items a Query reads, of each entity in its range, and what of that is a guess."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from singletable.model.entity import Entity
from singletable.planner.item_sizes import Sizes
from singletable.planner.narrowing import fixes_key, names_one, narrows
from singletable.planner.plan import Plan

TYPICAL_ITEMS = 10


class Examined(NamedTuple):
    """The items of one entity that a call reads, and whether they were asked for."""

    entity: Entity
    items: int
    is_wanted: bool = True


def examined(sizes: Sizes, plan: Plan, guessed: dict[str, None], scale: float) -> list[Examined]:
    """How many items of each entity are read, by what the pattern or the entity declares; guesses are added.

    Each of several Queries reads a partition of its own, and as far as the limit, since any of them may hold the first.
    """
    queries = queries_of(plan)
    counts = _declared(sizes, plan, scale) or [_found(sizes, plan, i, guessed, scale) for i in range(len(plan.wanted))]
    found = [Examined(entity, items) for entity, items in zip(plan.wanted, counts, strict=True)]
    return found + [
        Examined(other, per_partition(sizes, plan, other, guessed, scale, queries), False) for other in plan.foreign
    ]


def queries_of(plan: Plan) -> int:
    """How many Queries a call is, or is declared to be at most."""
    return plan.queries or plan.pattern.options.fanout or 1


def in_vain(plan: Plan, found: Sequence[Examined], scale: float) -> int:
    """Items of other entities, those that a filter discards, and what each of several Queries reads up to the limit."""
    options, limit = plan.pattern.options, _usual_limit(plan)
    wanted = sum(each.items for each in found if each.is_wanted)
    kept = wanted
    if options.expected_examined is not None and options.expected_items is not None:
        kept = scaled(options.expected_items, scale)
    elif limit is not None and plan.spreads:
        kept = limit
    return sum(each.items for each in found) - min(wanted, kept)


def per_partition(
    sizes: Sizes, plan: Plan, entity: Entity, guessed: dict[str, None], scale: float, queries: int = 1
) -> int:
    """How many items the Queries of a pattern find, each in a partition of its own.

    What is declared lies in every partition. A guess is one of how long a list is, however many shards it is cut into:
    more of them make it no longer.
    """
    if (few := _few(plan, entity, queries)) is not None:
        return few
    where = f"a partition of {plan.index.spoken}" if queries == 1 else f"{queries:,} partitions of {plan.index.spoken}"
    whole = "" if queries == 1 else " together"
    declared = sizes.expected_in(entity, plan.index)
    if declared is None:
        guessed[f"{TYPICAL_ITEMS} items of {entity.label} in {where}{whole}"] = None
        return scaled(TYPICAL_ITEMS, scale)
    items = queries * scaled(declared, scale)
    if narrows(plan) and items > queries:
        guessed[f"all {items:,} items of {entity.label} in {where}{whole}, of which a part is asked for"] = None
    return items


def scaled(items: int, scale: float) -> int:
    """A number of items where collections are so many times as large as expected."""
    return items if scale == 1.0 else max(1, round(items * scale))


def _declared(sizes: Sizes, plan: Plan, scale: float) -> list[int]:
    """What the pattern says of all that it reads, divided among the lists of a collection; empty where it is silent."""
    options = plan.pattern.options
    declared = options.expected_examined if options.expected_examined is not None else options.expected_items
    if declared is None:
        return []
    if not plan.members:
        return [scaled(declared, scale)]
    counts = [0 if member.kind == "many" else 1 for member in plan.members]
    expected = [sizes.expected_in(entity, plan.index) for entity in plan.wanted]
    lists = [i for i, count in enumerate(counts) if not count]
    known = [each for i in lists if (each := expected[i])]
    weights = known if len(known) == len(lists) else [1] * len(lists)
    for i, share in zip(lists, _divided(scaled(declared, scale) - sum(counts), weights), strict=True):
        counts[i] = share
    return counts


def _divided(total: int, weights: list[int]) -> list[int]:
    """A number in parts as large as the weights say, which are that number together."""
    shares, left = [], max(0, total)
    for done, weight in enumerate(weights):
        shares.append(round(left * weight / sum(weights[done:])))
        left -= shares[-1]
    return shares


def _found(sizes: Sizes, plan: Plan, i: int, guessed: dict[str, None], scale: float) -> int:
    entity, queries, limit = plan.wanted[i], queries_of(plan), _usual_limit(plan)
    if plan.members and plan.members[i].kind != "many":
        return 1
    if limit is None:
        return per_partition(sizes, plan, entity, guessed, scale, queries)
    if sizes.expected_in(entity, plan.index) is None and _few(plan, entity, queries) is None:
        return queries * limit
    counted: dict[str, None] = {}
    items = per_partition(sizes, plan, entity, counted, scale, queries)
    if items < queries * limit:
        guessed |= counted
    return min(items, queries * limit)


def _few(plan: Plan, entity: Entity, queries: int) -> int | None:
    """How many items can be found where the key condition names them; None where it does not."""
    if names_one(plan, entity):
        return 1
    return queries if fixes_key(plan) else None


def _usual_limit(plan: Plan) -> int | None:
    """The limit that the body fixes, or the one a caller gets by leaving it out."""
    if plan.limit is None:
        return None
    if isinstance(plan.limit.count, int):
        return plan.limit.count
    default = plan.pattern.signature.parameters[plan.limit.count.name].default
    return default if isinstance(default, int) else None
