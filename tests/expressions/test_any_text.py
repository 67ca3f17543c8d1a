"""Any text as an expression is parsed or rejected, however long, deep or odd."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable.errors import RequestRefused
from singletable.expressions.bound_expressions import Expressions

KEYWORDS = ["AND ", "or ", "NOT ", " BETWEEN ", " in ", "SET ", "ADD ", "REMOVE ", "DELETE "]
SYMBOLS = [" ", "(", ")", "[", "]", ",", ".", "=", "<>", "<", "+", "-", "!", "#", ":"]
OPERANDS = ["a", "status", "#a", ":v", "0", "7", "size(", "contains(", "if_not_exists(", "x("]
PIECES = st.sampled_from(KEYWORDS + SYMBOLS + OPERANDS)
TEXTS = st.text(max_size=40) | st.lists(PIECES, max_size=30).map("".join)
VALUES = {":v": {"S": "x"}}


def read(text: str) -> list[str]:
    """Return the error messages of a text as each kind of expression."""
    refusals: list[str] = []
    for parameter in ("ConditionExpression", "UpdateExpression", "ProjectionExpression", "KeyConditionExpression"):
        expressions = Expressions({"#a": "b"}, VALUES)
        with contextlib.suppress(RequestRefused):
            try:
                match parameter:
                    case "ConditionExpression":
                        expressions.condition(parameter, text).holds({})
                    case "UpdateExpression":
                        expressions.update(text).apply({})
                    case "ProjectionExpression":
                        expressions.projection(text).apply({})
                    case _:
                        expressions.key_condition(text).range_of(("a",), ("b",), {"a": "S", "b": "S"})
            except RequestRefused as refused:
                refusals.append(refused.message)
                raise
    return refusals


@given(TEXTS)
@example("\ud800")
@example("a[" + "9" * 4000 + "]")
def test_bound_expressions_parse_or_reject_any_text(text: str) -> None:
    for refusal in read(text):
        assert refusal


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("(" * 4096, 'Syntax error; token: "<EOF>", near: "("'),
        ("(" * 2000 + "a = :v" + ")" * 2000, "The expression has redundant parentheses;"),
        ("NOT " * 1000 + "a = :v", "The expression contains too many operators; operator count: 301"),
        ("(a = :v AND " * 340 + "a = :v" + ")" * 340, "Expression size has exceeded the maximum allowed size"),
        ("(a=:v AND " * 300 + "a=:v" + ")" * 300, "The expression contains too many operators; operator count: 301"),
        ("size(" * 600 + "a" + ")" * 600 + " = :v", "operator or function: size, operand type: N"),
        ("x(" * 1000 + "a" + ")" * 1000, "Invalid function name; function: x"),
        ("x(" * 2000, 'Syntax error; token: "<EOF>", near: "("'),
    ],
)
def test_the_condition_parser_rejects_deep_conditions_with_dynamodbs_message(text: str, refusal: str) -> None:
    with pytest.raises(RequestRefused) as caught:
        Expressions(None, VALUES).condition("ConditionExpression", text)
    assert refusal in caught.value.message


@pytest.mark.parametrize("text", ["NOT " * 299 + "a = :v", "(a=:v AND " * 149 + "a=:v" + ")" * 149])
def test_the_deepest_conditions_of_an_expression_can_be_evaluated(text: str) -> None:
    condition = Expressions(None, VALUES).condition("ConditionExpression", text)
    assert condition.holds({"a": {"S": "x"}}) is (not text.startswith("NOT"))


def test_the_deepest_update_expression_is_applied() -> None:
    text = "SET a=" + "if_not_exists(a,".replace("a,", "b,") * 200 + ":v" + ")" * 200
    assert Expressions(None, VALUES).update(text).apply({}) == {"a": {"S": "x"}}
