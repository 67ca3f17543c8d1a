"""Error responses: DynamoDB's messages for malformed requests, and the JSON body and status of errors."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from singletable.errors import RequestRefused, invalid
from singletable.wire import item_requests, query_and_scan, table_requests
from singletable.wire.api_types import Shape
from singletable.wire.error_responses import EXPLAINED_ELEMENTS_MAX, error_body, error_status, request_error

KEY = {"pk": {"S": "a"}}
NULL = "failed to satisfy constraint: Member must not be null"


def error_of(shape: type[Shape], document: Any) -> tuple[str, str]:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises((msgspec.MsgspecError, UnicodeDecodeError)):
        msgspec.json.decode(body, type=shape)
    error = request_error(shape, body)
    return error.code, error.message


@pytest.mark.parametrize(
    ("shape", "document", "message"),
    [
        (item_requests.PutItem, {"Item": KEY}, f"1 validation error detected: Value null at 'tableName' {NULL}"),
        (
            item_requests.PutItem,
            {},
            f"2 validation errors detected: Value null at 'tableName' {NULL}; Value null at 'item' {NULL}",
        ),
        (
            item_requests.GetItem,
            {"TableName": "", "Key": KEY},
            "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            item_requests.DeleteItem,
            {"TableName": "a" * 256, "Key": KEY},
            f"1 validation error detected: Value '{'a' * 256}' at 'tableName' failed to satisfy constraint: "
            "Member must have length less than or equal to 255",
        ),
        (
            item_requests.UpdateItem,
            {"TableName": "no blanks", "Key": KEY},
            "1 validation error detected: Value 'no blanks' at 'tableName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        ),
        (
            query_and_scan.Query,
            {"TableName": "table", "Select": "SOME"},
            "1 validation error detected: Value 'SOME' at 'select' failed to satisfy constraint: Member must satisfy "
            "enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
        ),
        (
            query_and_scan.Scan,
            {"TableName": "table", "Limit": 0},
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1",
        ),
        (
            table_requests.CreateTable,
            {"KeySchema": [], "AttributeDefinitions": []},
            "The parameter 'TableName' is required but was not present in the request",
        ),
        (
            table_requests.CreateTable,
            {"TableName": "ab", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": []},
            "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 3",
        ),
        (
            table_requests.CreateTable,
            {"TableName": "abc", "KeySchema": [{"AttributeName": "pk", "KeyType": "SORT"}], "AttributeDefinitions": []},
            "1 validation error detected: Value 'SORT' at 'keySchema.1.member.keyType' failed to satisfy constraint: "
            "Member must satisfy enum value set: [HASH, RANGE]",
        ),
        (
            item_requests.BatchWriteItem,
            {"RequestItems": {"abc": []}},
            "1 validation error detected: Value '{abc=[]}' at 'requestItems' failed to satisfy constraint: "
            "Map value must satisfy constraint: [Member must have length less than or equal to 25, "
            "Member must have length greater than or equal to 1]",
        ),
        (
            item_requests.TransactWriteItems,
            {"TransactItems": []},
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            item_requests.TransactWriteItems,
            {"TransactItems": [{"Put": {"TableName": "abc"}}]},
            f"1 validation error detected: Value null at 'transactItems.1.member.put.item' {NULL}",
        ),
    ],
)
def test_an_error_response_reports_a_broken_constraint_with_the_services_message(
    shape: type[Shape], document: dict[str, Any], message: str
) -> None:
    assert error_of(shape, document) == ("ValidationException", message)


def test_an_error_response_shows_the_key_schema_as_the_service_does() -> None:
    schema = [{"AttributeName": name, "KeyType": "RANGE"} for name in "abc"]
    document = {"TableName": "abc", "KeySchema": schema, "AttributeDefinitions": []}
    shown = ", ".join(f"KeySchemaElement(attributeName={name}, keyType=RANGE)" for name in "abc")
    assert error_of(table_requests.CreateTable, document)[1] == (
        f"1 validation error detected: Value '[{shown}]' at 'keySchema' failed to satisfy constraint: "
        "Member must have length less than or equal to 2"
    )


def test_an_error_response_reports_broken_constraints_together() -> None:
    wrong = {"ReturnConsumedCapacity": "X", "ReturnItemCollectionMetrics": "X", "ReturnValues": "X"}
    code, message = error_of(item_requests.PutItem, {"TableName": "table", "Item": KEY, **wrong})
    assert code == "ValidationException"
    assert message.startswith("3 validation errors detected: ")
    assert all(f"'{name[0].lower()}{name[1:]}'" in message for name in wrong)


def test_an_error_response_reports_at_most_ten_constraints() -> None:
    definitions = [{"AttributeName": "a", "AttributeType": "X"}] * 12
    document = {"TableName": "abc", "AttributeDefinitions": definitions, "KeySchema": []}
    assert error_of(table_requests.CreateTable, document)[1].startswith("10 validation errors detected: ")


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
def test_an_error_response_reports_a_wrong_type_before_every_constraint(document: dict[str, Any], message: str) -> None:
    assert error_of(item_requests.GetItem, document) == ("SerializationException", message)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("3", "STRING_VALUE cannot be converted to Long"),
        (True, "TRUE_VALUE cannot be converted to Long"),
        ([], "Unrecognized collection type class java.lang.Long"),
    ],
)
def test_an_error_response_calls_capacity_units_longs_and_other_numbers_integers(value: Any, message: str) -> None:
    throughput = {"ProvisionedThroughput": {"ReadCapacityUnits": value, "WriteCapacityUnits": 3}}
    assert error_of(table_requests.CreateTable, throughput) == ("SerializationException", message)
    ceiling = {"OnDemandThroughput": {"MaxWriteRequestUnits": value}}
    assert error_of(table_requests.UpdateTable, ceiling) == ("SerializationException", message)
    limited = error_of(table_requests.ListTables, {"Limit": value})
    assert limited == ("SerializationException", message.replace("Long", "Integer"))


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"5", b"null", b"\xff\xfe", b'{"TableName": "\xff"}', b"[" * 100_000]
)
def test_a_body_that_is_not_a_json_object_gets_an_error_response(body: bytes) -> None:
    assert request_error(item_requests.GetItem, body).code == "SerializationException"


def test_the_error_response_for_a_huge_list_shows_only_its_beginning() -> None:
    action = {"Put": {"TableName": "table", "Item": KEY}}
    code, message = error_of(item_requests.TransactWriteItems, {"TransactItems": [action] * 20_000})
    assert code == "ValidationException"
    assert message.endswith(
        "'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
    )
    assert message.count("Put=") == EXPLAINED_ELEMENTS_MAX


def test_the_error_response_reports_an_error_far_behind_the_beginning_of_an_object() -> None:
    names = {f"#{number}": "a" for number in range(20_000)} | {"#last": 5}
    code, message = error_of(query_and_scan.Scan, {"TableName": "table", "ExpressionAttributeNames": names})
    assert (code, message) == ("SerializationException", "NUMBER_VALUE cannot be converted to String")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["S", "Key", "pk", "TableName"]), inner)
    ),
    max_leaves=8,
)
_SHAPES: list[type[Shape]] = [
    item_requests.GetItem,
    item_requests.PutItem,
    query_and_scan.Query,
    item_requests.BatchWriteItem,
    item_requests.TransactWriteItems,
    table_requests.CreateTable,
    table_requests.UpdateTable,
]


@given(shape=st.sampled_from(_SHAPES), data=st.data())
def test_every_undecodable_body_gets_an_error_response_with_a_message(shape: type[Shape], data: st.DataObject) -> None:
    names = [field.encode_name for field in msgspec.structs.fields(shape)]
    document = data.draw(st.dictionaries(st.sampled_from(names), _json, max_size=4))
    body = json.dumps(document).encode()
    try:
        msgspec.json.decode(body, type=shape)
    except msgspec.MsgspecError:
        refused = request_error(shape, body)
        assert refused.code in ("SerializationException", "ValidationException")
        assert refused.message != "The request could not be understood"


@pytest.mark.parametrize(
    ("code", "full"),
    [
        ("ValidationException", "com.amazon.coral.validate#ValidationException"),
        ("SerializationException", "com.amazon.coral.service#SerializationException"),
        ("UnknownOperationException", "com.amazon.coral.service#UnknownOperationException"),
        ("ResourceNotFoundException", "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"),
        ("TransactionCanceledException", "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"),
    ],
)
def test_the_type_in_an_error_response_has_the_namespace_of_the_service(code: str, full: str) -> None:
    assert json.loads(error_body(RequestRefused(code, "why")))["__type"] == full


def test_the_body_of_an_error_response_contains_the_message() -> None:
    assert json.loads(error_body(invalid("no")))["message"] == "no"


def test_an_error_response_leaves_out_an_empty_message() -> None:
    assert error_body(RequestRefused("UnknownOperationException", "")) == (
        b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'
    )


def test_an_error_response_adds_fields_and_copies_stored_items() -> None:
    refusal = RequestRefused("ConditionalCheckFailedException", "no", Item=Raw(b'{"pk":{"S":"a"}}'))
    assert json.loads(error_body(refusal))["Item"] == {"pk": {"S": "a"}}


@pytest.mark.parametrize(
    ("code", "status"), [("ValidationException", 400), ("InternalServerError", 500), ("RequestEntityTooLarge", 413)]
)
def test_the_status_of_an_error_response_depends_on_the_error_code(code: str, status: int) -> None:
    assert error_status(RequestRefused(code, "")) == status
