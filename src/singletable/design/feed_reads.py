"""Feeds as the solver needs them: one read of each entity, in the order of a column that all entities share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from singletable.key_solver.read_columns import Guess, time_of
from singletable.key_solver.workload import Read
from singletable.model.entity import Entity
from singletable.model.intents import FeedIntent
from singletable.model.parameter_types import Between, Equal, Since, Until
from singletable.model.pattern_declaration import ParameterDeclaration, PatternDeclaration
from singletable.planner.formatting import format_list

_RANGES = (Between, Since, Until)
_DECLARE = "Declare the keys of its entities yourself."


@dataclass(frozen=True)
class FeedColumns:
    """The columns of a feed: for each entity, the column of the order, and the parameters of the partition."""

    order: tuple[str, ...]
    partition: tuple[ParameterDeclaration, ...]
    is_range: bool


def feed_columns(
    pattern: PatternDeclaration, entities: Sequence[Entity], guess: Guess
) -> FeedColumns | tuple[str, str]:
    """Return the columns of a feed, or why no key can serve it, with a remedy."""
    assert isinstance(pattern.intent, FeedIntent), "the caller passes a feed"
    ranges = [each for each in pattern.bound_parameters if each.test is not Equal]
    partition = tuple(each for each in pattern.bound_parameters if each.test is Equal)
    if len(ranges) > 1 or any(each.test not in _RANGES for each in ranges):
        return f"it has a range on {format_list([each.name for each in ranges])} that a feed cannot have", _DECLARE
    order = _shared_order(pattern, entities, ranges[0] if ranges else None, guess)
    if isinstance(order, tuple):
        return FeedColumns(order, partition, bool(ranges))
    return order, "Give each entity a datetime field, or sort in your code."


def _shared_order(
    pattern: PatternDeclaration, entities: Sequence[Entity], ranged: ParameterDeclaration | None, guess: Guess
) -> tuple[str, ...] | str:
    """Return the column of each entity that orders the feed, or the reason if they share none."""
    assert isinstance(pattern.intent, FeedIntent), "the caller passes a feed"
    if ranged is None and pattern.intent.descending:
        return _same_numbers(entities)
    names: list[str] = []
    for entity in entities:
        is_own = ranged is not None and ranged.name in entity.fields
        name = ranged.name if ranged is not None and is_own else time_of(pattern, entity, guess)
        if name is None or entity.fields[name].optional:
            return f"{entity.label} has no time that every item has, so the items have no common order"
        names.append(name)
    kinds = {entity.fields[name].type for entity, name in zip(entities, names, strict=True)}
    if len(kinds) == 1 and kinds <= {datetime, date}:
        return tuple(names)
    columns = [f"{entity.label}.{name}" for entity, name in zip(entities, names, strict=True)]
    return f"{format_list(columns)} have different types, so one sort key cannot order them"


def _same_numbers(entities: Sequence[Entity]) -> tuple[str, ...] | str:
    """Return the one field besides times and identities that all entities have with the same type."""
    names = [
        name
        for name, own in entities[0].fields.items()
        if own.type not in (datetime, date)
        and name not in (entities[0].identity or ())
        and all(name in each.fields and each.fields[name].type == own.type for each in entities)
        and not any(each.fields[name].optional for each in entities)
        and own.type in (int, float)
    ]
    if len(names) == 1:
        return tuple(names * len(entities))
    return "no single number field orders the items of all entities"


def feed_reads(
    pattern: PatternDeclaration,
    entities: Sequence[Entity],
    columns: FeedColumns,
    partitions: Sequence[tuple[str, ...]],
) -> tuple[Read, ...]:
    """Return the read of each entity of a feed, with its partition and the column of the order."""
    assert isinstance(pattern.intent, FeedIntent), "the caller passes a feed"
    feed = tuple(sorted(each.label for each in entities))
    return tuple(
        Read(
            pattern.name,
            frozenset(partition),
            first,
            columns.is_range,
            strong=pattern.intent.consistent,
            rate=pattern.calls_per_second,
            partition=partition,
            collection=pattern.name,
            feed=feed,
        )
        for first, partition in zip(columns.order, partitions, strict=True)
    )
