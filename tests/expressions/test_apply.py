"""What becomes of an item: every rule of SET, REMOVE, ADD and DELETE."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import RequestRefused
from singletable.expressions.apply import Update
from singletable.expressions.path_overlaps import Paths
from singletable.expressions.request import BoundUpdate, Expressions
from singletable.expressions.tree import Change, Constant, Operand, Path
from tests.expressions.trees import ITEMS, PARAMETERS, VALUES, changes, paths

PATHS = paths(["a", "b", "c"])

ITEM: dict[str, Any] = {
    "m": {"M": {"x": {"M": {"y": {"N": "1"}, "z": {"N": "2"}}}, "s": {"S": "text"}}},
    "l": {"L": [{"S": "0"}, {"S": "1"}, {"S": "2"}, {"S": "3"}]},
    "n": {"N": "5"},
    "s": {"SS": ["a", "b"]},
}


def texts(*elements: str) -> dict[str, Any]:
    return {"L": [{"S": element} for element in elements]}


def update(text: str, **values: Any) -> BoundUpdate:
    given = {f":{name}": value for name, value in values.items()}
    return Expressions(None, given or None).update(text)


# Every row was tried on DynamoDB Local; what is not named stays as it is.
@pytest.mark.parametrize(
    ("text", "values", "changed"),
    [
        ("SET q = :v", {"v": {"S": "new"}}, {"q": {"S": "new"}}),
        ("SET n = n + :v", {"v": {"N": "3"}}, {"n": {"N": "8"}}),
        ("SET n = :v - n", {"v": {"N": "3"}}, {"n": {"N": "-2"}}),
        ("SET n = if_not_exists(q, :v) + :v", {"v": {"N": "3"}}, {"n": {"N": "6"}}),
        ("SET q = n, n = :v", {"v": {"N": "3"}}, {"q": {"N": "5"}, "n": {"N": "3"}}),
        ("SET l = list_append(l, :v)", {"v": texts("4")}, {"l": texts("0", "1", "2", "3", "4")}),
        ("SET l = list_append(:v, l)", {"v": texts("4")}, {"l": texts("4", "0", "1", "2", "3")}),
        ("SET q = list_append(if_not_exists(q, :v), :v)", {"v": texts("4")}, {"q": texts("4", "4")}),
        ("SET l[1] = :v", {"v": {"S": "one"}}, {"l": texts("0", "one", "2", "3")}),
        ("SET l[9] = :v", {"v": {"S": "end"}}, {"l": texts("0", "1", "2", "3", "end")}),
        ("SET l[9] = :v, l[7] = :w", {"v": {"S": "9"}, "w": {"S": "7"}}, {"l": texts("0", "1", "2", "3", "7", "9")}),
        ("SET l[0] = l[1], l[1] = l[0]", {}, {"l": texts("1", "0", "2", "3")}),
        ("REMOVE l[0], l[2]", {}, {"l": texts("1", "3")}),
        ("REMOVE l[9]", {}, {}),
        (
            "SET l[9] = :v, l[1] = :w REMOVE l[0], l[2]",
            {"v": {"S": "nine"}, "w": {"S": "one"}},
            {"l": texts("one", "3", "nine")},
        ),
        ("REMOVE l[0], l[1], l[2], l[3]", {}, {"l": {"L": []}}),
        (
            "SET m.x.y = :v REMOVE m.x.z",
            {"v": {"S": "V"}},
            {"m": {"M": {"x": {"M": {"y": {"S": "V"}}}, "s": {"S": "text"}}}},
        ),
        ("REMOVE m.x", {}, {"m": {"M": {"s": {"S": "text"}}}}),
        ("REMOVE m.q, q", {}, {}),
        ("ADD n :v", {"v": {"N": "-5"}}, {"n": {"N": "0"}}),
        ("ADD q :v", {"v": {"N": "3"}}, {"q": {"N": "3"}}),
        ("ADD q :v", {"v": {"NS": ["1"]}}, {"q": {"NS": ["1"]}}),
        ("ADD s :v", {"v": {"SS": ["b", "c"]}}, {"s": {"SS": ["a", "b", "c"]}}),
        ("ADD l[9] :v", {"v": {"N": "1"}}, {"l": {"L": [*ITEM["l"]["L"], {"N": "1"}]}}),
        ("DELETE s :v", {"v": {"SS": ["b", "c"]}}, {"s": {"SS": ["a"]}}),
        ("DELETE s :v", {"v": {"SS": ["b", "a"]}}, {"s": None}),
        ("DELETE q :v", {"v": {"SS": ["b", "a"]}}, {}),
        ("DELETE l[9] :v", {"v": {"SS": ["b", "a"]}}, {}),
    ],
)
def test_an_item_is_changed(text: str, values: dict[str, Any], changed: dict[str, Any]) -> None:
    before = copy.deepcopy(ITEM)
    after = {name: value for name, value in (ITEM | changed).items() if value is not None}
    assert update(text, **values).apply(ITEM) == after
    assert before == ITEM


MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
INVALID_PATH = "The document path provided in the update expression is invalid for update"


@pytest.mark.parametrize(
    ("text", "values", "words"),
    [
        ("SET q = r", {}, MISSING),
        ("SET q = m.x.q", {}, MISSING),
        ("SET n = q + :v", {"v": {"N": "3"}}, MISSING),
        ("SET q = if_not_exists(q, r)", {}, MISSING),
        ("SET l = list_append(q, :v)", {"v": texts("4")}, MISSING),
        ("SET n = l + :v", {"v": {"N": "3"}}, WRONG_TYPE),
        ("SET l = list_append(n, :v)", {"v": texts("4")}, WRONG_TYPE),
        ("ADD s :v", {"v": {"N": "3"}}, WRONG_TYPE),
        ("ADD s :v", {"v": {"NS": ["3"]}}, WRONG_TYPE),
        ("ADD l[1] :v", {"v": {"N": "3"}}, WRONG_TYPE),
        ("DELETE n :v", {"v": {"NS": ["3"]}}, WRONG_TYPE),
        ("SET q.x = :v", {"v": {"N": "3"}}, INVALID_PATH),
        ("SET m.q.x = :v", {"v": {"N": "3"}}, INVALID_PATH),
        ("SET m[0] = :v", {"v": {"N": "3"}}, INVALID_PATH),
        ("SET l.x = :v", {"v": {"N": "3"}}, INVALID_PATH),
        ("SET n.x = :v", {"v": {"N": "3"}}, INVALID_PATH),
        ("SET l[9].x = :v", {"v": {"N": "3"}}, INVALID_PATH),
        ("REMOVE q.x", {}, INVALID_PATH),
        ("REMOVE l[9].x", {}, INVALID_PATH),
        ("ADD q.x :v", {"v": {"N": "3"}}, INVALID_PATH),
        ("DELETE q.x :v", {"v": {"SS": ["a"]}}, INVALID_PATH),
    ],
)
def test_an_update_that_does_not_fit_the_item_is_refused(text: str, values: dict[str, Any], words: str) -> None:
    with pytest.raises(RequestRefused) as caught:
        update(text, **values).apply(ITEM)
    assert caught.value.message == words


# The service answers with no more than the places that were touched, as the tests of ScyllaDB and ExtendDB found.
@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (
            "SET m.x.y = :v",
            {"m": {"M": {"x": {"M": {"y": {"N": "1"}}}}}},
            {"m": {"M": {"x": {"M": {"y": {"N": "9"}}}}}},
        ),
        ("SET n = :v, q = :v", {"n": {"N": "5"}}, {"n": {"N": "9"}, "q": {"N": "9"}}),
        ("SET l[1] = :v", {"l": texts("1")}, {"l": {"L": [{"N": "9"}]}}),
        ("SET l[9] = :v", {}, {}),
        ("SET q = :v REMOVE l[1]", {"l": texts("1")}, {"l": texts("2"), "q": {"N": "9"}}),
        ("SET q = :v REMOVE s", {"s": {"SS": ["a", "b"]}}, {"q": {"N": "9"}}),
    ],
)
def test_the_places_that_an_update_touches(text: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    bound = update(text, v={"N": "9"})
    assert bound.updated(ITEM) == old
    assert bound.updated(bound.apply(ITEM)) == new


@pytest.mark.parametrize(
    ("text", "extra_bytes"),
    [
        ("SET b = :v", 22),
        ("SET b = :v, c = :v", 41),
        ("SET b = :v REMOVE r", 24),
        ("SET b = :v ADD n :v", 41),
        ("SET b = :v, m.f = :v", 41),
        ("SET b = :v, l[0] = :v", 42),
        ("SET b = :v, n = n + :v", 91),
    ],
)
def test_an_update_is_measured_with_bytes_of_its_own(text: str, extra_bytes: int) -> None:
    assert update(text, v={"N": "1"}).update.extra_bytes == extra_bytes


def test_what_is_not_changed_is_shared() -> None:
    after = update("SET m.s = :v", v={"N": "9"}).apply(ITEM)
    assert after["l"] is ITEM["l"]
    assert after["m"]["M"]["x"] is ITEM["m"]["M"]["x"]


def test_an_append_is_a_set_with_list_append() -> None:
    change = Change("APPEND", Path(("l",)), Constant(texts("4")))
    assert Update([change]).apply(ITEM, {})["l"] == texts("0", "1", "2", "3", "4")


GIVEN = st.fixed_dictionaries({":p": VALUES, ":q": VALUES, ":r": VALUES})
LEAVES: st.SearchStrategy[Operand] = PATHS | PARAMETERS


@given(changes(LEAVES, PATHS), ITEMS, GIVEN)
def test_the_item_before_and_the_values_are_left_as_they_are(
    written: list[Change], item: dict[str, Any], values: dict[str, Any]
) -> None:
    taken, so_far = [], Paths()
    for change in written:
        if so_far.add(change.path) is None:
            taken.append(change)
    before = copy.deepcopy((item, values))
    try:
        after = Update(taken).apply(item, values)
    except RequestRefused:
        after = {}
    assert (item, values) == before
    touched = {change.path.attribute for change in taken}
    assert all(after[name] is item[name] for name in after if name not in touched)
