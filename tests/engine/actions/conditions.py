"""Conditions that hold for one item, and conditions that fail. The tests of all writes use them."""

from __future__ import annotations

import re

from tests.engine.table_requests import Document, item, texts, values

KEY = texts(pk="a", sk="1")
OLD: Document = {
    **KEY,
    **item(words="hello", n=5, status="ACTIVE"),
    "nested": {"M": {"deep": {"S": "x"}}},
    "numbers": {"L": [{"N": "1"}]},
    "tags": {"SS": ["a", "b"]},
}

_VALUES = values(five=5, six=6, hello="hello", ell="ell", a="a", x="x", type="S", active="ACTIVE")

HOLDS = [
    "attribute_exists(pk)",
    "attribute_not_exists(absent)",
    "NOT attribute_exists(absent)",
    "n = :five",
    "n <> :six",
    "n < :six AND n <= :five AND n > :six OR n >= :five",
    "absent <> :six",
    "absent <> :six OR absent < :six",
    "n BETWEEN :five AND :six",
    "n IN (:six, :five)",
    "begins_with(words, :hello)",
    "contains(words, :ell)",
    "contains(tags, :a)",
    "attribute_type(words, :type)",
    "size(words) = :five",
    "size(tags) < :five",
    "nested.deep = :x",
    "attribute_exists(nested.deep)",
    "attribute_not_exists(nested.absent)",
    "numbers[0] < :five",
    "attribute_not_exists(numbers[1])",
    "#status = :active",
    "(attribute_exists(pk)) AND (n = :five)",
    "(attribute_exists(pk) AND n = :five)",
    "(attribute_exists(pk) AND (n = :five))",
    "(NOT (n = :six))",
]
FAILS = [
    "attribute_not_exists(pk)",
    "attribute_exists(absent)",
    "n = :six",
    "absent = :six",
    "absent < :six",
    "n = words",
    "nested.absent = :x",
    "NOT n = :five",
    "#status <> :active",
    "(attribute_exists(pk)) AND (n = :six)",
]


def conditional(condition: str) -> Document:
    """Return the parameters of a condition, with only the placeholders that it uses."""
    parameters: Document = {
        "ConditionExpression": condition,
        "ExpressionAttributeNames": {name: name[1:] for name in re.findall(r"#\w+", condition)},
        "ExpressionAttributeValues": {name: _VALUES[name] for name in re.findall(r":\w+", condition)},
    }
    return {name: given for name, given in parameters.items() if given}
