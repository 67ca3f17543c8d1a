"""`singletable serve [--data PATH]`: the engine over HTTP, for every AWS SDK, the AWS CLI and other tools."""

from __future__ import annotations

import argparse
import errno
import math
import os
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.errors import SingletableError

if TYPE_CHECKING:
    from singletable.engine.http.access_keys import AccessKeys
    from singletable.engine.http.service import Check

PORT_MAX = 65535


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("serve", help="answer as DynamoDB does, over HTTP", description=__doc__)
    parser.add_argument("--data", metavar="PATH", type=Path, help="the store; without it, all is kept in memory only")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at, 127.0.0.1 unless given")
    parser.add_argument("--port", type=_port, default=8000, help="8000 unless given; 0 picks one that is free")
    parser.add_argument(
        "--sync",
        choices=("normal", "full"),
        default="normal",
        help="what an answered write survives: the death of the process (normal), or the loss of power too (full)",
    )
    parser.add_argument(
        "--sweep-seconds",
        metavar="N",
        type=_seconds,
        default=60.0,
        help="how often expired items are deleted, every 60 seconds unless given",
    )
    parser.add_argument(
        "--gsi-lag",
        metavar="MS",
        type=_milliseconds,
        default=0.0,
        help="have reads of global indexes lag so many milliseconds behind writes, as they may with the service",
    )
    parser.add_argument(
        "--access-key",
        metavar="ID:SECRET",
        action="append",
        default=[],
        help="let in only who signs with this key or another that is given; others on this machine may see the option",
    )
    parser.add_argument(
        "--access-keys-file",
        metavar="PATH",
        type=Path,
        help="the same, one key a line; SINGLETABLE_ACCESS_KEYS may hold keys too, with spaces between",
    )
    parser.add_argument(
        "--enforce-capacity",
        action="store_true",
        help="throttle tables by the units that they have bought, or the ceilings they have set",
    )
    parser.add_argument(
        "--enforce-partition-limit",
        action="store_true",
        help="throttle what is more than one partition serves: 3,000 read and 1,000 write units a second for each key",
    )
    parser.add_argument(
        "--buckets",
        metavar="FOLDER",
        type=Path,
        help="a folder whose sub-folders stand for S3 buckets: what tables are exported to and imported from",
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON for machines, once it answers")
    parser.set_defaults(run=run)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= PORT_MAX):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: write a number up to {PORT_MAX}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds: write one above 0, such as 60 or 0.5")
    return seconds


def _milliseconds(text: str) -> float:
    try:
        milliseconds = float(text)
    except ValueError:
        milliseconds = -1.0
    if not 0 <= milliseconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of milliseconds: write one such as 50")
    return milliseconds


def run(options: argparse.Namespace) -> int:
    """Serve until stopped."""
    try:
        from singletable.engine.http.access_keys import read_access_keys
        from singletable.engine.http.server import listen
    except ModuleNotFoundError as problem:
        raise SingletableError(f"serving needs {problem.name}: pip install 'singletable[serve]'") from problem
    keys = read_access_keys(options.access_key, options.access_keys_file, os.environ)
    try:
        listening = listen(options.host, options.port)
    except OSError as problem:
        raise SingletableError(_cannot_listen(options.host, options.port, problem)) from problem
    with listening:
        _serve(options, keys, listening)
    return 0


def _cannot_listen(host: str, port: int, problem: OSError) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"{host}:{port} is in use: another server listens there.\n"
            f"  Stop it, or take another port: --port {port % PORT_MAX + 1}, or --port 0 for one that is free."
        )
    if problem.errno == errno.EACCES:
        return f"{host}:{port} is not ours to listen at: {problem.strerror}.\n  Take a port above 1023 with --port."
    return (
        f"{host} is no address to listen at: {problem.strerror}.\n  Leave --host away to be reached from this machine."
    )


def _serve(options: argparse.Namespace, keys: AccessKeys, listening: socket.socket) -> None:
    from singletable.engine.engine import Engine
    from singletable.engine.http.heap import keep_freed_memory
    from singletable.engine.http.running import run_until_stopped
    from singletable.engine.http.server import Server
    from singletable.engine.http.service import Service

    keep_freed_memory()
    url = f"file:{options.data}" if options.data else "memory:"
    with Engine(
        url,
        sync=options.sync,
        buckets=options.buckets,
        sweep_seconds=options.sweep_seconds,
        gsi_lag_seconds=options.gsi_lag / 1000,
        endpoint=_address(listening),
        enforce_capacity=options.enforce_capacity,
        enforce_partition_limit=options.enforce_partition_limit,
    ) as engine:
        service = Service(engine, check=_signature_check(keys), region=engine.region)
        server = Server(service, flush=engine.store.flush if options.sync == "full" else None)
        if not keys and not _is_loopback(listening):
            print(_open_to_all(listening), file=sys.stderr)
        run_until_stopped(server, listening, lambda: _say_ready(options, keys, listening))


def _signature_check(keys: AccessKeys) -> Check | None:
    if not keys:
        return None
    from singletable.engine.http.signature import SignatureCheck

    return SignatureCheck(keys, time.time)


def _is_loopback(listening: socket.socket) -> bool:
    host: str = listening.getsockname()[0]
    return host == "::1" or host.startswith("127.")


def _open_to_all(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return (
        f"warning: whoever reaches {host}:{port} can read and write this store.\n"
        "  Ask for signatures with --access-keys-file or --access-key, or leave --host away."
    )


def _say_ready(options: argparse.Namespace, keys: AccessKeys, listening: socket.socket) -> None:
    host, port = listening.getsockname()[:2]
    url = f"http://{_address(listening)}"
    if options.json:
        import json

        document = {
            "url": url,
            "host": host,
            "port": port,
            "data": str(options.data) if options.data else None,
            "sync": options.sync,
            "access_keys": len(keys),
        }
        print(json.dumps(document), flush=True)
        return
    what = options.data or "A store in memory"
    print(
        f"{what} is served at {url}; for boto3, the AWS CLI and the SDKs: AWS_ENDPOINT_URL_DYNAMODB={url}", flush=True
    )


def _address(listening: socket.socket) -> str:
    """Host and port as a client on this machine can use them."""
    host: str = listening.getsockname()[0]
    port: int = listening.getsockname()[1]
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # this is where one cannot connect to
    return f"[{here}]:{port}" if ":" in here else f"{here}:{port}"
