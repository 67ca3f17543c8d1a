"""A steady clock ignores a jump of the system's clock for a while."""

from __future__ import annotations

import time
from typing import Any

from singletable.engine.engine import Engine
from singletable.engine.steady_clock import SteadyClock
from tests.engine.table_requests import create_hash, get, item

HOURS = 3600.0


def test_a_steady_clock_ignores_a_jump_that_ends_soon_and_accepts_one_that_lasts() -> None:
    wall, monotonic = 1_000_000.0, 5.0
    clock = SteadyClock(600, lambda: wall, lambda: monotonic)
    assert clock() == 1_000_000
    wall += 2 * HOURS
    assert clock() == 1_000_000
    wall, monotonic = 1_000_010.0, 15.0
    assert clock() == 1_000_010
    wall += 2 * HOURS
    assert clock() == 1_000_010
    wall, monotonic = wall + 599, monotonic + 599
    assert clock() == 1_000_609
    wall, monotonic = wall + 1, monotonic + 1
    assert clock() == wall


def test_a_steady_clock_follows_a_clock_that_is_set_back() -> None:
    wall = 1_000_000.0
    clock = SteadyClock(600, lambda: wall, lambda: 5.0)
    wall -= HOURS
    assert clock() == wall


def test_a_clock_jump_does_not_let_an_idempotency_token_count_twice() -> None:
    jump = 0.0

    def count(engine: Engine, token: str) -> None:
        update: dict[str, Any] = {
            "TableName": "hash",
            "Key": item(pk="counter"),
            "UpdateExpression": "ADD amount :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
        engine.call("TransactWriteItems", {"TransactItems": [{"Update": update}], "ClientRequestToken": token})

    with Engine() as engine:
        assert isinstance(engine.token_now, SteadyClock)
        engine.token_now = SteadyClock(600, lambda: time.time() + jump)
        create_hash(engine)
        count(engine, "first")
        jump = 2 * HOURS
        count(engine, "second")  # deletes expired tokens
        count(engine, "first")
        jump = 0.0
        count(engine, "first")
        assert get(engine, item(pk="counter"), "hash") == item(pk="counter", amount=2)
