"""The witness check: runs every read on random items on the embedded engine, and compares the results with a filter."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from singletable.client.open_table import open_table
from singletable.client.table import Table
from singletable.conformance.random_values import random_arguments, random_object
from singletable.errors import ArgumentRefused, CollectionIncomplete, KeyRefused, SingletableError
from singletable.model.design import Design
from singletable.model.entity import Entity, declaration_of
from singletable.model.fields import fields_of
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    FeedIntent,
    GetIntent,
    ItemWriteIntent,
    Page,
    QueryIntent,
    WithinIntent,
)
from singletable.model.keys import NativePart
from singletable.model.parameter_binding import bindings_for
from singletable.model.parameter_types import Equal, Nearest, Present, holds
from singletable.model.pattern_declaration import LIMIT, PatternDeclaration
from singletable.planner.key_texts import reference_field
from singletable.planner.operands import predicate_of
from singletable.planner.plan import Outcome, Plan
from singletable.planner.planner import plan


@dataclass(frozen=True)
class WitnessDifference:
    """A call whose result differs from a filter over all items, with the seed that repeats it."""

    pattern: str
    arguments: Mapping[str, Any]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        parts = [f"missing {each}" for each in self.missing] + [f"unexpected {each}" for each in self.unexpected]
        return f"{self.pattern}({given}), seed {self.seed}: {'; '.join(parts)}"


@dataclass(frozen=True)
class WitnessReport:
    """The calls that were compared, by pattern, the differences, and the patterns that were not compared."""

    items: int
    calls: Mapping[str, int]
    differences: tuple[WitnessDifference, ...]
    not_compared: Mapping[str, str] = field(default_factory=dict)
    """The reason by pattern."""

    @property
    def passes(self) -> bool:
        """Whether every call returned exactly the items that the filter selects."""
        return not self.differences


def witness(design: Design, *, seed: int = 0, items: int = 60, calls: int = 12) -> WitnessReport:
    """Store random items in a table in memory, call every read with random arguments, and compare the results.

    The filter over all items uses only the declarations of a pattern, not the keys or the plan.
    """
    chance = random.Random(seed)  # noqa: S311  # repeatable test data
    table = Table()
    opened = vars(table)["_open"] = open_table(design, "memory:", {"create": True, "name": "witness"})
    _store(chance, design, table, items)
    stored = list(table.scan(reason="the witness check compares results with all items"))
    differences, counts, reasons = list[WitnessDifference](), Counter[str](), dict[str, str]()
    for pattern in design.patterns:
        outcome = plan(design, pattern)
        reason = _not_comparable(design, outcome)
        if reason is not None or not isinstance(outcome, Plan):
            reasons[pattern.name] = reason or "no request serves it"
            continue
        for _ in range(calls):
            arguments = random_arguments(chance, pattern.parameters, stored)
            try:
                found = _result(opened, outcome, arguments)
            except (ArgumentRefused, KeyRefused, CollectionIncomplete):
                continue  # no key contains such an argument, or a required member is not stored
            except SingletableError as problem:
                if isinstance(pattern.intent, GetIntent) and len(_expected(design, outcome, stored, arguments)) > 1:
                    continue  # random items have equal values in fields that identify an item, such as an email
                differences.append(WitnessDifference(pattern.name, arguments, (), (f"{problem}",), seed))
                continue
            counts[pattern.name] += 1
            expected = _expected(design, outcome, stored, arguments)
            wrong = _difference(outcome, arguments, found, expected, seed)
            differences += [] if wrong is None else [wrong]
    table.close()
    return WitnessReport(len(stored), counts, tuple(differences), reasons)


def _store(chance: random.Random, design: Design, table: Table, items: int) -> None:
    """Store random items of all entities, each with a different identity.

    Items with copies take the copied values from a stored source item.
    """
    objects: dict[type, list[Any]] = {each.cls: [] for each in design.entities}
    known: dict[type, set[tuple[Any, ...]]] = {each.cls: set() for each in design.entities}
    for number in range(items):
        entity = design.entities[number % len(design.entities)]
        if entity.declaration.mirror_of is not None:
            continue  # a write of the original stores the mirrored item
        values: dict[str, Any] = {}
        for copy in entity.declaration.copies:
            if source := objects.get(copy.source):
                chosen = chance.choice(source)
                names = {**copy.by, **copy.fields}
                values |= {ours: getattr(chosen, theirs) for theirs, ours in names.items()}
        value = random_object(chance, entity, number, values)
        same = tuple(getattr(value, name, None) for name in entity.identity or ())
        if value is None or same in known[entity.cls]:
            continue
        known[entity.cls] |= {same} if same else set()
        # An empty key, a value that is taken, or a missing source of a copy: such an item is not stored.
        with suppress(SingletableError, KeyError, ValueError):
            table.put(value)
            objects[entity.cls].append(value)


def _not_comparable(design: Design, outcome: Outcome) -> str | None:
    intent = outcome.pattern.intent
    if isinstance(intent, ItemWriteIntent):
        return "it is a write"
    if not isinstance(outcome, Plan):
        return None
    if getattr(intent, "filter", None) is not None:
        return "a filter is not compared"
    if isinstance(intent, CollectionIntent):
        takes_limit = LIMIT in outcome.pattern.parameters and not isinstance(intent, FeedIntent)
        if intent.limit is not None or takes_limit:
            return "a collection with a limit is not compared"
        members = [entity for _, entity in design.members(intent)]
        unknown = [each.label for each in members if _member_fields(outcome.pattern, each, members) is None]
        return f"no parameter names a field of {unknown[0]}" if unknown else None
    if isinstance(intent, QueryIntent) and isinstance(intent.limit, int):
        return "a limit in the pattern is not compared"
    return None


def _result(opened: Any, outcome: Outcome, arguments: Mapping[str, Any]) -> list[Any]:
    """Return all objects that a call returns, on all pages."""
    bound = outcome.pattern.signature.bind(None, **arguments)
    bound.apply_defaults()
    given = {name: value for name, value in bound.arguments.items() if name != "self"}
    if isinstance(outcome.pattern.intent, QueryIntent | FeedIntent):
        return list(opened.every(outcome, given, None))
    return list(_objects(opened.run_pattern(outcome, given, None)))


def _objects(found: Any) -> Iterator[Any]:
    """Yield the objects of a result: one object, a page, a list, or the shape of a collection."""
    if found is None:
        return
    if isinstance(found, Page | list | tuple):
        yield from found
    else:
        yield found


def _expected(design: Design, outcome: Plan, stored: Sequence[Any], arguments: Mapping[str, Any]) -> list[Any]:
    pattern, intent = outcome.pattern, outcome.pattern.intent
    if isinstance(intent, CollectionIntent):
        return list(_members(design, outcome, intent, stored, arguments))
    assert isinstance(intent, GetIntent | QueryIntent | WithinIntent | AncestorsIntent)
    entity = design.entity_of(intent.entity)
    own = [each for each in stored if type(each) is entity.cls]
    if isinstance(intent, AncestorsIntent):
        path = next(value for value in arguments.values() if isinstance(value, tuple))
        name = next(name for name, value in arguments.items() if isinstance(value, tuple))
        ways = [{**arguments, name: path[:length]} for length in range(1, len(path) + 1)]
        return [each for way in ways for each in own if _holds(pattern, entity, each, way)]
    return [each for each in own if _holds(pattern, entity, each, arguments)]


def _holds(pattern: PatternDeclaration, entity: Entity, value: Any, arguments: Mapping[str, Any]) -> bool:
    """Return whether an object has the values that the arguments and the fixed conditions of a pattern require."""
    for binding in bindings_for(pattern, entity)[0]:
        found = [getattr(value, name) for name in binding.fields]
        if any(each is None for each in found):
            return False
        if binding.test is Present:
            continue
        if not holds(predicate_of(binding, arguments), found[0] if len(found) == 1 else found):
            return False
    return True


def _member_fields(pattern: PatternDeclaration, entity: Entity, members: Sequence[Entity]) -> dict[str, str] | None:
    """Return, for each parameter of a collection, the field of this member that must have its value.

    This is the reference to another member that the parameter identifies, the field with its name, or the identity.
    """
    identity = entity.identity or ()
    found: dict[str, str] = {}
    for each in pattern.bound_parameters:
        others = [other for other in members if other is not entity and other.identity == (each.name,)]
        references = [reference_field(other, each.name, entity) for other in others]
        if reference := next(filter(None, references), None):
            found[each.name] = reference
        elif each.name in entity.fields:
            found[each.name] = each.name
        elif len(identity) == 1:
            found[each.name] = identity[0]
        else:
            return None
    return found


def _members(
    design: Design,
    outcome: Plan,
    intent: CollectionIntent,
    stored: Iterable[Any],
    arguments: Mapping[str, Any],
) -> Iterator[Any]:
    """Yield the stored objects that a call of a collection must return, in any order."""
    members = [entity for _, entity in design.members(intent)]
    ranges = [each.name for each in outcome.pattern.bound_parameters if each.test is not Equal]
    tests = {name: arguments[name] for name in ranges}
    for entity in members:
        fields = _member_fields(outcome.pattern, entity, members) or {}
        if isinstance(intent, FeedIntent):
            fields |= dict.fromkeys(ranges, _feed_column(outcome, entity))
        for value in stored:
            if type(value) is entity.cls and all(
                holds(tests.get(given, Equal(arguments[given])), getattr(value, name)) for given, name in fields.items()
            ):
                yield value


def _difference(
    outcome: Plan,
    arguments: Mapping[str, Any],
    found: Sequence[Any],
    expected: Sequence[Any],
    seed: int,
) -> WitnessDifference | None:
    pattern = outcome.pattern
    view = getattr(pattern.intent, "view", None)
    shown = list(found) if view is not None else [part for each in found for part in _parts(each)]
    have, want = (Counter(_text(each, view) for each in values) for values in (shown, expected))
    if any(isinstance(value, Nearest) for value in arguments.values()):
        have, want = have & want, want & have  # equal distances have no defined order
    missing, unexpected = tuple((want - have).elements()), tuple((have - want).elements())
    if not missing and not unexpected:
        if _is_ordered(outcome, shown):
            return None
        unexpected = ("items that are not in the declared order",)
    return WitnessDifference(pattern.name, arguments, missing, unexpected, seed)


def _text(value: Any, view: type | None) -> str:
    """Return an object as text. For a view, return only its fields."""
    return repr(value if view is None else {name: getattr(value, name) for name in fields_of(view)})


def _is_ordered(outcome: Plan, found: Sequence[Any]) -> bool:
    """Return whether the items follow `order_by=`, or the column of the feed."""
    intent = outcome.pattern.intent
    if isinstance(intent, FeedIntent):
        columns = {each.cls: _feed_column(outcome, each) for each in outcome.entities}
        values = [getattr(each, columns[type(each)]) for each in found]
        return values == sorted(values, reverse=intent.is_reversed)
    if not isinstance(intent, QueryIntent) or intent.order_by is None:
        return True
    if not all(hasattr(each, str(intent.order_by.steps[0])) for each in found):
        return True  # the view does not contain the field of the order
    column = [getattr(each, str(intent.order_by.steps[0])) for each in found]
    return column == sorted(column, reverse=intent.is_reversed)


def _feed_column(outcome: Plan, entity: Entity) -> str:
    """Return the field by which the sort key of an entity orders a feed."""
    (part, *_) = entity.placements[outcome.index.alias].sort
    bound = {each.name for each in outcome.pattern.bound_parameters if each.test is Equal}
    if isinstance(part, NativePart):
        return part.field.name
    return next(name for slot in part.template.slots for name in slot.fields if name not in bound)


def _parts(value: Any) -> Iterator[Any]:
    """Yield the entity objects inside the shape of a collection, or the object itself."""
    members = getattr(type(value), "__annotations__", {})
    if declaration_of(type(value)) is not None or not members:
        yield value
        return
    for name in members:
        inner = getattr(value, name)
        yield from inner if isinstance(inner, list | tuple) else () if inner is None else (inner,)
