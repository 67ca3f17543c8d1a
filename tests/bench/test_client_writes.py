"""Write rows of the client benchmark: the checks before a measurement, and the comparison with the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bench.client_bench import engine_worker
from bench.client_bench.contenders import Contender, Writes, find_contender
from bench.client_bench.contenders.singletable_dataclass_writes import Orders
from bench.client_bench.contenders.singletable_write_functions import on_engine
from bench.client_bench.orders import Order, stored_item
from bench.client_bench.request_capture import capture_requests
from bench.client_bench.rows import BATCH, CREATE, MOVE, PUT, TRANSACTION, UPDATE
from bench.client_bench.worker_loop import WrongObject
from bench.client_bench.write_checks import WriteChecks
from bench.client_bench.write_items import (
    WRITE_TABLE,
    arguments_of,
    keys_of,
    order_to_write,
    stored_difference,
)
from bench.client_bench.write_worker import Arguments
from singletable.engine import Engine

CONTENDER: Contender = find_contender("singletable, dataclass")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine("memory:") as opened:
        yield opened


@pytest.fixture
def writes(engine: Engine) -> Writes:
    return on_engine(Orders, engine)


def item_of(each: Order) -> dict[str, Any]:
    return {**stored_item(each), **{name: {"S": text} for name, text in keys_of(each).items()}}


def check(writes: Writes) -> None:
    assert writes.read_item is not None
    WriteChecks(CONTENDER, writes, "c1", lambda call, *arguments: call(*arguments), writes.read_item).run()


def test_the_client_write_benchmark_accepts_a_correct_contender(writes: Writes) -> None:
    check(writes)


def test_the_client_write_benchmark_detects_a_put_of_another_object(writes: Writes) -> None:
    wrong = replace(writes, put=lambda order: writes.put(replace(order, quantity=5)))
    with pytest.raises(WrongObject, match=r"^singletable, dataclass, put: quantity of o00007 is "):
        check(wrong)


def test_the_client_write_benchmark_detects_a_create_without_a_condition(writes: Writes) -> None:
    with pytest.raises(WrongObject, match="create: the condition on o900000 did not reject the write"):
        check(replace(writes, create=writes.put))


def test_the_client_write_benchmark_detects_an_update_that_keeps_the_old_index_key(
    writes: Writes, engine: Engine
) -> None:
    def set_status(customer: str, order: str, status: str) -> None:
        engine.call(
            "UpdateItem",
            {
                "TableName": WRITE_TABLE,
                "Key": {"PK": {"S": f"CUST#{customer}"}, "SK": {"S": f"ORDER#{order}"}},
                "UpdateExpression": "SET #status = :status",
                "ExpressionAttributeNames": {"#status": "status"},
                "ExpressionAttributeValues": {":status": {"S": status}},
            },
        )

    with pytest.raises(WrongObject, match="move: GSI1PK of o00003 is "):
        check(replace(writes, set_status=set_status))


def test_the_client_write_benchmark_detects_a_wrong_returned_object(writes: Writes) -> None:
    def set_note(*arguments: str) -> Any:
        return replace(writes.set_note(*arguments), note="another")

    with pytest.raises(WrongObject, match="update: note of o00003 is 'another'"):
        check(replace(writes, set_note=set_note))


def test_the_client_write_benchmark_compares_numbers_and_datetimes_in_any_notation() -> None:
    expected = order_to_write("c1", 25)
    item = item_of(expected)
    assert stored_difference(item, expected) is None
    assert stored_difference({**item, "total": {"N": "19.30"}}, expected) is None
    shifted = expected.created_at.isoformat()
    assert stored_difference({**item, "created_at": {"S": shifted}}, expected) is None
    later = (expected.created_at + timedelta(microseconds=1)).isoformat()
    assert stored_difference({**item, "created_at": {"S": later}}, expected) is not None
    assert stored_difference({**item, "extra": {"NULL": True}}, expected) is not None
    assert stored_difference(None, expected) == "o00025 is not stored"


def test_every_call_of_the_client_write_benchmark_changes_something(writes: Writes) -> None:
    arguments = Arguments(writes, "c1")
    statuses = [arguments.next_of(MOVE) for _ in range(3_000)]
    notes = [arguments.next_of(UPDATE) for _ in range(3_000)]
    for calls in (statuses, notes):
        assert all(
            first[:2] == second[:2] and first[2] != second[2]
            for first, second in zip(calls, calls[1_000:], strict=False)
        )
    assert all(order_to_write("c1", number).status != call[2] for number, call in enumerate(statuses[:1_000]))
    first, second = arguments.next_of(CREATE), arguments.next_of(CREATE)
    assert first[0].id != second[0].id


def test_batches_and_transactions_of_the_client_write_benchmark_have_a_fixed_number_of_orders(writes: Writes) -> None:
    assert len(arguments_of(BATCH, writes.build, "c1", 0, 0)[0]) == 1_000
    found = arguments_of(TRANSACTION, writes.build, "c1", 2, 0)[0]
    assert [each.id for each in found] == ["o00008", "o00009", "o00010", "o00011"]


def test_requests_are_captured_as_the_client_sends_them() -> None:
    requests = engine_worker.requests_of_rows(CONTENDER)
    assert {row: {request.target for request in found} for row, found in requests.items()} == {
        PUT: {"DynamoDB_20120810.PutItem"},
        UPDATE: {"DynamoDB_20120810.UpdateItem"},
        MOVE: {"DynamoDB_20120810.UpdateItem"},
    }
    assert {len(found) for found in requests.values()} == {engine_worker.CALLS}
    expected = order_to_write(engine_worker.CUSTOMER, 3, 1)
    assert stored_difference(json.loads(requests[PUT][3].body)["Item"], expected) is None


def test_the_client_write_benchmark_records_requests_and_passes_them_to_the_engine(engine: Engine) -> None:
    expected = order_to_write("c1", 3)
    with capture_requests(engine) as capture, Orders.open(capture.url, create=True) as table:
        capture.take()
        table.put(Orders.design.entities[0].cls(**vars(expected)))
        [request] = capture.take()
        assert capture.take() == []
    item = item_of(expected)
    found = engine.call("GetItem", {"TableName": WRITE_TABLE, "Key": {name: item[name] for name in ("PK", "SK")}})
    assert found["Item"] == json.loads(request.body)["Item"]
    assert stored_difference(found["Item"], expected) is None


def test_the_client_write_benchmark_compares_put_many_with_a_loop_of_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_worker, "PUT_MANY_ITEMS", 60)
    monkeypatch.setattr("gc.freeze", lambda: None)
    requests = engine_worker.requests_of_put_many(CONTENDER)
    assert sorted(len(request["RequestItems"][WRITE_TABLE]) for _, request in requests) == [10, 25, 25]
    typed, loop = engine_worker.compare_put_many(CONTENDER, requests)
    assert typed > 0
    assert loop > 0
