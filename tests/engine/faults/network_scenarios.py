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
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

from singletable import ArgumentRefused
from singletable.client.http.http_transport import HttpTransport
from singletable.client.http.response_parser import InvalidResponse, ResponseParser
from singletable.client.open_table import transport_for
from singletable.engine.dispatch import DYNAMODB
from singletable.engine.engine import Engine
from singletable.engine.http.body_budget import BodyBudget
from singletable.engine.http.browser_guard import BrowserGuard
from singletable.engine.http.content_coding import NotDecodable, decoded_body
from singletable.engine.http.http_messages import HttpRequest
from singletable.engine.http.request_handler import Service
from singletable.engine.http.request_parser import HEAD_BYTES_MAX
from singletable.engine.http.server import Server, listen
from singletable.engine.storage.write_ahead_log import WriteAheadLog
from singletable.errors import RequestRefused
from tests.client.hostile_server import ASYNC_CALLS, CALLS, attempt, hostile_server
from tests.client.http.faulty_server import FaultyServer, faulty_server
from tests.client.http.scripted import transport_to
from tests.engine.faults.process_scenarios import perform
from tests.engine.faults.store_scenarios import results
from tests.engine.faults.table_model import History, create_table, request_of
from tests.engine.http.server_under_test import SECONDS_MAX, Peer, post, serving

BODY_BYTES = (10, 10, 1_000, 300_000, 700_000)
"""The loops read at most 256 KB at a time, so the longer bodies arrive in several reads."""
MB = 1 << 20
CALLERS = 3


def faulty_responses(chance: random.Random, folder: Path) -> None:
    """Responses are repeated, swapped, dropped and cut off; a caller gets its own response or an error."""
    history = History()
    has_ids = chance.random() < 0.5
    callers = CALLERS if has_ids else 1
    with Engine(sweep_seconds=None) as engine, ExitStack() as stack:
        create_table(engine)
        server = stack.enter_context(faulty_server(str(chance.random()), engine, has_ids=has_ids))
        transport = stack.enter_context(closing(transport_to(server.port)))
        for item in (0, 1, 2):
            history.perform(engine.call, "put", (item, item + 1))
        if chance.random() < 0.5:
            pool = stack.enter_context(ThreadPoolExecutor(callers))

            def send(action: str, request: dict[str, Any]) -> dict[str, Any]:
                if not has_ids:
                    server.settled()
                found: dict[str, Any] = msgspec.json.decode(transport.send(action, msgspec.json.encode(request)))
                return found

            results(
                *(
                    pool.submit(history.run, send, random.Random(chance.random()), 75 // callers, f"caller {number}")
                    for number in range(callers)
                )
            )
        else:
            asyncio.run(_on_event_loop(transport, history, chance, server, callers))
        history.perform(engine.call, "read all", ())
    assert sum(count for kind, count in server.made.items() if kind) > 3
    history.check()


async def _on_event_loop(
    transport: HttpTransport, history: History, chance: random.Random, server: FaultyServer, callers: int
) -> None:
    async def call() -> None:
        for _ in range(75 // callers):
            if not server.has_ids:
                server.settled()
            await perform(transport.send_async, history, *history.choose(chance))

    await asyncio.gather(*(call() for _ in range(callers)))
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
    content = chance.randbytes(1000)
    for coding, wbits in ((b"gzip", 31), (b"deflate", 15), (b"deflate", -15)):
        packed = zlib.compressobj(wbits=wbits)
        body = packed.compress(content) + packed.flush()
        assert decoded_body(HttpRequest(b"POST", b"/", {b"content-encoding": coding}, body, False), MB) == content
    _long_list(*chance.choice(LONG_LISTS), chance)
    with Engine(sweep_seconds=None) as engine:
        for body in (
            b"[" * 100_000,
            b'{"Item":' * 100_000,
            b'{"TableName":"\xff"}',
            b'{"Item":{"a":' + b'{"L":[' * 5000,
        ):
            assert engine.respond(DYNAMODB + chance.choice(("PutItem", "Query")), body).status == 400
    _incomplete_bodies(chance)
    _long_heads(chance)


LONG_LISTS = (
    ("TransactWriteItems", b'{"TransactItems":[%b]}', b'{"Put":{"TableName":"t","Item":{"pk":{"S":"a"}}}}'),
    ("GetItem", b'{"TableName":"t","Key":{"pk":{"S":"a"}},"AttributesToGet":[%b]}', b'"name"'),
    ("BatchWriteItem", b'{"RequestItems":{"t":[%b]}}', b'{"PutRequest":{"Item":{"pk":{"S":7}}}}'),
)


def _long_list(action: str, form: bytes, element: bytes, chance: random.Random) -> None:
    count = chance.randrange(50_000, 60_000)
    body = form % b",".join([element] * count)
    with Engine(sweep_seconds=None) as engine:
        engine.respond(DYNAMODB + action, body[:100])
        tracemalloc.start()
        try:
            response = engine.respond(DYNAMODB + action, body)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert response.status == 400
    # Counted elements take 80 bytes each, but decoded actions several hundred.
    assert peak < 2 * len(body) + 100 * count, action


def _incomplete_bodies(chance: random.Random) -> None:
    budget = BodyBudget(4 * MB)
    is_signed = chance.random() < 0.5

    def head_check(request: HttpRequest) -> None:
        if is_signed and b"authorization" not in request.headers:
            raise RequestRefused("MissingAuthenticationTokenException", "")

    authorized = {"authorization": "AWS4"} if is_signed else {}
    with serving(bodies=budget, head_check=head_check) as served, ExitStack() as stack:
        strangers = [stack.enter_context(served.peer()) for _ in range(3)]
        for peer in strangers:
            peer.send(post("Echo", bytes(MB))[:-1])
        if is_signed:  # the server keeps no body of a stranger
            for _ in range(20):
                assert budget.total_bytes == 0
                time.sleep(0.005)
        else:
            _wait_until(lambda: budget.total_bytes > 2 * MB)
        with ExitStack() as known:
            for _ in range(chance.randrange(5, 9)):
                known.enter_context(served.peer()).send(post("Echo", bytes(MB), **authorized)[:-1])
            _wait_until(lambda: budget.total_bytes > 3 * MB)
            assert budget.total_bytes <= 4 * MB
        left = 0 if is_signed else 3 * MB
        _wait_until(lambda: budget.total_bytes <= left)  # the known clients have left


def _long_heads(chance: random.Random) -> None:
    """Long headers and trailers are rejected, whether they arrive at once or in pieces."""
    long = "y" * (HEAD_BYTES_MAX + chance.randrange(1, 60_000))
    whole = post("Echo", b"{}", x=long)
    lines = b"".join(b"x%d: %b\r\n" % (number, b"y" * 200) for number in range(HEAD_BYTES_MAX // 200 + 10))
    chunked = post("Echo", b"", transfer_encoding="chunked").replace(b"content-length: 0\r\n", b"")
    # The limit for an incomplete line is less exact.
    longer = long.encode() + b"y" * HEAD_BYTES_MAX
    extension, trailers = chunked + b"2;" + longer, chunked + b"2\r\n{}\r\n0\r\n" + lines
    endless = whole[: whole.index(b"y")] + longer
    for data, piece_bytes in ((whole, len(whole)), (whole, 5000), (trailers, 5000), (extension, 5000), (endless, 5000)):
        with serving() as served, served.peer() as peer:
            for start in range(0, len(data), piece_bytes):
                with suppress(OSError):  # the server has closed the connection
                    peer.send(data[start : start + piece_bytes])
                time.sleep(0.001)
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
    for _ in range(40):
        _hostile_head(chance)


def _hostile_head(chance: random.Random) -> None:
    """Parse a response with an absurd length or checksum, or with a changed byte."""
    number = chance.choice((b"9" * chance.randrange(1, 6000), b"-1", b"1e3", b"", "\u0661".encode(), b"2"))
    head = chance.choice((b"Content-Length: %b\r\n", b"Content-Length: 2\r\nx-amz-crc32: %b\r\n")) % number
    data = bytearray(b"HTTP/1.1 200 OK\r\n%b\r\n{}" % head)
    if chance.random() < 0.3:
        data = bytearray(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%b\r\n{}\r\n0\r\n\r\n" % number)
    if chance.random() < 0.5:
        data[chance.randrange(len(data))] = chance.randrange(256)
    parser = ResponseParser()
    with suppress(InvalidResponse):
        if parser.feed(bytes(data)) is None:
            parser.ended()


def web_pages(chance: random.Random, folder: Path) -> None:
    """A server without access keys executes no request of a web page, unless an option allows the page."""
    origin, host = "https://page.example", "db.example"
    allowed: list[dict[str, tuple[str, ...]]] = [{}, {}, {"origins": (origin,)}, {"hosts": (host,)}]
    options: dict[str, tuple[str, ...]] = chance.choice([*allowed, {"origins": ("*",), "hosts": ("*",)}])
    with serving(guard=BrowserGuard(**options)) as served, served.peer() as peer:
        for number in range(30):
            page = chance.choice((None, None, origin, "null", "http://localhost:9", f"{origin}.other.example"))
            name = chance.choice(
                ("127.0.0.1", "localhost:8000", "[::1]", "a.localhost", host, "page.example", f"x{host}")
            )
            is_page_allowed = page is None or page in options.get("origins", ()) or "*" in options.get("origins", ())
            is_host_allowed = name in (*LOCAL_HOSTS, *options.get("hosts", ())) or "*" in options.get("hosts", ())
            headers = {"host": name} | ({} if page is None else {"origin": page})
            executed = len(served.engine.requests)
            response = peer.request("Echo", b'{"n":%d}' % number, **headers)
            is_allowed = is_page_allowed and is_host_allowed
            assert (response.status, len(served.engine.requests) - executed) == ((200, 1) if is_allowed else (403, 0))
            readable_by = response.headers.get("access-control-allow-origin")
            assert readable_by in ((page, "*") if is_allowed and page is not None else (None,)), (page, name)


LOCAL_HOSTS = ("127.0.0.1", "localhost:8000", "[::1]", "a.localhost")


def durable_writes(chance: random.Random, folder: Path) -> None:
    """With `sync="full"`, a commit costs one flush, of a log that does not grow; waiting commits share a flush."""
    path, flushes, sync = folder / "store.db", 0, WriteAheadLog.sync

    def counted(log: WriteAheadLog) -> None:
        nonlocal flushes
        flushes += 1
        sync(log)

    with (
        mock.patch.object(WriteAheadLog, "sync", counted),
        Engine(f"file:{path}", sync="full", sweep_seconds=None) as engine,
    ):
        create_table(engine)
        count, lengths = chance.randrange(20, 60), set[int]()
        flushes = 0
        for number in range(count):
            assert engine.answer(DYNAMODB + "PutItem", _put(number)).status == 200
            lengths.add(path.with_name("store.db-wal").stat().st_size)
        assert flushes == count, "each write waits for one flush"
        # The file grows with the first commits, until the first check of its length, and then in large steps.
        assert len(lengths) <= 12, "a flush of a file that has grown takes up to twice as long"
        for number in range(count):
            assert engine.respond(DYNAMODB + "PutItem", _put(number)).wrote
        engine.store.flush()
        assert flushes == count + 1, "a flush includes all commits before it"
        flushes = 0
        _flush_for_a_single_client(engine, count)
        assert flushes == count


def _put(number: int) -> bytes:
    return msgspec.json.encode(request_of("put", (0, number), "")[1])


def _flush_for_a_single_client(engine: Engine, count: int) -> None:
    """Send writes over one connection; the server flushes them without a change of thread."""

    async def run() -> None:
        server, listening = Server(Service(engine), flush=engine.store.flush), listen("127.0.0.1", 0)
        await server.start(listening)
        reader, writer = await asyncio.open_connection("127.0.0.1", listening.getsockname()[1])
        for number in range(count):
            writer.write(post("PutItem", _put(number)))
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(2)
        assert not [thread for thread in threading.enumerate() if thread.name == "flush"]
        writer.close()
        await server.stop()

    asyncio.run(run())


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
    web_pages,
    durable_writes,
    secret_urls,
)
