"""Ranges: the plain meaning of every test on a field, beside which plans are checked."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.model.areas import Box, Nearest, Radius
from singletable.model.ranges import (
    Between,
    Children,
    Equal,
    Predicate,
    Prefix,
    Present,
    Since,
    Subtree,
    Until,
    holds,
)

ROME, NEAR_ROME, MILAN = (41.9, 12.5), (41.9, 12.51), (45.46, 9.19)


@pytest.mark.parametrize(
    ("predicate", "inside", "outside"),
    [
        (Equal(3), [3], [2, None]),
        (Between(2, 4), [2, 3, 4], [1, 5]),
        (Between(4, 2), [], [1, 2, 3, 4, 5]),
        (Since(3), [3, 9], [2]),
        (Until(3), [3, -9], [4]),
        (Prefix("eng"), ["eng", "engineering"], ["en", "Eng", ""]),
        (Prefix(""), ["", "a"], []),
        (
            Subtree(("a", "b")),
            [("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")],
            [("a",), ("a", "bc"), ("b", "a", "b")],
        ),
        (Subtree(()), [("a",), ("a", "b")], []),
        (Children(("a",)), [("a", "b"), ("a", "bc")], [("a",), ("a", "b", "c"), ("b", "a")]),
        (Children(()), [("a",)], [("a", "b")]),
        (Present(), [0, "", False, ()], [None]),
        (Radius(*ROME, 1000), [ROME, NEAR_ROME], [MILAN]),
        (Radius(*ROME, 0), [ROME], [NEAR_ROME]),
        (Nearest(*ROME, 1, meters=1000), [ROME, NEAR_ROME], [MILAN]),
        (Box(*ROME, *NEAR_ROME), [ROME, NEAR_ROME], [MILAN]),
        (Box(-1, 179, 1, -179), [(0, 180), (1, -180), (-1, 179), (0.5, -179)], [(0, 0), (2, 180), (0, 178.9)]),
    ],
)
def test_a_test_holds_for_what_it_says(predicate: Predicate, inside: list[Any], outside: list[Any]) -> None:
    assert [value for value in inside if not holds(predicate, value)] == []
    assert [value for value in outside if holds(predicate, value)] == []
