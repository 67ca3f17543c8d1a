"""Random models without keys: every pattern that the search claims to serve is planned, with the right items."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from operator import attrgetter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from singletable import (
    Between,
    DesignError,
    Page,
    Prefix,
    Since,
    Until,
    collection,
    entity,
    field,
    get,
    put,
    query,
    update,
)
from singletable.conformance.witness import witness
from singletable.design.designed_table import DesignedTable, design_table
from singletable.design.model_workload import DesignOptions
from singletable.errors import KeyRefused, Location
from singletable.model.design import Design, compile_design
from singletable.model.intents import ItemWriteIntent
from singletable.model.pattern_declaration import PatternDeclaration, PatternOptions, declare_pattern
from singletable.model.table_schema import TableSettings
from singletable.planner.explanation import explain
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.planner.trims import trim_tests
from singletable.verify.design_check import check
from tests import generate
from tests.oracle import PlainTable
from tests.planner.test_witness import _expected, _kept

pytestmark = pytest.mark.slow

COLUMNS: dict[str, Any] = {"id": str, "a": str, "b": str, "n": int, "t": datetime, "o": str | None}
RANGES: dict[str, tuple[Any, ...]] = {
    "a": (Prefix, Since),
    "b": (Prefix, Until),
    "n": (Between, Since),
    "t": (Between, Until),
}
RULES_OF_KEYS = {"ST101", "ST102", "ST103", "ST105", "ST111", "ST124", "ST125"}
"""Findings about keys, which chosen keys never have."""


def declared(
    name: str, hints: Mapping[str, Any], result: Any, body: Callable[[Any], Any], fanout: int | None = None
) -> PatternDeclaration:
    """Return a pattern whose parameters have these types."""

    def function(self: Any, **arguments: Any) -> Any:
        return body(arguments)

    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY) for each in hints]
    function.__name__ = name
    function.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
    function.__annotations__ = {**hints, "return": result}
    return declare_pattern(function, PatternOptions(fanout=fanout))


def page_of(cls: Any) -> Any:
    return Page[cls]


@st.composite
def reads(draw: st.DrawFn, cls: Any, name: str) -> PatternDeclaration:
    """Return a get by the identity, or a query by some columns, with a range or an order."""
    if draw(st.integers(0, 3)) == 0:
        return declared(name, {"id": str}, cls | None, lambda _: get(cls))
    equal = draw(st.lists(st.sampled_from(["a", "b", "n", "o"]), unique=True, min_size=1, max_size=3))
    hints = {each: str if each == "o" else COLUMNS[each] for each in equal}
    rest = [each for each in RANGES if each not in equal]
    strong = draw(st.integers(0, 4)) == 0
    shown = draw(st.lists(st.sampled_from(["a", "n", "o"]), unique=True, max_size=2))
    view: Any = None
    if draw(st.integers(0, 3)) == 0:
        view = dataclasses.make_dataclass("View", [(each, COLUMNS[each]) for each in ("id", *shown)])
    result = page_of(view or cls)
    if draw(st.booleans()) and rest:
        ranged = draw(st.sampled_from(rest))
        hints[ranged] = draw(st.sampled_from(RANGES[ranged]))[COLUMNS[ranged]]
        return declared(name, hints, result, lambda _: query(cls, view=view, consistent=strong))
    order = draw(st.sampled_from([None, "n", "t"]))
    if order is None or order in equal:
        return declared(name, hints, result, lambda _: query(cls, view=view, consistent=strong))
    by_order = attrgetter(order)
    return declared(name, hints, result, lambda _: query(cls, view=view, order_by=by_order, consistent=strong))


@st.composite
def writes(draw: st.DrawFn, cls: Any, name: str, fanout: int | None) -> PatternDeclaration:
    """Return a put, or an update by the identity, which may read the item first with `fanout=2`."""
    if draw(st.booleans()):
        return declared(name, {"item": cls}, cls, lambda _: put(cls))
    changed = draw(st.sampled_from(["a", "b", "n", "o"]))
    hints = {"id": str, "new": str if changed == "o" else COLUMNS[changed]}
    change = field(cls, lambda item: getattr(item, changed))
    others = [each for each in ("a", "b") if each != changed]
    if changed == "o" and draw(st.booleans()):
        return declared(name, {"id": str}, cls, lambda _: update(cls, change.remove()), fanout)
    if draw(st.booleans()):
        return declared(name, hints, cls, lambda arguments: update(cls, change.set(arguments["new"])), fanout)
    known = draw(st.sampled_from(others))  # the caller also passes the current value of another field
    return declared(
        name,
        {**hints, known: COLUMNS[known]},
        cls,
        lambda arguments: update(
            cls, change.set(arguments["new"]), where=lambda item: getattr(item, known) == arguments[known]
        ),
        fanout,
    )


@st.composite
def feeds(draw: st.DrawFn, classes: list[Any]) -> PatternDeclaration:
    """Return a page of items of two entities in the order of their times, of all items or by a column."""
    hints: dict[str, Any] = dict.fromkeys(draw(st.lists(st.sampled_from(["a", "b"]), unique=True)), str)
    if draw(st.booleans()):
        hints["t"] = draw(st.sampled_from(RANGES["t"]))[datetime]
    newest_first = draw(st.booleans())
    one, other = classes
    return declared("mixed", hints, page_of(one | other), lambda _: query(one, other, newest_first=newest_first))


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """Return one to three entities with the same columns, up to four reads each, writes and a collection.

    The entity outside the collection can sort between its members.
    """
    names = draw(st.permutations(("First", "Second", "Third")))
    classes: list[Any] = [
        entity()(dataclasses.make_dataclass(name, list(COLUMNS.items()), frozen=True))
        for name in names[: draw(st.integers(1, 3))]
    ]
    patterns: list[PatternDeclaration] = []
    fanout = draw(st.sampled_from([None, 2]))
    for cls in classes:
        label = cls.__name__.lower()
        patterns += [draw(reads(cls, f"{label}_read{number}")) for number in range(draw(st.integers(1, 4)))]
        patterns += [draw(writes(cls, f"{label}_write{number}", fanout)) for number in range(draw(st.integers(0, 2)))]
    if len(classes) > 1 and draw(st.booleans()):
        members = [(each.__name__.lower(), list[each]) for each in classes[:2]]  # type: ignore[valid-type]
        shape = dataclasses.make_dataclass("Shape", members)
        by = draw(st.sampled_from(["a", "o"]))
        patterns.append(declared("together", {by: str}, shape | None, lambda _: collection(shape)))
    if len(classes) > 1 and draw(st.booleans()):
        patterns.append(draw(feeds(classes[:2])))
    try:
        return compile_design(TableSettings("Random", Location("random", 1)), classes, patterns)
    except DesignError:
        assume(False)
        raise


@settings(max_examples=int(os.environ.get("DESIGNS", "60")))
@given(design=designs(), data=st.data())
def test_designed_random_tables_serve_every_pattern_with_the_right_items(design: Design, data: st.DataObject) -> None:
    options = DesignOptions(fan_out=data.draw(st.booleans()), multi_attribute=data.draw(st.booleans()))
    table = design_table(design, options)
    _check_promises(table)
    report = witness(table.after, seed=data.draw(st.integers(0, 99)), items=24, calls=3)
    assert report.passes, "\n".join(map(str, report.differences))
    outcomes = [each for each in table.outcomes if isinstance(each, Plan)]
    whole = [each for each in outcomes if each.view is None]  # the witness check compares views
    reads_of_one = [each for each in whole if not isinstance(each.pattern.intent, ItemWriteIntent)]
    if reads_of_one:
        _check_result(table.after, data.draw(st.sampled_from(reads_of_one)), data)


def _check_promises(table: DesignedTable) -> None:
    """Check that only rejected patterns have no plan, and that the chosen keys cause no findings."""
    left_out = {each.name for each in table.solution.rejected} | {each.pattern for each in table.model.skipped}
    for outcome in table.outcomes:
        if isinstance(outcome, UnsupportedPattern):
            assert outcome.pattern.name in left_out, outcome.reason
        else:
            assert outcome.verdict.is_served, outcome.pattern.name
            assert not outcome.other_entities, f"{outcome.pattern.name} reads other entities"
    found = {each.code for each in check(table.after).findings}
    assert not found & RULES_OF_KEYS


def _check_result(design: Design, outcome: Plan, data: st.DataObject) -> None:
    """Compare the result with a filter over all items."""
    stored = PlainTable(design)
    items = st.one_of([generate.items(each) for each in design.entities])
    for value in data.draw(st.lists(items, max_size=15)):
        with suppress(KeyRefused, KeyError):  # an empty key, or a table key without its field, is never stored
            stored.put(value)
    parameters = outcome.pattern.parameters.items()
    arguments = {name: data.draw(generate.argument(each), label=name) for name, each in parameters}
    try:
        explanation = explain(design, outcome, outcome.pattern.signature.bind(None, **arguments))
    except KeyRefused:
        return  # an argument that no key can contain selects no items
    tests = trim_tests(outcome, arguments)
    found = stored.run(explanation.requests, lambda item: _kept(item, outcome, arguments, tests))
    expected = _expected(stored, design, outcome.pattern, arguments, outcome)
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
