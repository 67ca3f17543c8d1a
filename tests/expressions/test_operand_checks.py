"""Checks of operands: their types and number for each operator and function."""

from __future__ import annotations

import pytest

from tests.expressions.error_messages import VALUES, error_message

TYPES = {placeholder: next(iter(value)) for placeholder, value in VALUES.items()}
WRONG = "Incorrect operand type for operator or function"


def taken(text: str, parameter: str = "ConditionExpression") -> set[str]:
    """Return the types that are valid for :v; the others must have the error message of a wrong type."""
    kinds: set[str] = set()
    for placeholder, kind in TYPES.items():
        words = error_message(parameter, text.replace(":v", placeholder))
        if words is None:
            kinds.add(kind)
        else:
            assert words.startswith(WRONG), words
            assert words.endswith(f"operand type: {kind}"), words
    return kinds


ALL = set(TYPES.values())


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a = :v", ALL),
        ("a <> :v", ALL),
        ("a < :v", {"S", "N", "B"}),
        (":v >= a", {"S", "N", "B"}),
        ("a BETWEEN :v AND b", {"S", "N", "B"}),
        ("a BETWEEN b AND :v", {"S", "N", "B"}),
        (":v BETWEEN a AND b", {"S", "N", "B"}),
        ("a IN (:v)", ALL),
        ("begins_with(a, :v)", {"S", "B"}),
        ("begins_with(:v, a)", {"S", "B"}),
        ("contains(a, :v)", ALL),
        ("contains(:v, a)", ALL),
        ("size(:v) = a", ALL - {"N", "BOOL", "NULL"}),
    ],
)
def test_operand_checks_accept_values_of_these_types_in_a_condition(text: str, kinds: set[str]) -> None:
    assert taken(text) == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("SET a = :v", ALL),
        ("SET a = b + :v", {"N"}),
        ("SET a = :v - b", {"N"}),
        ("SET a = list_append(b, :v)", {"L"}),
        ("SET a = if_not_exists(b, :v)", ALL),
        ("SET a = if_not_exists(b, :v) + :n", ALL),
    ],
)
def test_operand_checks_accept_values_of_these_types_in_an_update(text: str, kinds: set[str]) -> None:
    assert taken(text, "UpdateExpression") == kinds


@pytest.mark.parametrize("action", ["ADD", "DELETE"])
def test_operand_checks_report_long_type_names_for_add_and_delete(action: str) -> None:
    sets = {":ss", ":ns", ":bs"} | ({":n", ":m"} if action == "ADD" else set())
    names = {":s": "STRING", ":t": "STRING", ":n": "NUMBER", ":m": "NUMBER", ":b": "BINARY", ":bool": "BOOLEAN"}
    names |= {":null": "NULL", ":list": "LIST", ":map": "MAP"}
    for placeholder in VALUES:
        words = error_message("UpdateExpression", f"{action} a {placeholder}")
        if placeholder in sets:
            assert words is None
        else:
            of_type = f"operator: {action}, operand type: {names[placeholder]}"
            assert words == f"{WRONG}; {of_type}, typeSet: ALLOWED_FOR_{action}_OPERAND"


def test_operand_checks_treat_size_as_a_number() -> None:
    assert error_message("ConditionExpression", "size(a) < :n") is None
    assert error_message("ConditionExpression", "begins_with(size(a), :s)") == (
        f"{WRONG}; operator or function: begins_with, operand type: N"
    )
    assert error_message("ConditionExpression", "size(size(a)) > :n") == (
        f"{WRONG}; operator or function: size, operand type: N"
    )


def test_operand_checks_require_a_type_name_for_attribute_type() -> None:
    assert error_message("ConditionExpression", "attribute_type(a, :s)") is None
    every = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
    assert error_message("ConditionExpression", "attribute_type(a, :t)") == (
        f"Invalid attribute type name found; type: T, valid types: {every}"
    )
    wrong = f"{WRONG}; operator or function: attribute_type, operand type:"
    assert error_message("ConditionExpression", "attribute_type(a, :n)") == f"{wrong} N"
    assert error_message("ConditionExpression", "attribute_type(a, size(b))") == f"{wrong} N"
    assert error_message("ConditionExpression", "attribute_type(a, b)") == f"{wrong} {every}"


@pytest.mark.parametrize("function", ["attribute_exists", "attribute_not_exists"])
def test_operand_checks_require_a_path_for_existence_tests(function: str) -> None:
    words = f"Operator or function requires a document path; operator or function: {function}"
    assert error_message("ConditionExpression", f"{function}(:s)") == words
    assert error_message("ConditionExpression", f"{function}(size(a))") == words
    assert error_message("ConditionExpression", f"{function}(a.b[0])") is None


def test_operand_checks_require_a_path_and_another_operand_for_if_not_exists() -> None:
    words = "Operator or function requires a document path; operator or function: if_not_exists"
    assert error_message("UpdateExpression", "SET a = if_not_exists(:n, b)") == words
    assert error_message("UpdateExpression", "SET a = if_not_exists(if_not_exists(a, b), b)") == words
    assert error_message("UpdateExpression", "SET a = if_not_exists(b, b)") == (
        "The first operand must be distinct from the remaining operands for this operator or function; "
        "operator: if_not_exists, first operand: [b]"
    )
    assert error_message("UpdateExpression", "SET a = list_append(b, b)") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("begins_with(a)", 1), ("begins_with(a, :s, :s)", 3), ("attribute_exists(a, b)", 2), ("contains(a)", 1)],
)
def test_operand_checks_require_a_fixed_number_of_operands_for_a_function(text: str, number: int) -> None:
    function = text.partition("(")[0]
    assert error_message("ConditionExpression", text) == (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {function}, number of operands: {number}"
    )


def test_operand_checks_require_bounds_of_between_in_order_and_of_one_type() -> None:
    assert error_message("ConditionExpression", "a BETWEEN :n AND :m") is None
    assert error_message("ConditionExpression", "a BETWEEN :n AND :n") is None
    assert error_message("ConditionExpression", "a BETWEEN :m AND :n") == (
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}"
    )
    assert error_message("ConditionExpression", "a BETWEEN :t AND :n") == (
        "The BETWEEN operator requires same data type for lower and upper bounds; "
        "lower bound operand: AttributeValue: {S:T}, upper bound operand: AttributeValue: {N:1}"
    )
    assert error_message("ConditionExpression", "a BETWEEN a AND :map") == (
        f"{WRONG}; operator or function: BETWEEN, operand type: M"
    )


def test_operand_checks_start_with_the_innermost_operands() -> None:
    assert error_message("ConditionExpression", "begins_with(a, :n) AND b = :zz") == (
        f"{WRONG}; operator or function: begins_with, operand type: N"
    )
    assert error_message("ConditionExpression", "begins_with(:zz) AND b = b") == (
        "An expression attribute value used in expression is not defined; attribute value: :zz"
    )
