"""Capture of the HTTP requests of a table, served by an engine in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

from singletable.engine import Engine


class Request(NamedTuple):
    """The target header of a request, such as `DynamoDB_20120810.PutItem`, and its body."""

    target: str
    body: bytes


@dataclass
class Capture:
    """The URL of the server, and the requests that it has received."""

    url: str
    requests: list[Request] = field(default_factory=list)

    def take(self) -> list[Request]:
        """Return the requests received since the last call."""
        received, self.requests = self.requests, []
        return received


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    engine: Engine
    capture: Capture


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        """Record a request and answer it."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        target = self.headers["X-Amz-Target"]
        answer = self.server.engine.answer(target, body)
        self.server.capture.requests.append(Request(target, body))
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@contextmanager
def capture_requests(engine: Engine) -> Iterator[Capture]:
    """Serve an engine over HTTP and record what it receives, until the end of the block."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.engine = engine
        server.capture = Capture(f"http://127.0.0.1:{server.server_address[1]}")
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.capture
        finally:
            server.shutdown()
            thread.join()
