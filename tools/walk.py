"""Walk through five flows: count the Python calls, source files and package switches of each.

    python tools/walk.py [MODEL]

The five flows are GetItem and Query at the HTTP server, a typed query in memory and over HTTP (client and server
together), and `singletable check MODEL`. Each flow runs a few times before it is counted, so modules are loaded and
caches are full. Generated functions count as calls, but belong to no file. WALK_FILES=1 also lists the files. To
compare two versions, put another one first on PYTHONPATH.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

import singletable
from singletable import Page, Table, entity, pattern, query

PACKAGE = f"{Path(singletable.__file__).parent}{os.sep}"
MODEL = Path(__file__).resolve().parents[1] / "examples" / "shop" / "model.py"
WARM_UP = 5
# The smallest of several counts leaves out what background threads and clocks add.
REPEATS = 5
SETTLE_SECONDS = 0.2


@entity(key=("CUST#{customer_id}", "ORDER#{number:05d}"))
@dataclass
class Order:
    """An order of a customer."""

    customer_id: str
    number: int
    note: str


class Orders(Table, entities=[Order]):
    """Orders of customers."""

    @pattern()
    def orders_of(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """List the orders of a customer."""
        return query(Order)


@dataclass
class Walk:
    """The calls, source files and package switches of one flow, in all threads."""

    counting: bool = False
    calls: int = 0
    files: set[str] = field(default_factory=set)
    switches: int = 0
    _packages: dict[int, str] = field(default_factory=dict)

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        """Count one call of the package's code."""
        if not self.counting or event != "call":
            return
        name = frame.f_code.co_filename
        if not name.startswith(PACKAGE):
            return
        self.calls += 1
        self.files.add(name)
        package = name.removeprefix(PACKAGE).partition(os.sep)[0]
        thread = threading.get_ident()
        self.switches += self._packages.get(thread, package) != package
        self._packages[thread] = package

    def count(self, name: str, flow: Callable[[], object]) -> None:
        """Warm a flow up, count it several times, and print a row with the smallest count."""
        for _ in range(WARM_UP):
            flow()
        walks = []
        for _ in range(REPEATS):
            time.sleep(SETTLE_SECONDS)
            self.calls, self.switches, self.files, self._packages = 0, 0, set(), {}
            self.counting = True
            flow()
            time.sleep(SETTLE_SECONDS)
            self.counting = False
            walks.append((self.calls, len(self.files), self.switches, sorted(self.files)))
        calls, files, switches, names = min(walks)
        show(f"| {name} | {calls:,} | {files} | {switches:,} |")
        if os.environ.get("WALK_FILES"):
            show("\n".join(each.removeprefix(PACKAGE) for each in names))


def show(text: str) -> None:
    """Print to the terminal, although the server's output is redirected."""
    print(text, file=sys.__stdout__, flush=True)


def send(url: str, operation: str, parameters: dict[str, Any]) -> Callable[[], bytes]:
    """Return a function that sends one request over an open connection, without the code of the package."""
    address = urlsplit(url)
    connection = socket.create_connection((str(address.hostname), int(address.port or 0)))
    body = json.dumps(parameters).encode()
    head = (
        f"POST / HTTP/1.1\r\nHost: {address.netloc}\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
        f"Content-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()

    def request() -> bytes:
        connection.sendall(head + body)
        response = connection.recv(1 << 20)
        assert b" 200 " in response.split(b"\r\n")[0], response
        return response

    return request


def walk_all(walk: Walk, url: str, model: str) -> None:
    """Count the five flows and print a table."""
    show("| flow | calls | files | package switches |\n|---|---|---|---|")
    with Orders.open(url, create=True) as remote, Orders.open("memory:") as local:
        for table in (remote, local):
            for number in range(5):
                table.put(Order("c1", number, "a note"))
        name = {"TableName": "Orders"}
        key = {"PK": {"S": "CUST#c1"}, "SK": {"S": "ORDER#00001"}}
        values = {":c": {"S": "CUST#c1"}}
        walk.count("HTTP GetItem", send(url, "GetItem", {**name, "Key": key}))
        condition = {"KeyConditionExpression": "PK = :c", "ExpressionAttributeValues": values}
        walk.count("HTTP Query", send(url, "Query", {**name, **condition}))
        walk.count("typed query, in memory", lambda: local.orders_of("c1"))
        walk.count("typed query, over HTTP", lambda: remote.orders_of("c1"))
    walk.count("`check` of the shop", lambda: check(model))


def check(model: str) -> None:
    """Run `singletable check`."""
    from singletable.cli.main import main

    with contextlib.redirect_stdout(io.StringIO()):
        main(["check", model])


def main(model: str = str(MODEL)) -> None:
    """Run the server in this thread, because it handles signals, and the flows in another."""
    from singletable.cli.main import main as singletable_command

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    walk = Walk()
    threading.setprofile(walk.profile)

    def client() -> None:
        try:
            wait_for(port)
            walk_all(walk, f"http://127.0.0.1:{port}", model)
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=client)
    thread.start()
    sys.setprofile(walk.profile)
    with contextlib.suppress(KeyboardInterrupt), contextlib.redirect_stdout(io.StringIO()):
        singletable_command(["serve", "--port", str(port)])
    sys.setprofile(None)
    thread.join()


def wait_for(port: int) -> None:
    """Wait until a server accepts connections."""
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:2])
