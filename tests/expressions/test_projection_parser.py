"""Projections as paths, and what DynamoDB refuses of them."""

from __future__ import annotations

import pytest

from singletable.expressions.projection_parser import parse_projection
from singletable.expressions.tree import Path
from tests.expressions.refused import refusal

OVERLAP = "Two document paths overlap with each other; must remove or rewrite one of these paths; "
CONFLICT = "Two document paths conflict with each other; must remove or rewrite one of these paths; "


def test_a_projection_is_read() -> None:
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
def test_a_projection_is_refused(text: str, words: str) -> None:
    assert refusal("ProjectionExpression", text) == words


def test_parts_of_one_attribute_may_stand_side_by_side() -> None:
    assert refusal("ProjectionExpression", "a.b, a.c[0], a.c[1], #b") is None
