"""Every plan of every example, filled with generated items, selects what a brute-force filter over all of them does."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import KeyRefused, Table
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import (
    AncestorsIntent,
    CollectionIntent,
    GetIntent,
    ItemWriteIntent,
    QueryIntent,
    WithinIntent,
)
from singletable.model.parameter_binding import bindings_for
from singletable.model.parameter_types import Between, Present, Since, Until, holds
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.explanation import explain
from singletable.planner.operands import predicate_of
from singletable.planner.plan import Plan
from singletable.planner.planner import plan
from singletable.planner.trims import TrimTests, trim_tests
from tests import generate
from tests.oracle import Item, PlainTable, passes
from tests.planner.edges import Edges, ThinEdges
from tests.planner.forest import Forest

pytestmark = pytest.mark.slow

MODULES = (
    "customers.model",
    "commerce.model",
    "commerce.status_in_key",
    "papers.model",
    "shop.model",
    "shop.sharded",
    "guide.model",
    "guide.accounts",
)

# In a collection a parameter carries the name of one member's field; this is the field of the others.
SAME_FIELD = {
    ("order_id", "Order"): "id",
    ("order_id", "OrderDetails"): "id",
    ("customer_id", "Customer"): "id",
    ("user_id", "User"): "id",
    ("paper_id", "Paper"): "id",
}

TIMES = (
    "created_at",
    "placed_at",
    "placed_on",
    "open_since",
    "joined_on",
    "changed_at",
    "at",
    "published",
    "written_at",
)
OTHER_TIMES = {"open_orders": ("placed_on",)}
"""What an entity is not sorted by, where it has two times."""


def tables() -> Iterator[type[Table]]:
    """Every table of every example."""
    for name in MODULES:
        module = importlib.import_module(f"examples.{name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Table) and value is not Table:
                yield value
    yield from (Forest, Edges, ThinEdges)


READS = [
    pytest.param(table.design, pattern, id=f"{table.__name__}.{pattern.name}")
    for table in tables()
    for pattern in table.design.patterns
    if not isinstance(pattern.intent, ItemWriteIntent)
]


@pytest.mark.parametrize(("design", "pattern"), READS)
@given(data=st.data())
def test_the_planner_selects_what_brute_force_selects(
    design: Design, pattern: PatternDeclaration, data: st.DataObject
) -> None:
    table = PlainTable(design)
    for value in data.draw(st.lists(st.one_of([generate.items(entity) for entity in design.entities]), max_size=25)):
        _put(table, value)
    arguments = {name: data.draw(generate.argument(p), label=name) for name, p in pattern.parameters.items()}
    outcome = plan(design, pattern)
    assert isinstance(outcome, Plan)
    explanation = explain(design, outcome, pattern.signature.bind(None, **arguments))
    tests = trim_tests(outcome, arguments)
    answer = table.run(explanation.requests, lambda item: _kept(item, outcome, arguments, tests))
    assert sorted(map(repr, answer)) == sorted(map(repr, _expected(table, design, pattern, arguments, outcome)))
    _check_order(answer, outcome)


def _put(table: PlainTable, value: Any) -> None:
    with suppress(KeyRefused):  # an empty key; DynamoDB would refuse it too
        table.put(value)


def _kept(item: Item, outcome: Plan, arguments: Mapping[str, Any], tests: TrimTests) -> bool:
    """What the client keeps of an answer: the entities asked for, the exact times, the filter, the distance."""
    if item.entity not in outcome.entities:
        return False
    if not all(holds(test.predicate, getattr(item.value, test.field)) for test in tests.get(item.entity.name, ())):
        return False
    if not passes(outcome.filter, item.value, arguments):
        return False
    return not isinstance(outcome.pattern.intent, WithinIntent) or _holds(
        item.entity, item.value, outcome.pattern, arguments
    )


def _holds(entity: Entity, value: Any, pattern: PatternDeclaration, arguments: Mapping[str, Any]) -> bool:
    for binding in bindings_for(pattern, entity)[0]:
        found = [getattr(value, name) for name in binding.fields]
        if any(each is None for each in found):
            return False
        if binding.test is Present:
            continue  # no argument says it
        if not holds(predicate_of(binding, arguments), found[0] if len(found) == 1 else found):
            return False
    return True


def _expected(
    table: PlainTable, design: Design, pattern: PatternDeclaration, arguments: Mapping[str, Any], outcome: Plan
) -> list[Any]:
    intent = pattern.intent
    if isinstance(intent, CollectionIntent):
        return _expected_collection(table, design, pattern, intent, arguments)
    assert isinstance(intent, GetIntent | QueryIntent | WithinIntent | AncestorsIntent)
    entity = design.entity_of(intent.entity)
    if isinstance(intent, AncestorsIntent):
        path = arguments["path"]
        ways = [{**arguments, "path": path[:length]} for length in range(1, len(path) + 1)]
        return [each for way in ways for each in table.values(entity) if _holds(entity, each, pattern, way)]
    condition = None if isinstance(intent, GetIntent) else intent.filter
    matching = [value for value in table.values(entity) if _holds(entity, value, pattern, arguments)]
    return [value for value in matching if passes(condition, value, arguments)]


def _expected_collection(
    table: PlainTable,
    design: Design,
    pattern: PatternDeclaration,
    intent: CollectionIntent,
    arguments: Mapping[str, Any],
) -> list[Any]:
    found: list[Any] = []
    for member, entity in design.members(intent):
        own = [
            value
            for value in table.values(entity)
            if all(
                _matches(argument, getattr(value, SAME_FIELD.get((name, entity.label), name)))
                for name, argument in arguments.items()
            )
        ]
        if member.kind == "many" and isinstance(intent.limit, int):
            assert pattern.name == "user_with_recent_orders"
            singles = len([v for m, e in design.members(intent) if m.kind != "many" for v in _of(table, e, arguments)])
            # Without the profile the limit of six reads six orders; the client cuts the list, the request does not.
            extra = 1 - singles
            own = sorted(own, key=lambda order: (order.placed_at, order.id))[::-1][: intent.limit + extra]
        found += own
    return found


def _matches(argument: Any, value: Any) -> bool:
    """Return whether a value equals the argument of a pattern, or is in its range."""
    return holds(argument, value) if isinstance(argument, Between | Since | Until) else bool(value == argument)


def _of(table: PlainTable, entity: Entity, arguments: Mapping[str, Any]) -> list[Any]:
    return [value for value in table.values(entity) if value.id == arguments["user_id"]]


def _check_order(answer: list[Any], outcome: Plan) -> None:
    """The answer is in the order that the plan claims."""
    fields = {name: name for entity in outcome.entities for name in entity.fields}
    words = outcome.order
    if not answer or outcome.members or not words or isinstance(outcome.pattern.intent, WithinIntent):
        return
    if words == "root first":
        lengths = [len(value.path) for value in answer]
        assert lengths == sorted(lengths)
        return
    times = [name for name in fields if name in TIMES]
    others = OTHER_TIMES.get(outcome.pattern.name, ())
    times = [name for name in times if name not in others] or times
    name = times[0] if "first" in words else words.removeprefix("by ").removesuffix(", descending")
    unit = outcome.order_unit
    name = name.partition(",")[0]
    column = [_truncated(getattr(value, name), unit) for value in answer]
    backwards = "newest" in words or "descending" in words
    assert column == sorted(column, reverse=backwards), f"not {words}"


def _truncated(value: Any, unit: str | None) -> Any:
    """Return a time without what is finer than a unit; the order within the unit follows the rest of the key."""
    places = (
        {"second": {"microsecond": 0}, "millisecond": {"microsecond": value.microsecond // 1000 * 1000}} if unit else {}
    )
    return value if unit is None else value.replace(**places[unit])
