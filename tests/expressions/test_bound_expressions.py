"""The expressions of one request: their placeholders, and the cache of parsed expressions."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import RequestRefused
from singletable.expressions import bound_expressions as module
from singletable.expressions.bound_expressions import Expressions, reject_placeholders_without_expressions

X = {"S": "x"}


def words_of(names: dict[str, str] | None, values: dict[str, Any] | None) -> str:
    with pytest.raises(RequestRefused) as caught:
        Expressions(names, values)
    return caught.value.message


# Every row was tried on DynamoDB Local; many are in the tests of dynalite, which ran them against the service.
@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({}, "must not be empty"),
        ({"#a": "a", "b": "b"}, 'contains invalid key: Syntax error; key: "b"'),
        ({"": "a"}, "contains invalid key: The expression attribute map contains an empty key;"),
        ({"#": "a"}, 'contains invalid key: Syntax error; key: "#"'),
        ({"#a-b": "a"}, 'contains invalid key: Syntax error; key: "#a-b"'),
        ({"#a\n": "a"}, 'contains invalid key: Syntax error; key: "#a\n"'),
        (
            {f"#{'a' * 255}": "a"},
            "contains invalid key: The expression attribute map contains a key that is too long; size of key: 256",
        ),
        ({"#a": ""}, "contains invalid value: Empty attribute name for key #a"),
        (
            {"#a": "a" * 65_536},
            "contains invalid value: Attribute name is too large, must be less than 65536 bytes for key #a",
        ),
        ({f"#{at}": "a" * 65_000 for at in range(33)}, "exceeds max size"),
    ],
)
def test_bound_expressions_reject_invalid_names(names: dict[str, str], words: str) -> None:
    assert words_of(names, None) == f"ExpressionAttributeNames {words}"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "must not be empty"),
        ({":b": {"a": ""}, "b": X}, 'contains invalid key: Syntax error; key: "b"'),
        ({"": X}, "contains invalid key: The expression attribute map contains an empty key;"),
        ({":": X}, 'contains invalid key: Syntax error; key: ":"'),
        (
            {":b": {}},
            "contains invalid value: Supplied AttributeValue is empty, must contain exactly one of the supported "
            "datatypes for key :b",
        ),
        (
            {":a": X, ":b": {"SS": []}},
            "contains invalid value: One or more parameter values were invalid: An string set  may not be empty "
            "for key :b",
        ),
        (
            {":b": {"N": "x"}},
            "contains invalid value: The parameter cannot be converted to a numeric value: x for key :b",
        ),
        (
            {":b": {"M": {"a": {"S": "x" * 409_600}}}},
            "contains invalid value: Item size has exceeded the maximum allowed size for key :b",
        ),
        ({f":{at}": {"S": "x" * 350_000} for at in range(6)}, "exceeds max size"),
    ],
)
def test_bound_expressions_reject_invalid_values(values: dict[str, Any], words: str) -> None:
    assert words_of(None, values) == f"ExpressionAttributeValues {words}"


def test_bound_expressions_reject_values_nested_too_deep_with_the_message_for_items() -> None:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(33):
        value = {"L": [value]}
    assert words_of(None, {":v": value}).startswith("Nesting Levels have exceeded supported limits")


def test_bound_expressions_write_numbers_in_canonical_form() -> None:
    expressions = Expressions(None, {":v": {"N": "1.50E1"}})
    assert expressions.update("SET a = :v").apply({}) == {"a": {"N": "15"}}


def finish(names: dict[str, str] | None, values: dict[str, Any] | None, *texts: str) -> str | None:
    expressions = Expressions(names, values)
    for text in texts:
        if text.startswith("SET"):
            expressions.update(text)
        else:
            expressions.condition("ConditionExpression", text)
    try:
        expressions.finish()
    except RequestRefused as refused:
        return refused.message
    return None


def test_one_of_the_bound_expressions_or_another_uses_each_placeholder() -> None:
    assert finish({"#a": "a", "#b": "b"}, {":v": X, ":w": X}, "SET #a = :v", "#b = :w") is None
    assert finish(None, None, "attribute_exists(a)") is None


def test_bound_expressions_reject_unused_names_before_unused_values() -> None:
    names, values = {"#a": "a", "#b": "b", "#c": "c"}, {":v": X, ":unused": X}
    unused = "unused in expressions: keys:"
    assert finish(names, values, "SET a = :v", "#b = :v") == (
        f"Value provided in ExpressionAttributeNames {unused} {{#a, #c}}"
    )
    assert finish(names, values, "SET #a = :v", "#b = #c") == (
        f"Value provided in ExpressionAttributeValues {unused} {{:unused}}"
    )


@pytest.mark.parametrize(
    ("names", "values", "expressions", "words"),
    [
        (
            {},
            None,
            {"ConditionExpression": None},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            None,
            {},
            {"ConditionExpression": None},
            "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null",
        ),
        (
            None,
            {":v": X},
            {"UpdateExpression": None, "ConditionExpression": None},
            "ExpressionAttributeValues can only be specified when using expressions: "
            "UpdateExpression and ConditionExpression are null",
        ),
        (
            None,
            {":v": X},
            {"FilterExpression": None, "KeyConditionExpression": None, "ProjectionExpression": "a"},
            "ExpressionAttributeValues can only be specified when using expressions: "
            "FilterExpression and KeyConditionExpression are null",
        ),
    ],
)
def test_bound_expressions_reject_placeholders_without_expressions(
    names: Any, values: Any, expressions: dict[str, Any], words: str
) -> None:
    with pytest.raises(RequestRefused) as caught:
        reject_placeholders_without_expressions(names, values, expressions)
    assert caught.value.message == words


def test_bound_expressions_accept_placeholders_with_expressions() -> None:
    reject_placeholders_without_expressions({}, None, {"ProjectionExpression": "a"})
    reject_placeholders_without_expressions({}, {}, {"UpdateExpression": None, "ConditionExpression": ""})
    reject_placeholders_without_expressions(None, None, {"ConditionExpression": None})
    reject_placeholders_without_expressions(None, {}, {"ProjectionExpression": None})


def test_a_bound_expression_is_parsed_once_for_each_set_of_names() -> None:
    module._cached_update.cache_clear()
    for names in ({"#a": "a"}, {"#a": "a"}, {"#a": "b"}):
        assert Expressions(names, {":v": X}).update("SET #a = :v").apply({}) == {names["#a"]: X}
    assert module._cached_update.cache_info().misses == 2


def test_an_invalid_bound_expression_is_rejected_every_time() -> None:
    for _ in range(2):
        with pytest.raises(RequestRefused, match="overlap"):
            Expressions(None, {":v": X}).update("SET a = :v, a.b = :v")
        with pytest.raises(RequestRefused, match="Incorrect number of operands"):
            Expressions(None, None).condition("FilterExpression", "begins_with(a)")
        with pytest.raises(RequestRefused, match="attribute value: :w"):
            Expressions(None, {":v": X}).condition("FilterExpression", "a = :w")


def test_bound_expressions_know_the_attributes_of_a_condition() -> None:
    condition = Expressions({"#x": "x-ray"}, {":v": X}).condition("FilterExpression", "a.b = :v AND #x = c")
    assert condition.attributes == {"a", "x-ray", "c"}
    assert condition.nested_attributes == {"a"}


def test_bound_expressions_know_the_attributes_that_an_update_changes() -> None:
    update = Expressions({"#x": "x-ray"}, {":v": X}).update("SET a.b = :v, #x = c").update
    assert update.attributes == {"a", "x-ray"}
    assert update.nested_attributes == {"a"}


def test_bound_expressions_with_long_texts_or_names_are_not_cached() -> None:
    module._cached_projection.cache_clear()
    long_text, long_name = "a" + " " * 3000, {"#a": "a" * 3000}
    for _ in range(2):
        assert Expressions(None, None).projection(long_text).apply({"a": X}) == {"a": X}
        assert Expressions(long_name, None).projection("#a").apply({"a" * 3000: X}) == {"a" * 3000: X}
    assert module._cached_projection.cache_info().currsize == 0


def test_bound_expressions_do_not_cache_many_placeholders() -> None:
    module._check_names.cache_clear()
    many = {f"#{number:0200}": "a" for number in range(500)}
    expressions = Expressions(many, None)
    expressions.projection("b")
    with pytest.raises(RequestRefused, match="unused in expressions"):
        expressions.finish()
    assert module._check_names.cache_info().currsize == 0
