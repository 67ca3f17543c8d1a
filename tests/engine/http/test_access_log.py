"""The access log: one line per request with operation, tables, status and error code, but no keys and values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.engine.http.access_log import AccessLog, LogFormat, LoggedService
from singletable.engine.http.http_messages import JSON_1_0, HttpRequest
from singletable.engine.http.request_parser import TOO_LARGE

TABLE = {
    "TableName": "shop",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
ITEM = {"pk": {"S": "hidden"}}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine("memory:") as opened:
        yield opened


def logged(engine: Engine, *requests: tuple[str, Any], log_format: LogFormat = "json") -> list[str]:
    """Return the lines about these requests, without the line of the request that creates the table."""
    lines: list[str] = []
    service = LoggedService(AccessLog(log_format, lines.append, lambda: 0.0), engine)
    for operation, parameters in (("CreateTable", TABLE), *requests):
        headers = {b"x-amz-target": f"DynamoDB_20120810.{operation}".encode(), b"content-type": JSON_1_0}
        body = parameters if isinstance(parameters, bytes) else json.dumps(parameters).encode()
        service.answer(HttpRequest(b"POST", b"/", headers, body, True))
    service.reject(TOO_LARGE)
    return lines[1:]


def test_the_access_log_has_the_operation_the_tables_and_the_status(engine: Engine) -> None:
    put, batch, transaction, too_large = map(
        json.loads,
        logged(
            engine,
            ("PutItem", {"TableName": "shop", "Item": ITEM}),
            ("BatchGetItem", {"RequestItems": {"shop": {"Keys": [ITEM]}}}),
            ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "shop", "Key": ITEM}}]}),
        ),
    )
    assert (put["time"], put["level"], put["operation"]) == ("1970-01-01T00:00:00.000+00:00", "info", "PutItem")
    assert (put["status"], put["tables"], put["error"]) == (200, ["shop"], None)
    assert (put["request_bytes"], put["response_bytes"]) == (54, 2)
    assert put["milliseconds"] >= 0
    assert len(put["request_id"]) == 52
    assert batch["tables"] == transaction["tables"] == ["shop"]
    assert (too_large["status"], too_large["operation"], too_large["tables"]) == (413, None, [])


def test_the_access_log_has_the_error_code_of_a_rejected_request(engine: Engine) -> None:
    denied, invalid, *_ = map(
        json.loads,
        logged(
            engine,
            ("PutItem", {"TableName": "shop", "Item": ITEM, "ConditionExpression": "attribute_exists(pk)"}),
            ("GetItem", b"not JSON"),
        ),
    )
    assert (denied["status"], denied["error"]) == (400, "ConditionalCheckFailedException")
    assert (invalid["status"], invalid["error"], invalid["tables"]) == (400, "SerializationException", [])


@pytest.mark.parametrize("log_format", ["json", "text"])
def test_the_access_log_contains_no_keys_or_values(engine: Engine, log_format: LogFormat) -> None:
    lines = logged(
        engine,
        ("PutItem", {"TableName": "shop", "Item": ITEM}),
        ("PutItem", {"TableName": "shop", "Item": {**ITEM, "n": {"N": "hidden"}}}),
        ("GetItem", {"TableName": "shop", "Key": {**ITEM, "more": {"S": "hidden"}}}),
        log_format=log_format,
    )
    assert len(lines) == 4
    assert "hidden" not in "".join(lines)


def test_the_access_log_can_have_lines_of_text(engine: Engine) -> None:
    get, lost, *_ = logged(
        engine,
        ("GetItem", {"TableName": "shop", "Key": ITEM}),
        ("GetItem", {"TableName": "lost", "Key": ITEM}),
        log_format="text",
    )
    assert get.startswith("1970-01-01T00:00:00.000+00:00 200 GetItem shop ")
    assert lost.startswith("1970-01-01T00:00:00.000+00:00 400 GetItem lost ResourceNotFoundException ")
    assert get.endswith(" ms")


def test_the_access_log_contains_internal_errors(engine: Engine) -> None:
    lines: list[str] = []
    AccessLog("json", lines.append, lambda: 0.0).message("Traceback\nBroken")
    assert json.loads(lines[0]) == {
        "time": "1970-01-01T00:00:00.000+00:00",
        "level": "error",
        "message": "Traceback\nBroken",
    }
