"""AttributeUpdates: values that are put, added and deleted, attribute by attribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.tables import (
    INVALID,
    Document,
    Refused,
    assert_refused,
    create_indexed,
    get,
    item,
    put,
    query,
    refusals,
    refused,
    texts,
    values,
)

KEY = texts(pk="a", sk="1")
OLD: Document = {
    **KEY,
    **item(n=1, t="old"),
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1"]},
    "l": {"L": [{"S": "x"}]},
    "m": {"M": {}},
}
MISMATCH = "Type mismatch for attribute to update"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create_indexed(made)
        put(made, OLD)
        yield made


def updated(engine: Engine, updates: Document, key: Document = KEY, **parameters: Any) -> Document:
    request = {"TableName": "table", "Key": key, "AttributeUpdates": updates, "ReturnValues": "ALL_NEW", **parameters}
    attributes: Document = engine.call("UpdateItem", request)["Attributes"]
    return attributes


def without(*names: str) -> Document:
    return {name: value for name, value in OLD.items() if name not in names}


@pytest.mark.parametrize(
    ("name", "action", "value", "after"),
    [
        ("t", "PUT", {"N": "7"}, {"N": "7"}),
        ("t", None, {"S": "new"}, {"S": "new"}),
        ("new", "PUT", {"M": {"a": {"S": ""}}}, {"M": {"a": {"S": ""}}}),
        ("m.x", "PUT", {"S": "a dot"}, {"S": "a dot"}),
        ("n", "ADD", {"N": "-5.50"}, {"N": "-4.5"}),
        ("new", "ADD", {"N": "7"}, {"N": "7"}),
        ("ss", "ADD", {"SS": ["b", "c"]}, {"SS": ["a", "b", "c"]}),
        ("new", "ADD", {"BS": ["AA=="]}, {"BS": ["AA=="]}),
        ("l", "ADD", {"L": [{"N": "1"}, {"S": "x"}]}, {"L": [{"S": "x"}, {"N": "1"}, {"S": "x"}]}),
        ("new", "ADD", {"L": [{"S": "x"}]}, {"L": [{"S": "x"}]}),
        ("ss", "DELETE", {"SS": ["b", "c"]}, {"SS": ["a"]}),
        ("ss", "DELETE", {"SS": ["a", "b"]}, None),
        ("new", "DELETE", {"SS": ["a"]}, None),
        ("t", "DELETE", None, None),
        ("m", "DELETE", None, None),
        ("new", "DELETE", None, None),
    ],
)
def test_an_attribute_after_its_update(
    engine: Engine, name: str, action: str | None, value: Document | None, after: Document | None
) -> None:
    update = {"Action": action, "Value": value}
    expected = without(name) if after is None else {**OLD, name: after}
    assert updated(engine, {name: {each: given for each, given in update.items() if given is not None}}) == expected
    assert get(engine, KEY) == expected


def test_several_attributes_are_updated_at_once(engine: Engine) -> None:
    updates = {"n": {"Action": "ADD", "Value": {"N": "1"}}, "t": {"Action": "DELETE"}, "x": {"Value": {"S": "y"}}}
    assert updated(engine, updates) == {**without("t"), **item(n=2, x="y")}


@pytest.mark.parametrize(
    ("updates", "after"),
    [
        ({}, {}),
        ({"t": {"Action": "DELETE"}}, {}),
        ({"s": {"Action": "DELETE", "Value": {"SS": ["a"]}}}, {}),
        ({"n": {"Action": "ADD", "Value": {"N": "3"}}}, item(n=3)),
        ({"l": {"Action": "ADD", "Value": {"L": []}}}, {"l": {"L": []}}),
    ],
)
def test_an_item_that_is_not_there_is_made(engine: Engine, updates: Document, after: Document) -> None:
    key = texts(pk="b", sk="1")
    assert updated(engine, updates, key) == {**key, **after}


@pytest.mark.parametrize(
    ("returned", "attributes"),
    [
        ("UPDATED_OLD", item(n=1, t="old")),
        ("UPDATED_NEW", item(n=2, x="y")),
        ("ALL_OLD", OLD),
    ],
)
def test_what_was_touched_can_be_returned(engine: Engine, returned: str, attributes: Document) -> None:
    updates = {"n": {"Action": "ADD", "Value": {"N": "1"}}, "t": {"Action": "DELETE"}, "x": {"Value": {"S": "y"}}}
    assert updated(engine, updates, ReturnValues=returned) == attributes


def test_indexes_follow(engine: Engine) -> None:
    updated(engine, {"gsiPk": {"Value": {"S": "g"}}})
    assert query(engine, "gsiPk = :g", values(g="g"), IndexName="gsi")["Count"] == 1
    updated(engine, {"gsiPk": {"Action": "DELETE"}})
    assert query(engine, "gsiPk = :g", values(g="g"), IndexName="gsi")["Count"] == 0


@refusals(
    Refused("no value", {}, f"{INVALID}Only DELETE action is allowed when no attribute value is specified"),
    Refused(
        "an addition of nothing",
        {"Action": "ADD"},
        f"{INVALID}Only DELETE action is allowed when no attribute value is specified",
    ),
    Refused(
        "deletion of a text",
        {"Action": "DELETE", "Value": {"S": "a"}},
        f"{INVALID}DELETE action with value is not supported for the type S",
    ),
    Refused(
        "deletion of a list",
        {"Action": "DELETE", "Value": {"L": []}},
        f"{INVALID}DELETE action with value is not supported for the type L",
    ),
    Refused(
        "addition of a text",
        {"Action": "ADD", "Value": {"S": "a"}},
        f"{INVALID}ADD action is not supported for the type S",
    ),
    Refused(
        "addition of a map",
        {"Action": "ADD", "Value": {"M": {}}},
        f"{INVALID}ADD action is not supported for the type M",
    ),
    Refused(
        "a bad value, whatever is done with it",
        {"Action": "DELETE", "Value": {"N": "x"}},
        "The parameter cannot be converted to a numeric value: x",
    ),
    Refused(
        "an action that there is not",
        {"Action": "APPEND", "Value": {"L": []}},
        "1 validation error detected: Value 'APPEND' at 'attributeUpdates.x.member.action' failed to satisfy "
        "constraint: Member must satisfy enum value set: [ADD, PUT, DELETE]",
    ),
)
def test_updates_that_make_no_sense_are_refused(engine: Engine, row: Refused) -> None:
    # Before what is expected is looked at, and before the table is.
    row = row._replace(request={"AttributeUpdates": {"x": row.request}, "Expected": {"a": {}}})
    assert_refused(engine, "UpdateItem", row, TableName="missing", Key=KEY)


@pytest.mark.parametrize(
    ("name", "update"),
    [
        ("t", {"Action": "ADD", "Value": {"N": "1"}}),
        ("t", {"Action": "ADD", "Value": {"L": []}}),
        ("ns", {"Action": "ADD", "Value": {"N": "1"}}),
        ("ns", {"Action": "ADD", "Value": {"SS": ["a"]}}),
        ("ss", {"Action": "DELETE", "Value": {"NS": ["1"]}}),
        ("n", {"Action": "DELETE", "Value": {"NS": ["1"]}}),
    ],
)
def test_a_value_of_another_type_is_refused_and_changes_nothing(engine: Engine, name: str, update: Document) -> None:
    request = {"TableName": "table", "Key": KEY, "AttributeUpdates": {"new": {"Value": {"S": "x"}}, name: update}}
    assert refused(engine, "UpdateItem", request).message == MISMATCH
    assert get(engine, KEY) == OLD


def test_a_sum_that_does_not_fit_is_refused_as_such(engine: Engine) -> None:
    updated(engine, {"n": {"Value": {"N": "9e125"}}})
    request = {"Key": KEY, "AttributeUpdates": {"n": {"Action": "ADD", "Value": {"N": "9e125"}}}}
    words = refused(engine, "UpdateItem", {"TableName": "table", **request}).message
    assert words == "Number overflow. Attempting to store a number with magnitude larger than supported range"


def test_what_is_expected_is_looked_at_before_types(engine: Engine) -> None:
    update = {"t": {"Action": "ADD", "Value": {"N": "1"}}}
    request = {"TableName": "table", "Key": KEY, "AttributeUpdates": update, "Expected": {"n": {"Exists": False}}}
    assert refused(engine, "UpdateItem", request).code == "ConditionalCheckFailedException"


@pytest.mark.parametrize("name", ["pk", "sk"])
def test_keys_are_not_updated(engine: Engine, name: str) -> None:
    request = {
        "TableName": "table",
        "Key": KEY,
        "AttributeUpdates": {"t": {"Action": "DELETE"}, name: {"Action": "DELETE"}},
    }
    assert refused(engine, "UpdateItem", request).message == (
        f"{INVALID}Cannot update attribute {name}. This attribute is part of the key"
    )


def test_of_two_keys_the_first_is_named(engine: Engine) -> None:
    updates = {"sk": {"Action": "DELETE"}, "pk": {"Action": "DELETE"}}
    words = refused(engine, "UpdateItem", {"TableName": "table", "Key": KEY, "AttributeUpdates": updates}).message
    assert words == f"{INVALID}Cannot update attribute pk. This attribute is part of the key"


@pytest.mark.parametrize(
    ("update", "actual"),
    [
        ({"Value": {"N": "1"}}, "N"),
        ({"Action": "ADD", "Value": {"N": "1"}}, "N"),
        ({"Action": "ADD", "Value": {"L": []}}, "L"),
    ],
)
def test_keys_of_indexes_keep_their_type(engine: Engine, update: Document, actual: str) -> None:
    request = {"TableName": "table", "Key": KEY, "AttributeUpdates": {"gsiPk": update}}
    assert refused(engine, "UpdateItem", request).message == (
        f"{INVALID}Type mismatch for Index Key gsiPk Expected: S Actual: {actual} IndexName: gsi"
    )


def test_an_item_does_not_grow_too_large(engine: Engine) -> None:
    updates = {"v": {"Value": {"S": "x" * 409_600}}}
    words = refused(engine, "UpdateItem", {"TableName": "table", "Key": KEY, "AttributeUpdates": updates}).message
    assert words == "Item size to update has exceeded the maximum allowed size"
    assert get(engine, KEY) == OLD


def test_names_are_checked(engine: Engine) -> None:
    updates = {"": {"Value": {"S": "x"}}}
    words = refused(engine, "UpdateItem", {"TableName": "table", "Key": KEY, "AttributeUpdates": updates}).message
    assert words == "Empty attribute name"
