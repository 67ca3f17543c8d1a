"""Projections: applying them to items, overlapping paths, parsing and errors."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.expressions.bound_expressions import Expressions
from singletable.expressions.evaluate import value_at
from singletable.expressions.projection import DistinctPaths, PathProjection, parse_projection
from singletable.expressions.tree import Path
from tests.expressions.error_messages import error_message
from tests.expressions.trees import ITEMS, paths

ITEM: dict[str, Any] = {
    "m": {"M": {"x": {"M": {"y": {"N": "1"}, "z": {"N": "2"}}}, "s": {"S": "text"}}},
    "l": {"L": [{"M": {"a": {"N": "0"}, "b": {"N": "1"}}}, {"S": "1"}, {"L": [{"S": "2"}]}]},
    "n": {"N": "5"},
}


# Every row was tried on DynamoDB Local; the dynoxide project captured the lists against the service.
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("n", {"n": {"N": "5"}}),
        ("n, q", {"n": {"N": "5"}}),
        ("q", {}),
        ("m.s", {"m": {"M": {"s": {"S": "text"}}}}),
        ("m.x.y, m.s", {"m": {"M": {"x": {"M": {"y": {"N": "1"}}}, "s": {"S": "text"}}}}),
        ("m.q, n", {"n": {"N": "5"}}),
        ("m[0], n.x, l.x", {}),
        ("l[2], l[1]", {"l": {"L": [{"S": "1"}, {"L": [{"S": "2"}]}]}}),
        ("l[0].a, l[0].b", {"l": {"L": [{"M": {"a": {"N": "0"}, "b": {"N": "1"}}}]}}),
        ("l[0].q, l[7], l[1]", {"l": {"L": [{"S": "1"}]}}),
        ("l[2][0]", {"l": {"L": [{"L": [{"S": "2"}]}]}}),
        ("l[2][3]", {}),
    ],
)
def test_a_projection_returns_its_paths(text: str, left: dict[str, Any]) -> None:
    assert Expressions(None, None).projection(text).apply(ITEM) == left


@given(st.lists(paths(["a", "b", "c"]), max_size=5), ITEMS)
def test_a_projection_returns_every_path_and_does_not_change_the_item(
    written: list[Path], item: dict[str, Any]
) -> None:
    so_far = DistinctPaths()
    taken = [path for path in written if so_far.add(path) is None]
    before = copy.deepcopy(item)
    left = PathProjection(taken).apply(item)
    assert item == before
    assert left.keys() == {path.attribute for path in taken if value_at(item, path.steps) is not None}
    for path in taken:
        if all(isinstance(step, str) for step in path.steps):
            assert value_at(left, path.steps) == value_at(item, path.steps)


def test_a_projection_knows_its_attributes() -> None:
    projection = Expressions({"#x": "x-ray"}, None).projection("a, #x.b, c[0]")
    assert projection.attributes == {"a", "x-ray", "c"}
    assert projection.nested_attributes == {"x-ray", "c"}


def kinds_of_trouble(one: Path, other: Path) -> str | None:
    for mine, others in zip(one.steps, other.steps, strict=False):
        if isinstance(mine, int) != isinstance(others, int):
            return "conflict"
        if mine != others:
            return None
    return "overlap"


@given(st.lists(paths(["a", "b"]), max_size=6))
def test_a_projection_path_is_added_unless_it_overlaps_or_conflicts_with_another(written: list[Path]) -> None:
    added, so_far = DistinctPaths(), list[Path]()
    for path in written:
        troubles = {kinds_of_trouble(path, other) for other in so_far} - {None}
        words = added.add(path)
        assert (words is None) == (not troubles)
        if words is None:
            so_far.append(path)
        else:
            assert any(f" {trouble} with each other" in words for trouble in troubles)


@given(paths(["a", "b"]), paths(["a", "b"]), st.lists(paths(["c", "d"]), max_size=3))
def test_the_error_for_overlapping_projection_paths_shows_both(one: Path, other: Path, others: list[Path]) -> None:
    if kinds_of_trouble(one, other) is None:
        return
    added = DistinctPaths()
    for path in [*others, other]:
        added.add(path)
    words = added.add(one) or ""
    shown = [[f"[{step}]" if isinstance(step, int) else str(step) for step in path.steps] for path in (one, other)]
    assert words.endswith(f"path one: [{', '.join(shown[0])}], path two: [{', '.join(shown[1])}]")


OVERLAP = "Two document paths overlap with each other; must remove or rewrite one of these paths; "
CONFLICT = "Two document paths conflict with each other; must remove or rewrite one of these paths; "


def test_a_projection_is_parsed() -> None:
    read = parse_projection("ProjectionExpression", "a, #x.b[0] ,c [ 1 ] . d", {"#x": "x-ray"})
    assert read.paths == (Path(("a",)), Path(("x-ray", "b", 0)), Path(("c", 1, "d")))
    assert read.used_names == {"#x"}
    assert read.nested_attributes == {"x-ray", "c"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,", 'Syntax error; token: "<EOF>", near: ","'),
        ("a b", 'Syntax error; token: "b", near: "a b"'),
        (":n", 'Syntax error; token: ":n", near: ":n"'),
        ("a, #zz, status", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("#zz", "An expression attribute name used in the document path is not defined; attribute name: #zz"),
        ("a, a", f"{OVERLAP}path one: [a], path two: [a]"),
        ("a, #a.b", f"{OVERLAP}path one: [a], path two: [a, b]"),
        ("a.b, a", f"{OVERLAP}path one: [a, b], path two: [a]"),
        ("a[0], a.b", f"{CONFLICT}path one: [a, [0]], path two: [a, b]"),
        ("a.b.c, a.b, x, x", f"{OVERLAP}path one: [x], path two: [x]"),
        (f"a{'[0]' * 32}", "The document path has too many nesting levels; nesting levels: 33"),
    ],
)
def test_an_invalid_projection_is_rejected(text: str, words: str) -> None:
    assert error_message("ProjectionExpression", text) == words


def test_a_projection_may_have_several_parts_of_one_attribute() -> None:
    assert error_message("ProjectionExpression", "a.b, a.c[0], a.c[1], #b") is None
