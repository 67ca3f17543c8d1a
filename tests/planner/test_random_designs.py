"""Random entities, templates and patterns: whatever the planner serves, it serves right, and it names all it reads."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from singletable import (
    Between,
    Children,
    DesignError,
    KeyRefused,
    Page,
    Prefix,
    Since,
    Subtree,
    Until,
    depth,
    entity,
    first_letter,
    inverse,
    parent,
    query,
    shard,
    sparse,
)
from singletable.errors import Location
from singletable.model.design import Design, compile_declarations, compile_design
from singletable.model.entity import declaration_of
from singletable.model.parameter_binding import bindings_for
from singletable.model.parameter_types import Equal, holds
from singletable.model.pattern_declaration import PatternDeclaration, PatternOptions, declare_pattern
from singletable.model.table_schema import Sparse, TableSettings
from singletable.planner.explanation import explain
from singletable.planner.key_proposals import propose_keys
from singletable.planner.operands import predicate_of
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.planner.planner import plan
from singletable.planner.trims import trim_tests
from tests import generate
from tests.oracle import PlainTable

pytestmark = pytest.mark.slow

Path = tuple[str, ...]
FIELDS: dict[str, Any] = {
    "a": str,
    "b": str,
    "n": int,
    "t": datetime,
    "d": date,
    "k": Literal["x", "xy"],
    "p": Path,
    "o": str | None,
}
SLOTS = (
    *("{a}", "{b}", "{n}", "{n:03d}", "{n:number}", "{t:seconds}", "{t:seconds:desc}", "{d}", "{d:%d-%m-%Y}", "{k}"),
    *("{t}", "{t:days}", "{t:hours:desc}", "{t:%d-%m-%Y}", "{d:%Y-%m}"),
    *("{o}", "{shard}", "{letter}", "{parent}", "level={level}", "v{a}", "v{n:03d}", "{a:raw}"),
)
LAST_SLOTS = ("{p}", "{b:raw}")
LITERALS = ("A", "AB", "B", "META", "x", "v1")

slots = st.sampled_from(SLOTS)
segments = st.sampled_from(LITERALS) | slots


@st.composite
def templates(draw: st.DrawFn) -> str:
    """A template of one to three segments; what may hold the delimiter stands last."""
    parts = draw(st.lists(segments, min_size=1, max_size=3))
    if draw(st.integers(0, 3)) == 0:
        parts.append(draw(st.sampled_from(LAST_SLOTS)))
    return "#".join(parts)


keys = st.tuples(templates(), templates())


@st.composite
def entity_classes(draw: st.DrawFn, name: str, delimiter: str) -> type:
    """A dataclass with the same fields as every other, and keys of its own."""

    def pair() -> tuple[str, str]:
        partition, sort = draw(keys)
        return partition.replace("#", delimiter), sort.replace("#", delimiter)

    cls = dataclasses.make_dataclass(name, list(FIELDS.items()), frozen=True)
    indexes: dict[str, Any] = {}
    for alias in ("gsi1", "gsi2"):
        if draw(st.booleans()):
            indexes[alias] = sparse(*pair())
    if draw(st.booleans()):
        indexes["lsi1"] = draw(templates()).replace("#", delimiter)
    derived = {"shard": shard("a", of=2), "letter": first_letter("b"), "parent": parent("p"), "level": depth("p")}
    return entity(key=pair(), derived=derived, identity=(), **indexes)(cls)


RANGES: dict[str, tuple[type, ...]] = {
    "a": (Prefix, Since),
    "b": (Prefix, Until, Between),
    "n": (Between, Since, Until),
    "t": (Between, Since, Until),
    "d": (Between, Since),
    "p": (Subtree, Children),
}


@st.composite
def chosen_fields(draw: st.DrawFn, cls: type) -> list[str]:
    """Mostly the fields of one of the entity's keys in order, so that many patterns can be served."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.lists(st.sampled_from(list(FIELDS)), unique=True, max_size=4))
    declaration = declaration_of(cls)
    assert declaration is not None
    alias = draw(st.sampled_from([alias for alias in declaration.keys if alias != "lsi1"]))
    given = declaration.keys[alias]
    partition, sort = given.keys if isinstance(given, Sparse) else given
    needed, further = _slot_fields(partition), _slot_fields(sort)
    return list(dict.fromkeys([*needed, *further[: draw(st.integers(0, len(further)))]]))


def _slot_fields(template: str) -> list[str]:
    derived = {"shard": "a", "letter": "b", "parent": "p", "level": "p"}
    return [derived.get(name, name) for name in re.findall(r"{(\w+)", template)]


@st.composite
def patterns(draw: st.DrawFn, cls: type) -> PatternDeclaration:
    """A query of the entity by some fields, some of them by range."""
    hints: dict[str, Any] = {}
    names = draw(chosen_fields(cls))
    for number, name in enumerate(names):
        kind = str if name == "o" else FIELDS[name]
        ranged = name in RANGES and number == len(names) - 1 and draw(st.booleans())
        hints[name] = draw(st.sampled_from(RANGES[name]))[kind] if ranged else kind  # type: ignore[index]
    order = draw(st.sampled_from([None, "n", "t", "a", "p"]))
    newest_first = draw(st.booleans())
    order_by = None if order is None else (lambda item: getattr(item, order))

    def body(_self: Any, **_: Any) -> Any:
        return query(cls, order_by=order_by, newest_first=newest_first and order is not None)

    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in hints]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    body.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
    body.__annotations__ = {**hints, "return": Page[cls]}  # type: ignore[valid-type]
    return declare_pattern(body, PatternOptions(fanout=1000))


@dataclass(frozen=True)
class Case:
    """A design with one pattern over its first entity."""

    design: Design
    pattern: PatternDeclaration


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Random entities in one table."""
    delimiter = draw(st.sampled_from(["#", "#", "#", "|", "-"]))
    classes = [
        draw(entity_classes(name, delimiter)) for name in ("First", "Second", "Third")[: draw(st.integers(1, 3))]
    ]
    pattern = draw(patterns(classes[0]))
    indexes = (inverse("edges"),) if draw(st.booleans()) else ()
    table = TableSettings("Random", Location("random", 1), indexes=indexes, delimiter=delimiter)
    try:
        return Case(compile_design(table, classes, [pattern]), pattern)
    except DesignError:
        assume(False)
        raise


@given(case=cases(), data=st.data())
@settings(max_examples=600)
def test_the_planner_supports_a_pattern_of_a_random_design_only_if_it_returns_the_right_items(
    case: Case, data: st.DataObject
) -> None:
    outcome = plan(case.design, case.pattern)
    if isinstance(outcome, UnsupportedPattern):
        event("refused")
        proposed = propose_keys(case.design, case.pattern)
        if proposed is None:
            return
        event("refused, keys proposed")
        declarations = [
            proposed.declaration if known.cls is proposed.entity.cls else known
            for known in (declaration_of(e.cls) for e in case.design.entities)
            if known is not None
        ]
        design = compile_declarations(case.design.settings, declarations, [case.pattern])
        outcome = plan(design, case.pattern)
        assert isinstance(outcome, Plan)
        _check(design, case.pattern, outcome, data)
        return
    event("served" if outcome.queries == 1 else "fan-out")
    _check(case.design, case.pattern, outcome, data)


def _check(design: Design, pattern: PatternDeclaration, outcome: Plan, data: st.DataObject) -> None:
    table = PlainTable(design)
    for value in data.draw(st.lists(st.one_of([generate.items(each) for each in design.entities]), max_size=20)):
        with suppress(KeyRefused, KeyError):  # an empty key, or a base key without its field: never stored
            table.put(value)
    arguments = {name: data.draw(generate.argument(p), label=name) for name, p in pattern.parameters.items()}
    try:
        explanation = explain(design, outcome, pattern.signature.bind(None, **arguments))
    except KeyRefused:
        return  # an argument that no key can hold selects nothing
    wanted = outcome.entities[0]
    read = table.run(explanation.requests, lambda item: True)
    named = {each.cls for each in (*outcome.entities, *outcome.other_entities)}
    assert {type(value) for value in read} <= named, "the range held an entity that the plan does not name"
    tests = trim_tests(outcome, arguments).get(wanted.name, ())
    own = [value for value in read if type(value) is wanted.cls]
    answer = [value for value in own if all(holds(test.predicate, getattr(value, test.field)) for test in tests)]
    expected = [value for value in table.values(wanted) if _holds(design, pattern, value, arguments)]
    assert sorted(map(repr, answer)) == sorted(map(repr, expected))
    _check_order(answer, outcome)


def _holds(design: Design, pattern: PatternDeclaration, value: Any, arguments: Mapping[str, Any]) -> bool:
    for binding in bindings_for(pattern, design.entity_of(type(value)))[0]:
        (name,) = binding.fields
        found = getattr(value, name)
        if found is None or not holds(predicate_of(binding, arguments), found):
            return False
    return True


def _check_order(answer: list[Any], outcome: Plan) -> None:
    words = outcome.order
    if not words or words == "key order":
        return
    names = [name for name in FIELDS if words.startswith(f"by {name}")]
    for name in names:
        column = [getattr(value, name) for value in answer]
        assert column == sorted(column, reverse=words.endswith("descending"))


def test_the_planner_oracle_supports_every_parameter_type() -> None:
    assert {test for tests in RANGES.values() for test in tests} | {Equal} >= {Between, Since, Until, Prefix, Subtree}
