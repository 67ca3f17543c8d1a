"""Key conditions: their key ranges, and the errors of DynamoDB."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import RequestRefused, invalid
from singletable.expressions.bound_expressions import Expressions
from singletable.expressions.key_condition import BoundKeyTest, KeyRange

A, B, N = {"S": "a"}, {"S": "b"}, {"N": "1"}
VALUES: dict[str, Any] = {":a": A, ":b": B, ":n": N}
TYPES = dict.fromkeys(["pk", "sk", "h1", "h2", "r1", "r2", "r3"], "S")

Key = tuple[tuple[str, ...], tuple[str, ...]]
HASH: Key = (("pk",), ())
PLAIN: Key = (("pk",), ("sk",))
MANY: Key = (("h1", "h2"), ("r1", "r2", "r3"))


def range_of(key: Key, text: str) -> KeyRange:
    return Expressions(None, VALUES).key_condition(text).range_of(*key, TYPES)


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        (HASH, "pk = :a", KeyRange((A,))),
        (PLAIN, "pk = :a", KeyRange((A,))),
        (PLAIN, "sk = :b AND pk = :a", KeyRange((A,), (B,))),
        (PLAIN, "(pk = :a AND (sk >= :b))", KeyRange((A,), (), BoundKeyTest("sk", ">=", (B,)))),
        (PLAIN, ":a = pk AND :b > sk", KeyRange((A,), (), BoundKeyTest("sk", "<", (B,)))),
        (PLAIN, "pk = :a AND sk BETWEEN :a AND :b", KeyRange((A,), (), BoundKeyTest("sk", "BETWEEN", (A, B)))),
        (PLAIN, "pk = :a AND begins_with(sk, :b)", KeyRange((A,), (), BoundKeyTest("sk", "begins_with", (B,)))),
        (MANY, "h2 = :b AND h1 = :a", KeyRange((A, B))),
        (MANY, "h1 = :a AND h2 = :b AND r1 = :a", KeyRange((A, B), (A,))),
        (
            MANY,
            "h1 = :a AND h2 = :b AND r1 = :a AND r2 < :b",
            KeyRange((A, B), (A,), BoundKeyTest("r2", "<", (B,))),
        ),
        (
            MANY,
            "h1 = :a AND h2 = :b AND r1 = :a AND r2 = :b AND begins_with(r3, :a)",
            KeyRange((A, B), (A, B), BoundKeyTest("r3", "begins_with", (A,))),
        ),
    ],
)
def test_a_key_condition_names_a_range(key: Key, text: str, expected: KeyRange) -> None:
    assert range_of(key, text) == expected


WRONG_OPERATOR = "Invalid operator used in KeyConditionExpression: "
WRONG_CONDITION = "Invalid condition in KeyConditionExpression: "
NESTED = "KeyConditionExpressions cannot have conditions on nested attributes"
OPERATIONS = "KeyConditionExpressions cannot contain nested operations"
FIRST = "operator must have the key attribute as its first operand"
NAMES = f"{WRONG_CONDITION}Multiple attribute names used in one condition"


# Every row was tried on DynamoDB Local; many are in the tests of dynalite, which ran them against the service.
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pk = :a OR sk = :a", f"{WRONG_OPERATOR}OR"),
        ("pk = :a AND (sk = :a OR sk = :b)", f"{WRONG_OPERATOR}OR"),
        ("NOT pk = :a", f"{WRONG_OPERATOR}NOT"),
        ("pk <> :a", f"{WRONG_OPERATOR}<>"),
        ("pk IN (:a)", f"{WRONG_OPERATOR}IN"),
        ("pk = :a AND attribute_exists(sk)", f"{WRONG_OPERATOR}attribute_exists"),
        ("contains(pk, :a)", f"{WRONG_OPERATOR}contains"),
        ("size(pk) = :n", OPERATIONS),
        ("pk = :a AND sk BETWEEN :a AND size(sk)", OPERATIONS),
        ("size(sk) BETWEEN :a AND pk", OPERATIONS),
        (":a BETWEEN pk AND sk", f"{WRONG_CONDITION}BETWEEN {FIRST}"),
        (
            "begins_with(:a, pk)",
            f"{WRONG_CONDITION}begins_with {FIRST}",
        ),
        ("pk = sk", NAMES),
        ("pk > sk.a", NAMES),
        ("pk = :a AND begins_with(sk, q)", NAMES),
        ("pk.a = :a", NESTED),
        ("pk[0] = sk", NESTED),
        (":a = :b", f"{WRONG_CONDITION}No key attribute specified"),
        ("pk = :a AND pk = :b", "KeyConditionExpressions must only contain one condition per key"),
        ("sk = :a AND (pk = :a AND (sk = :b))", "KeyConditionExpressions must only contain one condition per key"),
        ("pk = :a AND pk = :b AND sk <> :a", "KeyConditionExpressions must only contain one condition per key"),
    ],
)
def test_an_invalid_key_condition_is_rejected_after_parsing(text: str, words: str) -> None:
    condition = Expressions(None, VALUES).key_condition(text)
    with pytest.raises(RequestRefused) as caught:
        condition.check()
    assert caught.value.message == words
    with pytest.raises(RequestRefused) as caught:
        condition.range_of(*PLAIN, TYPES)
    assert caught.value.message == words


MISSED = "Query condition missed key schema element: "
NOT_SUPPORTED = "Query key condition not supported"
WRONG_TYPE = "One or more parameter values were invalid: Condition parameter type does not match schema type"
HASH_EQUAL = "must have equality conditions specified in the query"


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        (PLAIN, "sk = :a", f"{MISSED}pk"),
        (PLAIN, "q = :a", f"{MISSED}pk"),
        (PLAIN, "q = :a AND sk = :a", f"{MISSED}pk"),
        (PLAIN, "q = :a AND pk = :a", f"{MISSED}sk"),
        (PLAIN, "pk > :a", NOT_SUPPORTED),
        (PLAIN, "begins_with(pk, :a) AND sk = :a", NOT_SUPPORTED),
        (PLAIN, "pk > :a AND q = :a", NOT_SUPPORTED),
        (PLAIN, "pk > :n", WRONG_TYPE),
        (PLAIN, "pk = :a AND sk = :n", WRONG_TYPE),
        (PLAIN, "pk = :a AND sk = :b AND q = :b", "Conditions can be of length 1 or 2 only"),
        (HASH, "pk = :a AND sk = :b", NOT_SUPPORTED),
        (HASH, "q = :a", f"{MISSED}pk"),
        (MANY, "h1 = :a", f"HASH key attributes h2 {HASH_EQUAL}"),
        (MANY, "h1 > :a AND h2 > :a", f"HASH key attributes h1, h2 {HASH_EQUAL}"),
        (MANY, "h1 > :a AND r1 = :a", f"HASH key attributes h2 {HASH_EQUAL}"),
        (
            MANY,
            "h1 = :a AND h2 = :a AND r3 = :a",
            f"RANGE key attributes r1, r2 {HASH_EQUAL} because a condition is present on key attribute r3",
        ),
        (
            MANY,
            "h1 = :a AND h2 = :a AND r3 > :a AND r2 > :a",
            f"RANGE key attributes r1 {HASH_EQUAL} because a condition is present on key attribute r2",
        ),
        (
            MANY,
            "h1 = :a AND h2 = :a AND r1 > :a AND r2 = :a AND r3 = :a",
            f"RANGE key attributes r1 {HASH_EQUAL} because a condition is present on key attribute r3",
        ),
        (MANY, "h1 = :a AND h2 = :a AND r1 = :a AND q = :a", f"{MISSED}r2"),
        (MANY, " AND ".join(f"{name} = :a" for name in ["h1", "h2", "r1", "r2", "r3", "q"]), NOT_SUPPORTED),
        (MANY, "h1 = :n AND h2 = :a", WRONG_TYPE),
    ],
)
def test_a_key_condition_that_does_not_fit_the_key_is_rejected(key: Key, text: str, words: str) -> None:
    with pytest.raises(RequestRefused) as caught:
        range_of(key, text)
    assert caught.value.message == words


def test_the_caller_of_a_key_condition_can_reject_the_value_of_every_attribute() -> None:
    seen: list[tuple[str, Any]] = []

    def accept(attribute: str, value: Any) -> None:
        seen.append((attribute, value))
        if value == B:
            raise invalid("too large")

    condition = Expressions(None, VALUES).key_condition("sk BETWEEN :a AND :b AND pk = :a")
    with pytest.raises(RequestRefused, match="too large"):
        condition.range_of(*PLAIN, TYPES, accept)
    assert seen == [("pk", A), ("sk", A), ("sk", B)]
