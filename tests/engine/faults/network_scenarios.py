"""Scenarios of a fault run between a client and a server: faulty responses, hostile requests and pipelining."""

from __future__ import annotations

import asyncio
import random
import threading
import time
import traceback
import tracemalloc
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec

from singletable import ArgumentRefused
from singletable.client.http.http_transport import HttpTransport
from singletable.client.open_table import transport_for
from singletable.engine.dispatch import DYNAMODB
from singletable.engine.engine import Engine
from singletable.engine.http.body_budget import BodyBudget
from singletable.engine.http.content_coding import NotDecodable, decoded_body
from singletable.engine.http.http_messages import HttpRequest
from singletable.engine.http.request_parser import HEAD_BYTES_MAX
from tests.client.hostile_server import ASYNC_CALLS, CALLS, attempt, hostile_server
from tests.client.http.faulty_server import faulty_server
from tests.client.http.scripted import transport_to
from tests.engine.faults.process_scenarios import perform
from tests.engine.faults.store_scenarios import results
from tests.engine.faults.table_model import History, create_table
from tests.engine.http.server_under_test import SECONDS_MAX, Peer, post, serving

BODY_BYTES = (10, 10, 1_000, 300_000, 700_000)
"""The loops read at most 256 KB at a time, so the longer bodies arrive in several reads."""
MB = 1 << 20
CALLERS = 3


def faulty_responses(chance: random.Random, folder: Path) -> None:
    """Responses are repeated, swapped, dropped and cut off; a caller gets its own response or an error."""
    history = History()
    with Engine(sweep_seconds=None) as engine:
        create_table(engine)
        with faulty_server(str(chance.random()), engine) as server, closing(transport_to(server.port)) as transport:
            if chance.random() < 0.5:
                with ThreadPoolExecutor(CALLERS) as pool:

                    def send(action: str, request: dict[str, Any]) -> dict[str, Any]:
                        found: dict[str, Any] = msgspec.json.decode(
                            transport.send(action, msgspec.json.encode(request))
                        )
                        return found

                    results(
                        *(
                            pool.submit(history.run, send, random.Random(chance.random()), 25, f"caller {number}")
                            for number in range(CALLERS)
                        )
                    )
            else:
                asyncio.run(_on_event_loop(transport, history, chance))
        history.perform(engine.call, "read all", ())
    assert sum(count for kind, count in server.made.items() if kind) > 3
    history.check()


async def _on_event_loop(transport: HttpTransport, history: History, chance: random.Random) -> None:
    async def call() -> None:
        for _ in range(25):
            await perform(transport.send_async, history, *history.choose(chance))

    await asyncio.gather(*(call() for _ in range(CALLERS)))
    await transport.close_async()


def pipelined_requests(chance: random.Random, folder: Path) -> None:
    """Pipelined requests on several connections, with flushes and large bodies: the responses stay in order."""

    def flush() -> None:
        time.sleep(chance.choice((0.0, 0.001, 0.004)))

    loop_factory = chance.choice((asyncio.new_event_loop, _uvloop()))
    with serving(flush=flush, loop_factory=loop_factory) as served, ExitStack() as stack:
        peers = [stack.enter_context(served.peer()) for _ in range(chance.randrange(2, 5))]
        for _ in range(3):
            sent = [_pipeline(client, chance) for client in range(len(peers))]
            release = served.hold()
            threads = [_SendingThread(*each, chance) for each in zip(peers, sent, strict=True)]
            for thread in threads:
                thread.start()
            time.sleep(chance.choice((0.0, 0.005, 0.02)))
            release()
            answered = [[peer.read().body[:10] for _ in requests] for peer, requests in zip(peers, sent, strict=True)]
            assert answered == [[body[:10] for _, body in requests] for requests in sent]
            for thread in threads:
                thread.join(SECONDS_MAX)


def _uvloop() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ModuleNotFoundError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def _pipeline(client: int, chance: random.Random) -> list[tuple[str, bytes]]:
    return [
        (chance.choice(("Write", "Echo")), b"%d.%d." % (client, number) + bytes(chance.choice(BODY_BYTES)))
        for number in range(chance.randrange(1, 5))
    ]


class _SendingThread(threading.Thread):
    """Sends the requests of one client, cut into pieces at random places."""

    def __init__(self, peer: Peer, requests: list[tuple[str, bytes]], chance: random.Random) -> None:
        super().__init__()
        self.peer = peer
        data = b"".join(post(action, body) for action, body in requests)
        cuts = sorted(chance.randrange(len(data)) for _ in range(chance.randrange(4)))
        self.pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]

    def run(self) -> None:
        for piece in self.pieces:
            self.peer.send(piece)


def hostile_bodies(chance: random.Random, folder: Path) -> None:
    """Bodies with many gzip members, long lists or no end cost neither much time nor much memory."""
    empty = zlib.compressobj(wbits=31).flush()
    for coding, body in ((b"gzip", empty * (3 * MB // len(empty))), (b"deflate", chance.randbytes(100))):
        try:
            decoded_body(HttpRequest(b"POST", b"/", {b"content-encoding": coding}, body, False), 16 * MB)
        except NotDecodable:
            pass
        else:
            raise AssertionError(f"{coding!r}: a hostile body is decoded")
    _long_list(*chance.choice(LONG_LISTS), chance)
    _incomplete_bodies(chance)


LONG_LISTS = (
    ("TransactWriteItems", b'{"TransactItems":[%b]}', b'{"Put":{"TableName":"t","Item":{"pk":{"S":"a"}}}}'),
    ("GetItem", b'{"TableName":"t","Key":{"pk":{"S":"a"}},"AttributesToGet":[%b]}', b'"name"'),
)


def _long_list(action: str, form: bytes, element: bytes, chance: random.Random) -> None:
    body = form % b",".join([element] * chance.randrange(20_000, 40_000))
    with Engine(sweep_seconds=None) as engine:
        engine.respond(DYNAMODB + action, body[:100])
        tracemalloc.start()
        try:
            response = engine.respond(DYNAMODB + action, body)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert response.status == 400
    # Decoded elements take many times the length of the body.
    assert peak < 2 * len(body) + 2 * MB, action


def _incomplete_bodies(chance: random.Random) -> None:
    budget = BodyBudget(4 * MB)
    with serving(bodies=budget) as served:
        with ExitStack() as stack:
            for _ in range(chance.randrange(5, 9)):
                stack.enter_context(served.peer()).send(post("Echo", bytes(MB))[:-1])
            _wait_until(lambda: budget.total_bytes > 3 * MB)
            assert budget.total_bytes <= 4 * MB
        _wait_until(lambda: budget.total_bytes == 0)  # the clients have left
        with served.peer() as peer:
            peer.send(post("Echo", b"{}", x="y" * (HEAD_BYTES_MAX + chance.randrange(1, 6_000))))
            assert peer.read().status >= 400


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.002)


def hostile_responses(chance: random.Random, folder: Path) -> None:
    """A response that is not valid raises an exception of the library."""
    with hostile_server() as (pool, shop, _), asyncio.Runner() as runner, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in CALLS:
            seeds = [str(chance.random()) for _ in range(6)]
            attempt(pool, shop, name, lambda name=name: CALLS[name](shop), seeds)  # type: ignore[misc]  # a default
        for name in ASYNC_CALLS:

            async def call(name: str = name) -> object:
                return await ASYNC_CALLS[name](shop)

            attempt(pool, shop, name, lambda: runner.run(call()), [str(chance.random()) for _ in range(4)])


def secret_urls(chance: random.Random, folder: Path) -> None:
    """No message shows the secret of a URL, whatever characters it has."""
    for _ in range(20):
        around = ["".join(chance.choices("aZ9/?#@:%[]=&", k=chance.randrange(4))) for _ in range(2)]
        secret = f"{around[0]}hidden{around[1]}"
        url = chance.choice(("http://AKID:{}@db:8000", "dynamodb://AKID:{}@eu-west-1", "htp://{}@db")).format(secret)
        try:
            shown = repr(transport_for(url))
        except ArgumentRefused as refused:
            shown = "".join(traceback.format_exception(refused))
        assert "hidden" not in shown


NETWORK_SCENARIOS: tuple[Callable[[random.Random, Path], None], ...] = (
    faulty_responses,
    pipelined_requests,
    hostile_bodies,
    hostile_responses,
    secret_urls,
)
