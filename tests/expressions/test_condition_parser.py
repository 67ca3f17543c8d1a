"""Parsed conditions, and the errors of DynamoDB in its order."""

from __future__ import annotations

import pytest

from singletable.expressions.condition_parser import parse_condition
from singletable.expressions.tree import And, BetweenBounds, Compare, Condition, Function, In, Not, Or, Parameter, Path
from tests.expressions.error_messages import VALUES, error_message

A, B, C = (Compare("=", Path((name,)), Parameter(f":{name}")) for name in "abc")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = :a AND b = :b OR c = :c", Or((And((A, B)), C))),
        ("a = :a OR b = :b AND c = :c", Or((A, And((B, C))))),
        ("(a = :a OR b = :b) AND c = :c", And((Or((A, B)), C))),
        ("a = :a AND (b = :b AND c = :c)", And((A, And((B, C))))),
        ("a = :a AND b = :b AND c = :c", And((A, B, C))),
        ("NOT a = :a AND b = :b", And((Not(A), B))),
        ("NOT (a = :a AND b = :b)", Not(And((A, B)))),
        ("not Not a = :a", Not(Not(A))),
        ("NOT(a = :a)or(b = :b)", Or((Not(A), B))),
        ("(a) = (:a)", A),
        ("((a) = :a)", A),
        ("(NOT (a) = :a)", Not(A)),
        ("a BETWEEN :a AND :b AND b = :b", And((BetweenBounds(Path(("a",)), Parameter(":a"), Parameter(":b")), B))),
        ("(a)between(:a)and(:b)", BetweenBounds(Path(("a",)), Parameter(":a"), Parameter(":b"))),
        ("a in ((:a), b, :c)", In(Path(("a",)), (Parameter(":a"), Path(("b",)), Parameter(":c")))),
        ("(begins_with(a, :a))", Function("begins_with", (Path(("a",)), Parameter(":a")))),
        ("(size(a)) > :a", Compare(">", Function("size", (Path(("a",)),)), Parameter(":a"))),
        ("a .b [ 0 ].#x[12] < :a", Compare("<", Path(("a", "b", 0, "x-ray", 12)), Parameter(":a"))),
    ],
)
def test_the_condition_parser_returns_the_tree_of_a_condition(text: str, tree: Condition) -> None:
    assert parse_condition("ConditionExpression", text, {"#x": "x-ray"}).tree == tree


def test_the_condition_parser_returns_the_placeholders_and_attributes_of_a_condition() -> None:
    read = parse_condition("FilterExpression", "a.b = :v AND #x = c OR size(#x[0]) > :w", {"#x": "x", "#y": "y"})
    assert read.used_names == {"#x"}
    assert read.used_values == {":v", ":w"}
    assert read.attributes == {"a", "x", "c"}
    assert read.nested_attributes == {"a", "x"}


# Every row was tried on DynamoDB Local; many are in the tests of dynalite, which ran them against the service.
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("((a = :n))", "The expression has redundant parentheses;"),
        ("a = ((b)) c", "The expression has redundant parentheses;"),
        ("((a)) c", 'Syntax error; token: "c", near: ") c"'),
        ("status = :n AND ((a = :n))", "The expression has redundant parentheses;"),
        ("foo(a)", "Invalid function name; function: foo"),
        ("Attribute_Exists(a)", "Invalid function name; function: Attribute_Exists"),
        ("foo(status)", "Invalid function name; function: foo"),
        ("status = foo(a)", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("a = :zz AND status = :n", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("if_not_exists(a, b) = :n", "The function is not allowed in a condition expression; function: if_not_exists"),
        ("size(a)", "The function is not allowed to be used this way in an expression; function: size"),
        ("size(b) AND foo(a)", "The function is not allowed to be used this way in an expression; function: size"),
        (
            "contains(a, contains(b, :s))",
            "The function is not allowed to be used this way in an expression; function: contains",
        ),
        (
            "a IN (b, attribute_exists(a))",
            "The function is not allowed to be used this way in an expression; function: attribute_exists",
        ),
        ("a[2147483648] = :n", "List index is not within the allowable range; index: [2147483648]"),
        (
            f"a{'.a' * 32} = :n",
            "The document path has too many nesting levels; nesting levels: 33",
        ),
        (
            "a = #zz AND b = :zz",
            "An expression attribute name used in the document path is not defined; attribute name: #zz",
        ),
        (
            "a = :zz AND b = #zz",
            "An expression attribute value used in expression is not defined; attribute value: :zz",
        ),
        (
            "size(a, b) = :zz",
            "Incorrect number of operands for operator or function; operator or function: size, number of operands: 2",
        ),
        (
            "a.b[0] <> #a.#b[0]",
            "The first operand must be distinct from the remaining operands for this operator or function; "
            "operator: <>, first operand: [a, b, [0]]",
        ),
        (
            "a IN (:n, a)",
            "The first operand must be distinct from the remaining operands for this operator or function; "
            "operator: IN, first operand: [a]",
        ),
        (" OR ".join(["a = :n"] * 151), "The expression contains too many operators; operator count: 301"),
        (" OR ".join(["size(a) = :n"] * 101), "The expression contains too many operators; operator count: 301"),
        (
            f"a IN ({','.join([':n'] * 101)})",
            "The IN operator is provided with too many operands; number of operands: 101",
        ),
    ],
)
def test_the_condition_parser_rejects_an_invalid_condition(text: str, words: str) -> None:
    assert error_message("ConditionExpression", text) == words


@pytest.mark.parametrize(
    "text",
    [
        " OR ".join(["a = :n"] * 150),
        " OR ".join(["size(a) = :n"] * 100),
        f"a IN ({','.join([':n'] * 100)})",
        f"a{'.a' * 31} = :n",
        "a[2147483647] = :n",
        ":n = :n",
        "size(a) = size(a)",
        "((a = :n) AND (b = :n))",
    ],
)
def test_the_condition_parser_accepts_conditions_at_the_limits(text: str) -> None:
    assert error_message("ConditionExpression", text) is None


def test_the_condition_parser_names_the_parameter_in_errors() -> None:
    assert error_message("FilterExpression", "foo(a)", VALUES) == "Invalid function name; function: foo"
