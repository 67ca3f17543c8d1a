"""A write is answered once it is as durable as the store makes it, at every door of the engine but `respond`."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from singletable.engine.storage.store import Store
from singletable.errors import RequestRefused
from tests.engine.tables import create, texts

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
    """The flushes since the table was made."""
    made: list[Store] = []

    def flush(store: Store) -> None:
        made.append(store)

    monkeypatch.setattr(Store, "flush", flush)
    return made


def test_a_called_write_is_flushed_and_a_read_is_not(engine: Engine, flushes: list[Store]) -> None:
    engine.call("PutItem", PUT)
    assert flushes == [engine.store]
    engine.call("GetItem", GET)
    assert flushes == [engine.store]


def test_an_answered_write_is_flushed_and_a_read_is_not(engine: Engine, flushes: list[Store]) -> None:
    engine.answer("DynamoDB_20120810.PutItem", json.dumps(PUT).encode())
    assert flushes == [engine.store]
    engine.answer("DynamoDB_20120810.GetItem", json.dumps(GET).encode())
    assert flushes == [engine.store]


def test_a_refused_write_needs_no_flush(engine: Engine, flushes: list[Store]) -> None:
    with pytest.raises(RequestRefused):
        engine.call("PutItem", REFUSED)
    assert engine.answer("DynamoDB_20120810.PutItem", json.dumps(REFUSED).encode()).status == 400
    assert flushes == []


def test_who_asks_to_respond_flushes_for_many_answers_at_once(engine: Engine, flushes: list[Store]) -> None:
    answers = [engine.respond("DynamoDB_20120810.PutItem", json.dumps(PUT).encode()) for _ in range(3)]
    assert all(answer.wrote for answer in answers)
    assert not engine.respond("DynamoDB_20120810.GetItem", json.dumps(GET).encode()).wrote
    assert flushes == []
