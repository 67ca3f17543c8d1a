"""Every pattern of every example returns the same items as a selection from all generated items."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import KeyRefused, Page, Table
from singletable.client.request_steps import Call
from singletable.errors import CollectionIncomplete, DesignBroken
from singletable.model.fields import fields_of
from singletable.model.intents import CollectionIntent, GetIntent, ItemWriteIntent
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.plan import Plan
from singletable.planner.planner import plan
from singletable.planner.stored_items import item_of, values_of
from tests import generate
from tests.client.places import Place
from tests.oracle import PlainTable
from tests.planner.test_witness import _check_order, _expected, tables

READS = [
    pytest.param(table, pattern, id=f"{table.__name__}.{pattern.name}")
    for table in tables()
    for pattern in table.design.patterns
    if not isinstance(pattern.intent, ItemWriteIntent)
]


@pytest.mark.parametrize(("table", "pattern"), READS)
def test_pattern_reads_of_every_example_return_what_brute_force_selects(
    place: Place, table: type[Table], pattern: PatternDeclaration
) -> None:
    @settings(max_examples=place.examples(max(5, settings().max_examples // 10)))
    @given(data=st.data())
    def holds(data: st.DataObject) -> None:
        _check(place, table, pattern, data)

    holds()


def _check(place: Place, table: type[Table], pattern: PatternDeclaration, data: st.DataObject) -> None:
    design = table.design
    outcome = plan(design, pattern)
    assert isinstance(outcome, Plan)
    oracle = PlainTable(design)
    with place.fresh(table, now=lambda: -1.0) as opened:
        for value in data.draw(
            st.lists(st.one_of([generate.items(entity) for entity in design.entities]), max_size=25)
        ):
            with suppress(KeyRefused):  # an empty key, which DynamoDB rejects too
                oracle.put(value)
                _store(opened, value)
        arguments = {name: data.draw(generate.argument(p), label=name) for name, p in pattern.parameters.items()}
        expected = [_seen(each, outcome) for each in _expected(oracle, design, pattern, arguments, outcome)]
        answers = [
            _answer(getattr(opened, pattern.name), arguments, outcome, expected, awaited=a) for a in (False, True)
        ]
    for answer in answers:
        if answer is not None:
            assert sorted(map(repr, answer)) == sorted(map(repr, expected))
            _check_order(answer, outcome)


def _seen(value: Any, outcome: Plan) -> Any:
    """Return the object in the form in which the pattern returns it: whole, or as its view."""
    if outcome.view is None:
        return value
    return outcome.view(**{name: getattr(value, name) for name in fields_of(outcome.view)})


def _store(opened: Table, value: Any) -> None:
    """Write an item without derived data, because these tests only read."""
    design, session = opened.design, opened._opened().session
    entity = design.entity_of(type(value))
    item = item_of(design, entity, values_of(entity, value))
    session.send(Call("PutItem", {"TableName": opened._opened().reader.name, "Item": item}))


def _answer(
    bound: Any, arguments: dict[str, Any], outcome: Plan, expected: list[Any], *, awaited: bool
) -> list[Any] | None:
    """Return the result of the pattern as a list. Return None if it raises because the items violate the design."""
    pattern = outcome.pattern
    try:
        found = asyncio.run(bound.aio(**arguments)) if awaited else bound(**arguments)
    except CollectionIncomplete:
        assert isinstance(pattern.intent, CollectionIntent)
        return None
    except DesignBroken:
        assert isinstance(pattern.intent, GetIntent)
        assert len(expected) > 1
        return None
    if found is None:
        return []
    if isinstance(found, Page):
        assert found.cursor is None
        return list(found)
    if isinstance(pattern.intent, CollectionIntent):
        members = [getattr(found, member.name) for member in outcome.members]
        flat = [each for member in members for each in (member if isinstance(member, list | tuple) else [member])]
        return [each for each in flat if each is not None]
    return found if isinstance(found, list) else [found]
