"""Updates as changes, and what DynamoDB refuses of them, in its order."""

from __future__ import annotations

import pytest

from singletable.expressions.tree import Arithmetic, Change, Function, Operand, Parameter, Path
from singletable.expressions.update_parser import parse_update
from tests.expressions.refused import refusal

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
def test_an_update_is_read(text: str, changes: list[Change]) -> None:
    assert list(parse_update("UpdateExpression", text, {"#x": "x-ray"}).changes) == changes


OVERLAP = "Two document paths overlap with each other; must remove or rewrite one of these paths; "
CONFLICT = "Two document paths conflict with each other; must remove or rewrite one of these paths; "
MISUSED = "The function is not allowed to be used this way in an expression; function: list_append"


# Every row was tried on DynamoDB Local, and many stand in the tests of dynalite, which ran them against the service.
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
def test_an_update_is_refused(text: str, words: str) -> None:
    assert refusal("UpdateExpression", text) == words


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
def test_what_is_just_within_the_rules_is_read(text: str) -> None:
    assert refusal("UpdateExpression", text) is None
