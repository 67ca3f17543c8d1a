"""The test whether a response belongs to a request: by the keys of its items, and by the fields of the operation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.client.http.response_matching import is_response_to
from singletable.engine.engine import Engine

TABLE = {
    "TableName": "shop",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": "PK", "AttributeType": "S"},
        {"AttributeName": "SK", "AttributeType": "N"},
    ],
}
PARTITIONS = ("a", "b", 'quote"', "é\n", "a/b")


def key(partition: str, sort: str = "1") -> dict[str, Any]:
    return {"PK": {"S": partition}, "SK": {"N": sort}}


def get(partition: str, sort: str = "1", **more: Any) -> tuple[str, dict[str, Any]]:
    return "GetItem", {"TableName": "shop", "Key": key(partition, sort), **more}


def query(partition: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "Query", {
        "TableName": "shop",
        "KeyConditionExpression": "#n0 = :v0 AND SK BETWEEN :v1 AND :v2",
        "ExpressionAttributeNames": {"#n0": "PK"},
        "ExpressionAttributeValues": {":v0": {"S": partition}, ":v1": {"N": "0"}, ":v2": {"N": "9"}},
        **more,
    }


def batch(*partitions: str) -> tuple[str, dict[str, Any]]:
    return "BatchGetItem", {"RequestItems": {"shop": {"Keys": [key(each) for each in partitions]}}}


def transaction(*partitions: str) -> tuple[str, dict[str, Any]]:
    gets = [{"Get": {"TableName": "shop", "Key": key(each)}} for each in partitions]
    return "TransactGetItems", {"TransactItems": gets}


def update(partition: str) -> tuple[str, dict[str, Any]]:
    return "UpdateItem", {"TableName": "shop", "Key": key(partition), "ReturnValues": "ALL_NEW"}


def put(partition: str) -> tuple[str, dict[str, Any]]:
    return "PutItem", {"TableName": "shop", "Item": key(partition), "ReturnValues": "ALL_OLD"}


def scan() -> tuple[str, dict[str, Any]]:
    return "Scan", {"TableName": "shop"}


REQUESTS = [
    *(each(partition) for each in (get, query, batch, transaction, update) for partition in PARTITIONS),
    *(put("a"), scan(), get("a", "1.0"), query("a", Select="COUNT"), query("a", ProjectionExpression="x")),
    *(get("missing"), get("a", ProjectionExpression="x"), batch("a", "missing"), transaction("a", "missing")),
]


@pytest.fixture(scope="module")
def answered() -> list[tuple[str, bytes, bytes]]:
    """The requests, each with its response."""
    with Engine("memory:") as engine:
        engine.call("CreateTable", TABLE)
        for partition in PARTITIONS:
            item = key(partition) | {"x": {"M": {"Item": {"S": "1"}, "PK": {"S": "a"}}}}
            engine.call("PutItem", {"TableName": "shop", "Item": item})
        found = []
        for operation, document in REQUESTS:
            request = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
            response = engine.answer(f"DynamoDB_20120810.{operation}", request)
            assert response.status == 200, response.body
            found.append((operation, request, response.body))
        return found


def reordered(value: Any) -> Any:
    """Return a JSON value with the members of its objects in another order."""
    if isinstance(value, dict):
        return {name: reordered(each) for name, each in reversed(value.items())}
    return [reordered(each) for each in value] if isinstance(value, list) else value


def test_response_matching_accepts_each_response_in_any_order_of_members(
    answered: list[tuple[str, bytes, bytes]],
) -> None:
    for operation, request, response in answered:
        assert is_response_to(operation, request, response)
        assert is_response_to(operation, request, json.dumps(reordered(json.loads(response))).encode())


def has_items(response: bytes) -> bool:
    document = json.loads(response)
    return bool(document.get("Item") or document.get("Items") or document.get("Attributes"))


@pytest.mark.parametrize("change", [lambda value: value, reordered], ids=["same order", "other order"])
def test_response_matching_rejects_the_items_of_other_requests(
    answered: list[tuple[str, bytes, bytes]], change: Any
) -> None:
    one_item = [each for each in answered if each[0] in ("GetItem", "Query", "UpdateItem") and has_items(each[2])]
    compared = 0
    for operation, request, _ in one_item:
        for other, other_request, response in one_item:
            wanted = (
                json.loads(request).get("Key", {}).get("PK") or json.loads(request)["ExpressionAttributeValues"][":v0"]
            )
            document = json.loads(response)
            (item,) = document.get("Items") or [document.get("Item") or document.get("Attributes")]
            if "PK" in item and (item["PK"] != wanted or operation != other):
                compared += 1
                body = json.dumps(change(document), ensure_ascii=False, separators=(",", ":")).encode()
                assert not is_response_to(operation, request, body), (operation, request, other_request)
    assert compared > 100


@pytest.mark.parametrize(
    ("operation", "response"),
    [
        *(("GetItem", body) for body in (b'{"Items":[],"Count":0}', b'{"Attributes":{}}', b'{"Responses":{}}')),
        *(("Query", body) for body in (b"{}", b'{"Item":{}}', b'{"UnprocessedItems":{}}')),
        *(("Scan", body) for body in (b"{}", b'{"Item":{}}')),
        *(("PutItem", body) for body in (b'{"Item":{}}', b'{"Count":1}', b'{"UnprocessedItems":{}}')),
        *(("BatchGetItem", body) for body in (b"{}", b'{"Item":{}}')),
        *(("TransactGetItems", body) for body in (b"{}", b'{"Responses":[{"Item":{"PK":{"S":"z"}}}]}')),
        ("BatchGetItem", b'{"Responses":{"shop":[{"PK":{"S":"z"},"SK":{"N":"1"}}]}}'),
        ("TransactWriteItems", b'{"Count":1}'),
        ("UpdateItem", b'{"Item":{}}'),
    ],
)
def test_response_matching_rejects_the_response_to_another_operation(operation: str, response: bytes) -> None:
    requests: dict[str, Any] = dict([get("a"), query("a"), batch("a"), transaction("a"), update("a"), put("a"), scan()])
    assert not is_response_to(operation, json.dumps(requests.get(operation, {})).encode(), response)


@given(st.sampled_from(REQUESTS), st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_response_makes_response_matching_raise(request_: tuple[str, dict[str, Any]], response: bytes) -> None:
    is_response_to(request_[0], json.dumps(request_[1]).encode(), response)


def test_response_matching_does_not_know_other_operations() -> None:
    assert is_response_to("DescribeTable", b"{}", b'{"Table":{}}')
