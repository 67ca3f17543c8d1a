"""The reads of patterns as the solver needs them: columns of equalities, ranges and orders, or exact partition keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from singletable.key_solver.workload import Read
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.codecs.text_codec import ORDERED_DELIMITER
from singletable.model.derived.bucket import Bucket
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.derived.tree_path import Depth
from singletable.model.entity import Entity
from singletable.model.fields import Field
from singletable.model.intents import AncestorsIntent, GetIntent, QueryIntent, WithinIntent
from singletable.model.parameter_binding import Binding, bindings_for
from singletable.model.parameter_types import (
    AREA_TYPES,
    Between,
    Children,
    Equal,
    Prefix,
    Present,
    Since,
    Subtree,
    Until,
)
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.key_proposals import free_name
from singletable.planner.key_source import quoted

_RANGES = (Between, Since, Until, Prefix, Subtree, Children)
Guess = Callable[[str], None]


@dataclass(frozen=True)
class SkippedPattern:
    """A pattern for which the solver chooses no keys, with the reason and a remedy."""

    pattern: str
    reason: str
    remedy: str = ""


@dataclass
class DerivedColumns:
    """The derived values of one entity that keys can contain: declared ones, and those that the design adds."""

    entity: Entity
    values: dict[str, DerivedValue] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)
    """The Python source of each added value."""

    def cell(self) -> str:
        """Return the name of the geohash cell. A model with an area but without such a cell does not compile."""
        declared = self.entity.declaration.derived.items()
        name, value = next((name, value) for name, value in declared if isinstance(value, GeohashCell))
        self.values[name] = value
        return name

    def level(self, path: str) -> str:
        """Return the name of the depth of a path. Add the value if the entity does not declare it."""
        value = Depth((path,))
        known = next((name for name, each in self.entity.declaration.derived.items() if each == value), None)
        name = known or free_name(self.entity, "level")
        self.values[name] = value
        if known is None:
            self.added[name] = f"depth({quoted(path)})"
        return name

    def bucket(self, field: str) -> str | None:
        """Return the name of the declared time bucket of a field, or None if there is none."""
        declared = self.entity.declaration.derived.items()
        found = [(name, value) for name, value in declared if isinstance(value, Bucket) and value.fields == (field,)]
        for name, value in found[:1]:
            self.values[name] = value
            return name
        return None

    def made_of(self, names: frozenset[str]) -> frozenset[str]:
        """Return the derived values of which all fields are among these names."""
        return frozenset(name for name, value in self.values.items() if set(value.fields) <= names)

    def depends_on(self, names: frozenset[str]) -> frozenset[str]:
        """Return the derived values of which a field is among these names."""
        return frozenset(name for name, value in self.values.items() if names & set(value.fields))


def read_of(
    pattern: PatternDeclaration,
    intent: GetIntent | QueryIntent | WithinIntent | AncestorsIntent,
    entity: Entity,
    derived: DerivedColumns,
    guess: Guess,
    *,
    fan_out: bool = False,
) -> Read | SkippedPattern:
    """Return the read of a pattern of one entity, or why no single key can serve it.

    If it may be several Queries, a range of times is one Query for each declared time bucket.
    """
    bindings, _ = bindings_for(pattern, entity)
    equal = fields_with(bindings, Equal)
    if isinstance(intent, WithinIntent):
        return _fixed(pattern, (*_ordered(entity, equal), derived.cell()))
    if isinstance(intent, AncestorsIntent):
        # The path from the root gives the key of each ancestor, and only the table can be read by whole keys.
        return Read(pattern.name, equal, single=True, by_key=True, rate=pattern.calls_per_second)
    ranges = [each for each in bindings if each.test not in (Equal, Present)]
    order = _order(pattern, intent, entity, ranges, guess)
    problem = _range_problem(ranges, order) or _key_problem(entity, bindings, order)
    if problem is not None:
        return SkippedPattern(pattern.name, *problem)
    if ranges and ranges[0].test is Children:
        path = ranges[0].fields[0]
        return _fixed(pattern, (*_ordered(entity, equal), derived.level(path)), path)
    first = ranges[0].fields[0] if ranges else order
    read = Read(
        pattern.name,
        equal,
        first,
        bool(ranges),
        fields_with(bindings, Present),
        intent.consistent,
        isinstance(intent, GetIntent),
        pattern.calls_per_second,
    )
    may_fan_out = fan_out or (pattern.options.fanout or 1) > 1
    if may_fan_out and ranges and ranges[0].test is Between and (bucket := derived.bucket(ranges[0].fields[0])):
        partition = (*_ordered(entity, equal), bucket)
        return replace(read, equal=frozenset(partition), partition=partition)
    return read


def _fixed(pattern: PatternDeclaration, partition: tuple[str, ...], first: str | None = None) -> Read:
    """Return a read whose partition key has a fixed form, because the planner computes its values."""
    return Read(
        pattern.name,
        frozenset(partition),
        first,
        first is not None,
        rate=pattern.calls_per_second,
        partition=partition,
    )


def _ordered(entity: Entity, names: frozenset[str]) -> list[str]:
    return [name for name in entity.fields if name in names]


def fields_with(bindings: tuple[Binding, ...], test: type) -> frozenset[str]:
    """Return the fields to which a pattern applies this test."""
    return frozenset(name for each in bindings if each.test is test for name in each.fields)


def _order(
    pattern: PatternDeclaration, intent: GetIntent | QueryIntent, entity: Entity, ranges: list[Binding], guess: Guess
) -> str | None:
    if not isinstance(intent, QueryIntent):
        return None
    if intent.order_by is not None:
        return str(intent.order_by.steps[0])
    if not intent.newest_first or ranges:
        return None
    return time_of(pattern, entity, guess)


def time_of(pattern: PatternDeclaration, entity: Entity, guess: Guess) -> str | None:
    """Return the field by which newest first sorts: the first time field that every item has."""
    times = [each.name for each in entity.fields.values() if _is_time(each)]
    if len(times) > 1:
        others = " or ".join(times[1:])
        guess(
            f"{pattern.name}: newest first by {times[0]}. "
            f"If you mean {others}, add order_by=lambda item: item.{times[1]}."
        )
    return times[0] if times else None


def _range_problem(ranges: list[Binding], order: str | None) -> tuple[str, str] | None:
    """Return why one sort key cannot serve the ranges and the order."""
    names = [name for each in ranges for name in each.fields]
    if any(each.test in AREA_TYPES or each.test not in _RANGES for each in ranges):
        return "it has a range that no sort key serves", "Use within(...) for an area."
    if len(names) > 1:
        return (
            f"it has ranges on {' and '.join(names)}, but a sort key serves only one of them",
            f"Filter by {names[1]} with filter=.",
        )
    if names and order not in (None, names[0]):
        return (
            f"it has a range on {names[0]} and the order of {order}, but a sort key serves only one of them"
        ), "Sort in your code."
    return None


def _key_problem(entity: Entity, bindings: tuple[Binding, ...], order: str | None) -> tuple[str, str] | None:
    """Return why a field cannot be part of a key."""
    names = [name for each in bindings if each.test is not Present for name in each.fields]
    for name in (*names, *([order] if order is not None else [])):
        field = entity.fields[name]
        try:
            choose_codec(field.type, "", ORDERED_DELIMITER, field.codecs)
        except ValueError as problem:
            return f"{name} cannot be part of a key: {problem}", "Store a text for it in a separate field."
    return None


def _is_time(field: Field) -> bool:
    return field.type in (datetime, date) and not field.optional
