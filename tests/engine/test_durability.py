"""All entry points of the engine except `respond` return only after the write is durable."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from singletable.engine.storage.store import Store
from singletable.errors import RequestRefused
from tests.engine.table_requests import create, texts

PUT = {"TableName": "table", "Item": texts(pk="a", sk="1")}
GET = {"TableName": "table", "Key": texts(pk="a", sk="1")}
REFUSED = {"TableName": "table", "Item": texts(pk="a")}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create(made)
        yield made


@pytest.fixture
def flushes(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[Store]:
    """Return the flushes since the table was created."""
    made: list[Store] = []

    def flush(store: Store) -> None:
        made.append(store)

    monkeypatch.setattr(Store, "flush", flush)
    return made


def test_engine_calls_flush_writes_but_not_reads(engine: Engine, flushes: list[Store]) -> None:
    engine.call("PutItem", PUT)
    assert flushes == [engine.store]
    engine.call("GetItem", GET)
    assert flushes == [engine.store]


def test_engine_answers_flush_writes_but_not_reads(engine: Engine, flushes: list[Store]) -> None:
    engine.answer("DynamoDB_20120810.PutItem", json.dumps(PUT).encode())
    assert flushes == [engine.store]
    engine.answer("DynamoDB_20120810.GetItem", json.dumps(GET).encode())
    assert flushes == [engine.store]


def test_the_engine_does_not_flush_for_a_failed_write(engine: Engine, flushes: list[Store]) -> None:
    with pytest.raises(RequestRefused):
        engine.call("PutItem", REFUSED)
    assert engine.answer("DynamoDB_20120810.PutItem", json.dumps(REFUSED).encode()).status == 400
    assert flushes == []


def test_engine_responses_are_flushed_once_for_many(engine: Engine, flushes: list[Store]) -> None:
    answers = [engine.respond("DynamoDB_20120810.PutItem", json.dumps(PUT).encode()) for _ in range(3)]
    assert all(answer.wrote for answer in answers)
    assert not engine.respond("DynamoDB_20120810.GetItem", json.dumps(GET).encode()).wrote
    assert flushes == []
