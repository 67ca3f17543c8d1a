"""Repeated, swapped, dropped and truncated responses: a caller gets its own response or an error.

Each test id contains its seed. `make soak` runs more seeds.
"""

from __future__ import annotations

import asyncio
import random
import threading
from contextlib import closing
from typing import Any

import msgspec
import pytest

from singletable import RequestRefused, Unreachable
from singletable.client.http.http_transport import HttpTransport
from tests.client.http.faulty_server import FaultyServer, faulty_server
from tests.client.http.scripted import OnLoop, Sends, on_thread, transport_to
from tests.engine.soak import longer

REQUESTS = 60
CALLERS = 3
SEEDS = [f"seed-{number}" for number in range(longer(4))]


def request(chance: random.Random, text: str) -> tuple[str, dict[str, Any]]:
    """Return a random request about the item with this partition key."""
    match chance.randrange(4):
        case 0:
            return "PutItem", {"TableName": "t", "Item": {"PK": {"S": text}}}
        case 1:
            return "PutItem", {"TableName": "t", "Item": {"PK": {"S": f"{text}-taken"}}}
        case 2:
            condition = {"KeyConditionExpression": "#n0 = :v0", "ExpressionAttributeNames": {"#n0": "PK"}}
            return "Query", {"TableName": "t", **condition, "ExpressionAttributeValues": {":v0": {"S": text}}}
        case _:
            return "GetItem", {"TableName": "t", "Key": {"PK": {"S": text}, "SK": {"S": "1"}}}


def check(operation: str, document: dict[str, Any], answer: bytes, server: FaultyServer, text: str) -> None:
    """Check that a response is the response to the request."""
    found = msgspec.json.decode(answer)
    match operation:
        case "PutItem":
            assert found == {}
            assert document["Item"]["PK"]["S"] in server.executed
        case "Query":
            assert [item["PK"] for item in found["Items"]] == [{"S": text}]
        case _:
            assert {name: found["Item"][name] for name in document["Key"]} == document["Key"]


def send_requests(send: Sends, transport: HttpTransport, server: FaultyServer, seed: str, lost: list[str]) -> None:
    chance = random.Random(seed)
    for number in range(REQUESTS):
        text = f"{seed}-{number}"
        operation, document = request(chance, text)
        try:
            answer = send(transport, operation, msgspec.json.encode(document))
        except Unreachable as problem:
            lost.append(str(problem))
        except RequestRefused:
            assert document["Item"]["PK"]["S"].endswith("taken")
        else:
            check(operation, document, answer, server, text)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_response_fault_gives_no_thread_the_response_to_another_request(seed: str) -> None:
    failures: list[BaseException] = []
    with faulty_server(seed) as server, closing(transport_to(server.port)) as transport:
        lost: list[str] = []

        def caller(number: int) -> None:
            try:
                send_requests(on_thread, transport, server, f"{seed}-{number}", lost)
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=caller, args=(number,)) for number in range(CALLERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == [], seed
    assert len(lost) < CALLERS * REQUESTS / 2
    assert sum(count for kind, count in server.made.items() if kind) > 10


@pytest.mark.parametrize("seed", SEEDS)
def test_a_response_fault_gives_no_task_of_an_event_loop_the_response_to_another_request(seed: str) -> None:
    on_loop = OnLoop()
    with faulty_server(seed) as server, closing(transport_to(server.port)) as transport:
        lost: list[str] = []
        send_requests(on_loop, transport, server, seed, lost)
        assert len(lost) < REQUESTS / 2
        on_loop.runner.run(transport.close_async())
        on_loop.runner.run(asyncio.sleep(0))
    on_loop.runner.close()
