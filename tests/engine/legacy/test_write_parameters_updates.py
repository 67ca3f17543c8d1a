"""AttributeUpdates: PUT, ADD and DELETE for each attribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
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
def test_legacy_attribute_updates_give_the_expected_attribute(
    engine: Engine, name: str, action: str | None, value: Document | None, after: Document | None
) -> None:
    update = {"Action": action, "Value": value}
    expected = without(name) if after is None else {**OLD, name: after}
    assert updated(engine, {name: {each: given for each, given in update.items() if given is not None}}) == expected
    assert get(engine, KEY) == expected


def test_legacy_attribute_updates_change_several_attributes_at_once(engine: Engine) -> None:
    updates = {"n": {"Action": "ADD", "Value": {"N": "1"}}, "t": {"Action": "DELETE"}, "x": {"Value": {"S": "y"}}}
    assert updated(engine, updates) == {**without("t"), **item(n=2, x="y")}


@pytest.mark.parametrize(
    ("updates", "after"),
    [
        ({}, {}),
        ({"n": {"Action": "ADD", "Value": {"N": "3"}}}, item(n=3)),
        ({"l": {"Action": "ADD", "Value": {"L": []}}}, {"l": {"L": []}}),
    ],
)
def test_legacy_attribute_updates_create_a_missing_item(engine: Engine, updates: Document, after: Document) -> None:
    key = texts(pk="b", sk="1")
    assert updated(engine, updates, key) == {**key, **after}


@pytest.mark.parametrize("updates", [{"t": {"Action": "DELETE"}}, {"s": {"Action": "DELETE", "Value": {"SS": ["a"]}}}])
def test_legacy_attribute_updates_that_only_delete_create_no_item(engine: Engine, updates: Document) -> None:
    key = texts(pk="b", sk="1")
    assert engine.call("UpdateItem", {"TableName": "table", "Key": key, "AttributeUpdates": updates}) == {}
    assert get(engine, key) is None


@pytest.mark.parametrize(
    ("returned", "attributes"),
    [
        ("UPDATED_OLD", item(n=1, t="old")),
        ("UPDATED_NEW", item(n=2, x="y")),
        ("ALL_OLD", OLD),
    ],
)
def test_legacy_attribute_updates_can_return_the_changed_attributes(
    engine: Engine, returned: str, attributes: Document
) -> None:
    updates = {"n": {"Action": "ADD", "Value": {"N": "1"}}, "t": {"Action": "DELETE"}, "x": {"Value": {"S": "y"}}}
    assert updated(engine, updates, ReturnValues=returned) == attributes


def test_legacy_attribute_updates_change_indexes(engine: Engine) -> None:
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
def test_invalid_legacy_attribute_updates_are_rejected(engine: Engine, row: Refused) -> None:
    # This is checked before Expected and before the table.
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
def test_legacy_attribute_updates_reject_a_value_of_another_type_and_change_nothing(
    engine: Engine, name: str, update: Document
) -> None:
    request = {"TableName": "table", "Key": KEY, "AttributeUpdates": {"new": {"Value": {"S": "x"}}, name: update}}
    assert refused(engine, "UpdateItem", request).message == MISMATCH
    assert get(engine, KEY) == OLD


def test_legacy_attribute_updates_reject_a_sum_out_of_range(engine: Engine) -> None:
    updated(engine, {"n": {"Value": {"N": "9e125"}}})
    request = {"Key": KEY, "AttributeUpdates": {"n": {"Action": "ADD", "Value": {"N": "9e125"}}}}
    words = refused(engine, "UpdateItem", {"TableName": "table", **request}).message
    assert words == "Number overflow. Attempting to store a number with magnitude larger than supported range"


def test_legacy_expected_conditions_are_checked_before_the_types_of_attribute_updates(engine: Engine) -> None:
    update = {"t": {"Action": "ADD", "Value": {"N": "1"}}}
    request = {"TableName": "table", "Key": KEY, "AttributeUpdates": update, "Expected": {"n": {"Exists": False}}}
    assert refused(engine, "UpdateItem", request).code == "ConditionalCheckFailedException"


@pytest.mark.parametrize("name", ["pk", "sk"])
def test_legacy_attribute_updates_cannot_change_keys(engine: Engine, name: str) -> None:
    request = {
        "TableName": "table",
        "Key": KEY,
        "AttributeUpdates": {"t": {"Action": "DELETE"}, name: {"Action": "DELETE"}},
    }
    assert refused(engine, "UpdateItem", request).message == (
        f"{INVALID}Cannot update attribute {name}. This attribute is part of the key"
    )


def test_legacy_attribute_updates_report_the_first_of_two_updated_keys(engine: Engine) -> None:
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
def test_legacy_attribute_updates_cannot_change_the_type_of_index_keys(
    engine: Engine, update: Document, actual: str
) -> None:
    request = {"TableName": "table", "Key": KEY, "AttributeUpdates": {"gsiPk": update}}
    assert refused(engine, "UpdateItem", request).message == (
        f"{INVALID}Type mismatch for Index Key gsiPk Expected: S Actual: {actual} IndexName: gsi"
    )


def test_legacy_attribute_updates_cannot_exceed_the_item_size_limit(engine: Engine) -> None:
    updates = {"v": {"Value": {"S": "x" * 409_600}}}
    words = refused(engine, "UpdateItem", {"TableName": "table", "Key": KEY, "AttributeUpdates": updates}).message
    assert words == "Item size to update has exceeded the maximum allowed size"
    assert get(engine, KEY) == OLD


def test_legacy_attribute_updates_check_attribute_names(engine: Engine) -> None:
    updates = {"": {"Value": {"S": "x"}}}
    words = refused(engine, "UpdateItem", {"TableName": "table", "Key": KEY, "AttributeUpdates": updates}).message
    assert words == "Empty attribute name"
