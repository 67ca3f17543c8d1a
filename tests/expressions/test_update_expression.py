"""Updates: every rule of SET, REMOVE, ADD and DELETE, parsing and errors."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import RequestRefused
from singletable.expressions.bound_expressions import BoundUpdate, Expressions
from singletable.expressions.projection import DistinctPaths
from singletable.expressions.tree import Arithmetic, Change, Constant, Function, Operand, Parameter, Path
from singletable.expressions.update_expression import ItemUpdate, parse_update
from tests.expressions.error_messages import error_message
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


# Every row was tried on DynamoDB Local; attributes that are not listed do not change.
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
def test_an_update_expression_changes_an_item(text: str, values: dict[str, Any], changed: dict[str, Any]) -> None:
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
def test_an_update_expression_that_does_not_fit_the_item_is_rejected(
    text: str, values: dict[str, Any], words: str
) -> None:
    with pytest.raises(RequestRefused) as caught:
        update(text, **values).apply(ITEM)
    assert caught.value.message == words


# The service returns only the changed parts, according to the tests of ScyllaDB and ExtendDB.
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
def test_an_update_expression_returns_the_parts_that_it_changes(
    text: str, old: dict[str, Any], new: dict[str, Any]
) -> None:
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
def test_the_size_of_an_update_expression_includes_extra_bytes(text: str, extra_bytes: int) -> None:
    assert update(text, v={"N": "1"}).update.extra_bytes == extra_bytes


def test_an_update_expression_shares_unchanged_values() -> None:
    after = update("SET m.s = :v", v={"N": "9"}).apply(ITEM)
    assert after["l"] is ITEM["l"]
    assert after["m"]["M"]["x"] is ITEM["m"]["M"]["x"]


def test_an_update_expression_appends_by_a_set_with_list_append() -> None:
    change = Change("APPEND", Path(("l",)), Constant(texts("4")))
    assert ItemUpdate([change]).apply(ITEM, {})["l"] == texts("0", "1", "2", "3", "4")


GIVEN = st.fixed_dictionaries({":p": VALUES, ":q": VALUES, ":r": VALUES})
LEAVES: st.SearchStrategy[Operand] = PATHS | PARAMETERS


@given(changes(LEAVES, PATHS), ITEMS, GIVEN)
def test_an_update_expression_changes_neither_the_old_item_nor_the_values(
    written: list[Change], item: dict[str, Any], values: dict[str, Any]
) -> None:
    taken, so_far = [], DistinctPaths()
    for change in written:
        if so_far.add(change.path) is None:
            taken.append(change)
    before = copy.deepcopy((item, values))
    try:
        after = ItemUpdate(taken).apply(item, values)
    except RequestRefused:
        after = {}
    assert (item, values) == before
    touched = {change.path.attribute for change in taken}
    assert all(after[name] is item[name] for name in after if name not in touched)


A, B, C, V, W = Path(("a",)), Path(("b",)), Path(("c",)), Parameter(":v"), Parameter(":w")


def if_not_exists(path: Path, other: Operand) -> Function:
    return Function("if_not_exists", (path, other))


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("SET a = :v", [Change("SET", A, V)]),
        ("set a=:v,b=a", [Change("SET", A, V), Change("SET", B, A)]),
        ("SET a = b + :v", [Change("SET", A, Arithmetic("+", B, V))]),
        ("SET a = (b - :v)", [Change("SET", A, Arithmetic("-", B, V))]),
        ("SET a = ((b) - (:v))", [Change("SET", A, Arithmetic("-", B, V))]),
        ("SET a = (b)", [Change("SET", A, B)]),
        ("SET a = b-c", [Change("SET", A, Arithmetic("-", B, C))]),
        ("SET a = if_not_exists(b, :v) + :w", [Change("SET", A, Arithmetic("+", if_not_exists(B, V), W))]),
        ("SET a = if_not_exists(b, if_not_exists(c, :v))", [Change("SET", A, if_not_exists(B, if_not_exists(C, V)))]),
        (
            "SET a = (list_append(if_not_exists(a, :v), (:w)))",
            [Change("SET", A, Function("list_append", (if_not_exists(A, V), W)))],
        ),
        ("REMOVE a, b[1].#x", [Change("REMOVE", A), Change("REMOVE", Path(("b", 1, "x-ray")))]),
        ("ADD a :v, b :w", [Change("ADD", A, V), Change("ADD", B, W)]),
        ("delete a :v", [Change("DELETE", A, V)]),
        (
            "REMOVE c ADD b :w SET a = :v",
            [Change("REMOVE", C), Change("ADD", B, W), Change("SET", A, V)],
        ),
    ],
)
def test_an_update_expression_is_parsed(text: str, changes: list[Change]) -> None:
    assert list(parse_update("UpdateExpression", text, {"#x": "x-ray"}).changes) == changes


OVERLAP = "Two document paths overlap with each other; must remove or rewrite one of these paths; "
CONFLICT = "Two document paths conflict with each other; must remove or rewrite one of these paths; "
MISUSED = "The function is not allowed to be used this way in an expression; function: list_append"


# Every row was tried on DynamoDB Local; many are in the tests of dynalite, which ran them against the service.
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SET a = ((:n))", "The expression has redundant parentheses;"),
        ("SET a = ((:n + :n)) REMOVE", "The expression has redundant parentheses;"),
        ("SET a = foo(status)", "Invalid function name; function: foo"),
        ("SET status = foo(a)", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("SET a = size(b)", "The function is not allowed in an update expression; function: size"),
        ("SET a = list_append(list_append(a, :list), :list)", MISUSED),
        ("SET a = if_not_exists(a, list_append(b, :list))", MISUSED),
        ("SET a = list_append(a, :list) + :n", MISUSED),
        ("SET a = :n SET b = :n", 'The "SET" section can only be used once in an update expression;'),
        ("REMOVE a SET b = :n REMOVE #zz", 'The "REMOVE" section can only be used once in an update expression;'),
        ("ADD a :n ADD b :n DELETE status :ss", 'The "ADD" section can only be used once in an update expression;'),
        ("DELETE a :ss DELETE b :ss", 'The "DELETE" section can only be used once in an update expression;'),
        ("SET a = :n SET status = :n", "Attribute name is a reserved keyword; reserved keyword: status"),
        (
            "SET a = :zz, #zz = :n",
            "An expression attribute name used in the document path is not defined; attribute name: #zz",
        ),
        ("SET a = :zz, a = #zz", f"{OVERLAP}path one: [a], path two: [a]"),
        ("SET a = :n, a.b = :n", f"{OVERLAP}path one: [a], path two: [a, b]"),
        ("SET a.b = :n REMOVE #a", f"{OVERLAP}path one: [a, b], path two: [a]"),
        ("SET a[1] = :n, a[1].b = :n", f"{OVERLAP}path one: [a, [1]], path two: [a, [1], b]"),
        ("SET a.b = :n, a[0] = :n", f"{CONFLICT}path one: [a, b], path two: [a, [0]]"),
        ("SET x.a = :n, x[0] = :n, y = :n, y.z = :n", f"{OVERLAP}path one: [y], path two: [y, z]"),
        (
            "SET a = :zz, b = :n + :s",
            "Incorrect operand type for operator or function; operator or function: +, operand type: S",
        ),
        (
            "ADD a :zz DELETE b :n",
            "Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER, "
            "typeSet: ALLOWED_FOR_DELETE_OPERAND",
        ),
        (
            "SET a = list_append(b)",
            "Incorrect number of operands for operator or function; "
            "operator or function: list_append, number of operands: 1",
        ),
        (
            f"SET {', '.join(f'a{at}=b+c' for at in range(301))}",
            "The expression contains too many operators; operator count: 301",
        ),
    ],
)
def test_an_invalid_update_expression_is_rejected(text: str, words: str) -> None:
    assert error_message("UpdateExpression", text) == words


@pytest.mark.parametrize(
    "text",
    [
        "SET a = b, b = a",
        "SET a = a",
        "SET a[0] = :n, a[1] = :n",
        "SET a.b = :n, a.c = :n",
        f"SET {', '.join(f'a{at}=b+c' for at in range(300))}",
        f"REMOVE {', '.join(f'a{at}' for at in range(500))}",
    ],
)
def test_update_expressions_at_the_limits_are_parsed(text: str) -> None:
    assert error_message("UpdateExpression", text) is None
