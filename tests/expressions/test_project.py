"""What a projection leaves of an item."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.expressions.evaluate import reached
from singletable.expressions.path_overlaps import Paths
from singletable.expressions.project import Projection
from singletable.expressions.request import Expressions
from singletable.expressions.tree import Path
from tests.expressions.trees import ITEMS, paths

ITEM: dict[str, Any] = {
    "m": {"M": {"x": {"M": {"y": {"N": "1"}, "z": {"N": "2"}}}, "s": {"S": "text"}}},
    "l": {"L": [{"M": {"a": {"N": "0"}, "b": {"N": "1"}}}, {"S": "1"}, {"L": [{"S": "2"}]}]},
    "n": {"N": "5"},
}


# Every row was tried on DynamoDB Local; the lists were captured against the service, as dynoxide tells.
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
def test_a_projection_leaves_what_it_names(text: str, left: dict[str, Any]) -> None:
    assert Expressions(None, None).projection(text).apply(ITEM) == left


@given(st.lists(paths(["a", "b", "c"]), max_size=5), ITEMS)
def test_every_named_value_is_left_and_the_item_as_it_is(written: list[Path], item: dict[str, Any]) -> None:
    so_far = Paths()
    taken = [path for path in written if so_far.add(path) is None]
    before = copy.deepcopy(item)
    left = Projection(taken).apply(item)
    assert item == before
    assert left.keys() == {path.attribute for path in taken if reached(item, path.steps) is not None}
    for path in taken:
        if all(isinstance(step, str) for step in path.steps):
            assert reached(left, path.steps) == reached(item, path.steps)


def test_a_projection_tells_its_attributes() -> None:
    projection = Expressions({"#x": "x-ray"}, None).projection("a, #x.b, c[0]")
    assert projection.attributes == {"a", "x-ray", "c"}
    assert projection.nested_attributes == {"x-ray", "c"}
