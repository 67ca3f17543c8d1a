"""The server records its requests in the format of the botocore hook, without values, and with the same replies."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable.catalogue.recorded_catalogue import read_catalogue
from singletable.catalogue.request_recorder import RequestRecorder
from singletable.engine import Engine
from singletable.engine.http.recording_engine import RecordingEngine, describe_tables

TABLE = {
    "TableName": "orders",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "line", "KeyType": "RANGE"}],
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "line")],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine("memory:") as opened:
        yield opened


def send(engine: Any, operation: str, request: Any) -> tuple[int, Any]:
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    reply = engine.respond(f"DynamoDB_20120810.{operation}", body)
    return reply.status, json.loads(reply.body)


def test_requests_and_replies_are_recorded(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "catalogue.jsonl"
    recording = RecordingEngine(engine, RequestRecorder(path, "serve"))
    assert send(recording, "CreateTable", TABLE)[0] == 200
    for line in "ab":
        send(recording, "PutItem", {"TableName": "orders", "Item": {"id": {"S": "hidden"}, "line": {"S": line}}})
    query = {
        "TableName": "orders",
        "KeyConditionExpression": "id = :i",
        "ExpressionAttributeValues": {":i": {"S": "hidden"}},
    }
    assert send(recording, "Query", query) == send(engine, "Query", query)
    missing = {"TableName": "lost", "Key": {"id": {"S": "hidden"}}}
    assert send(recording, "GetItem", missing)[1]["__type"].endswith("ResourceNotFoundException")
    catalogue = read_catalogue([path])
    assert {each.name: each.calls for each in catalogue.patterns} == {
        "put_orders": 2,
        "query_orders_by_id": 1,
        "get_lost_by_id": 1,
    }
    assert catalogue.tables["orders"].keys == ("id", "line")
    assert "hidden" not in path.read_text()


def test_the_recording_engine_describes_existing_tables_first(engine: Engine, tmp_path: Path) -> None:
    for number in range(105):  # more than a page of ListTables
        send(engine, "CreateTable", {**TABLE, "TableName": f"orders-{number:03}"})
    path = tmp_path / "catalogue.jsonl"
    recorder = RequestRecorder(path, "serve")
    describe_tables(engine, recorder)
    send(RecordingEngine(engine, recorder), "Scan", {"TableName": "orders-104"})
    assert read_catalogue([path]).tables["orders-104"].keys == ("id", "line")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"null", b'{"TableName": 5}', b'{"Key": {}}'])
def test_the_recording_engine_passes_invalid_requests_on_and_records_no_line(
    engine: Engine, tmp_path: Path, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "catalogue.jsonl"
    recording = RecordingEngine(engine, RequestRecorder(path, "serve"))
    assert send(recording, "GetItem", body) == send(engine, "GetItem", body)
    assert len(path.read_text().splitlines()) == 1
    assert not caplog.records


def test_a_failed_record_does_not_fail_the_request(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    recording = RecordingEngine(engine, RequestRecorder(tmp_path / "catalogue.jsonl", "serve"))
    send(recording, "CreateTable", TABLE)
    monkeypatch.setattr(RequestRecorder, "record", fail)
    with caplog.at_level(logging.ERROR):
        assert send(recording, "Scan", {"TableName": "orders"})[0] == 200
    assert "cannot record a request of Scan" in caplog.text
