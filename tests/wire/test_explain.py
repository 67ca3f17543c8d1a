"""A body without the shape of its request is refused in DynamoDB's words: types first, then up to ten constraints."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.wire import batches, items, pages, tables, transactions
from singletable.wire.explain import explain
from singletable.wire.shape import Shape

KEY = {"pk": {"S": "a"}}
NULL = "failed to satisfy constraint: Member must not be null"


def refusal(shape: type[Shape], document: Any) -> tuple[str, str]:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises((msgspec.MsgspecError, UnicodeDecodeError)):
        msgspec.json.decode(body, type=shape)
    refused = explain(shape, body)
    return refused.code, refused.message


@pytest.mark.parametrize(
    ("shape", "document", "message"),
    [
        (items.PutItem, {"Item": KEY}, f"1 validation error detected: Value null at 'tableName' {NULL}"),
        (
            items.PutItem,
            {},
            f"2 validation errors detected: Value null at 'tableName' {NULL}; Value null at 'item' {NULL}",
        ),
        (
            items.GetItem,
            {"TableName": "", "Key": KEY},
            "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            items.DeleteItem,
            {"TableName": "a" * 256, "Key": KEY},
            f"1 validation error detected: Value '{'a' * 256}' at 'tableName' failed to satisfy constraint: "
            "Member must have length less than or equal to 255",
        ),
        (
            items.UpdateItem,
            {"TableName": "no blanks", "Key": KEY},
            "1 validation error detected: Value 'no blanks' at 'tableName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        ),
        (
            pages.Query,
            {"TableName": "table", "Select": "SOME"},
            "1 validation error detected: Value 'SOME' at 'select' failed to satisfy constraint: Member must satisfy "
            "enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
        ),
        (
            pages.Scan,
            {"TableName": "table", "Limit": 0},
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1",
        ),
        (
            tables.CreateTable,
            {"KeySchema": [], "AttributeDefinitions": []},
            "The parameter 'TableName' is required but was not present in the request",
        ),
        (
            tables.CreateTable,
            {"TableName": "ab", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": []},
            "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 3",
        ),
        (
            tables.CreateTable,
            {"TableName": "abc", "KeySchema": [{"AttributeName": "pk", "KeyType": "SORT"}], "AttributeDefinitions": []},
            "1 validation error detected: Value 'SORT' at 'keySchema.1.member.keyType' failed to satisfy constraint: "
            "Member must satisfy enum value set: [HASH, RANGE]",
        ),
        (
            batches.BatchWriteItem,
            {"RequestItems": {"abc": []}},
            "1 validation error detected: Value '{abc=[]}' at 'requestItems' failed to satisfy constraint: "
            "Map value must satisfy constraint: [Member must have length less than or equal to 25, "
            "Member must have length greater than or equal to 1]",
        ),
        (
            transactions.TransactWriteItems,
            {"TransactItems": []},
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            transactions.TransactWriteItems,
            {"TransactItems": [{"Put": {"TableName": "abc"}}]},
            f"1 validation error detected: Value null at 'transactItems.1.member.put.item' {NULL}",
        ),
    ],
)
def test_a_broken_constraint_is_told_in_the_words_of_the_service(
    shape: type[Shape], document: dict[str, Any], message: str
) -> None:
    assert refusal(shape, document) == ("ValidationException", message)


def test_the_key_schema_is_shown_as_the_service_shows_it() -> None:
    schema = [{"AttributeName": name, "KeyType": "RANGE"} for name in "abc"]
    document = {"TableName": "abc", "KeySchema": schema, "AttributeDefinitions": []}
    shown = ", ".join(f"KeySchemaElement(attributeName={name}, keyType=RANGE)" for name in "abc")
    assert refusal(tables.CreateTable, document)[1] == (
        f"1 validation error detected: Value '[{shown}]' at 'keySchema' failed to satisfy constraint: "
        "Member must have length less than or equal to 2"
    )


def test_constraints_are_reported_together() -> None:
    wrong = {"ReturnConsumedCapacity": "X", "ReturnItemCollectionMetrics": "X", "ReturnValues": "X"}
    code, message = refusal(items.PutItem, {"TableName": "table", "Item": KEY, **wrong})
    assert code == "ValidationException"
    assert message.startswith("3 validation errors detected: ")
    assert all(f"'{name[0].lower()}{name[1:]}'" in message for name in wrong)


def test_no_more_than_ten_constraints_are_reported() -> None:
    definitions = [{"AttributeName": "a", "AttributeType": "X"}] * 12
    document = {"TableName": "abc", "AttributeDefinitions": definitions, "KeySchema": []}
    assert refusal(tables.CreateTable, document)[1].startswith("10 validation errors detected: ")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"TableName": 5}, "NUMBER_VALUE cannot be converted to String"),
        ({"TableName": 5.5}, "DECIMAL_VALUE cannot be converted to String"),
        ({"TableName": True}, "TRUE_VALUE cannot be converted to String"),
        ({"TableName": []}, "Unrecognized collection type class java.lang.String"),
        ({"TableName": {}}, "Start of structure or map found where not expected"),
        ({"ConsistentRead": "maybe"}, "Unexpected token received from parser"),
        ({"Key": "a"}, "Unexpected field type"),
        (
            {"Key": {"pk": []}},
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
        ),
        (
            {"ExpressionAttributeNames": []},
            "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>",
        ),
        ({"Key": {"pk": "a"}}, "Unexpected value type in payload"),
        (
            {"Key": []},
            "Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.AttributeValue>",
        ),
        ({"AttributesToGet": "a"}, "Unexpected field type"),
        ({"AttributesToGet": {}}, "Start of structure or map found where not expected"),
    ],
)
def test_a_wrong_type_comes_before_every_constraint(document: dict[str, Any], message: str) -> None:
    assert refusal(items.GetItem, document) == ("SerializationException", message)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("3", "STRING_VALUE cannot be converted to Long"),
        (True, "TRUE_VALUE cannot be converted to Long"),
        ([], "Unrecognized collection type class java.lang.Long"),
    ],
)
def test_units_are_longs_and_other_numbers_integers(value: Any, message: str) -> None:
    throughput = {"ProvisionedThroughput": {"ReadCapacityUnits": value, "WriteCapacityUnits": 3}}
    assert refusal(tables.CreateTable, throughput) == ("SerializationException", message)
    ceiling = {"OnDemandThroughput": {"MaxWriteRequestUnits": value}}
    assert refusal(tables.UpdateTable, ceiling) == ("SerializationException", message)
    limited = refusal(tables.ListTables, {"Limit": value})
    assert limited == ("SerializationException", message.replace("Long", "Integer"))


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"5", b"null", b"\xff\xfe", b'{"TableName": "\xff"}', b"[" * 100_000]
)
def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    assert explain(items.GetItem, body).code == "SerializationException"


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["S", "Key", "pk", "TableName"]), inner)
    ),
    max_leaves=8,
)
_SHAPES: list[type[Shape]] = [
    items.GetItem,
    items.PutItem,
    pages.Query,
    batches.BatchWriteItem,
    transactions.TransactWriteItems,
    tables.CreateTable,
    tables.UpdateTable,
]


@given(shape=st.sampled_from(_SHAPES), data=st.data())
def test_whatever_cannot_be_decoded_is_explained(shape: type[Shape], data: st.DataObject) -> None:
    names = [field.encode_name for field in msgspec.structs.fields(shape)]
    document = data.draw(st.dictionaries(st.sampled_from(names), _json, max_size=4))
    body = json.dumps(document).encode()
    try:
        msgspec.json.decode(body, type=shape)
    except msgspec.MsgspecError:
        refused = explain(shape, body)
        assert refused.code in ("SerializationException", "ValidationException")
        assert refused.message != "The request could not be understood"
