"""`singletable serve [--data PATH]`: serve the engine over HTTP, for AWS SDKs, the AWS CLI and other tools."""

from __future__ import annotations

import argparse
import errno
import math
import os
import re
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singletable.errors import SingletableError

if TYPE_CHECKING:
    from singletable.engine.access.principals_file import PrincipalsFile
    from singletable.engine.engine import Engine
    from singletable.engine.http.access_keys import AccessKeys
    from singletable.engine.http.browser_guard import BrowserGuard
    from singletable.engine.http.http_messages import RespondingEngine
    from singletable.engine.http.request_handler import EngineOf, Service
    from singletable.engine.http.signature import SignatureCheck

PORT_MAX = 65535
ACCOUNT = "000000000000"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("serve", help="serve DynamoDB requests over HTTP", description=__doc__)
    parser.add_argument("--data", metavar="PATH", type=Path, help="the store file (default: in memory only)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=_port, default=8000, help="the port (default: 8000); 0 selects a free port")
    parser.add_argument(
        "--sync",
        choices=("normal", "full"),
        default="normal",
        help="normal: confirmed writes survive a crash of the process; full: they also survive a power failure",
    )
    parser.add_argument(
        "--sweep-seconds",
        metavar="N",
        type=_seconds,
        default=60.0,
        help="delete expired items every N seconds (default: 60)",
    )
    parser.add_argument(
        "--gsi-lag",
        metavar="MS",
        type=_milliseconds,
        default=0.0,
        help="delay reads of global indexes by MS milliseconds, to simulate eventual consistency",
    )
    _add_access_options(parser)
    parser.add_argument(
        "--enforce-capacity",
        action="store_true",
        help="throttle requests above the provisioned capacity or the on-demand maximum of a table",
    )
    parser.add_argument(
        "--enforce-partition-limit",
        action="store_true",
        help="throttle each partition key at 3,000 read and 1,000 write units per second",
    )
    parser.add_argument(
        "--buckets",
        metavar="FOLDER",
        type=Path,
        help="a folder for table exports and imports; each subfolder replaces an S3 bucket",
    )
    _add_log_options(parser)
    parser.add_argument(
        "--region", type=_region, default="us-east-1", help="the region in ARNs, for policies (default: us-east-1)"
    )
    parser.add_argument(
        "--account", type=_account, default=ACCOUNT, help=f"the account in ARNs, for policies (default: {ACCOUNT})"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON when the server is ready")
    parser.set_defaults(run=run)


def _add_log_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that record the requests."""
    parser.add_argument(
        "--log",
        choices=("json", "text"),
        help="write one line per request to standard error, without keys and values",
    )
    parser.add_argument(
        "--catalogue",
        metavar="FILE",
        type=Path,
        help="append the requests to a catalogue, without their values; singletable catalogue FILE lists their access "
        "patterns",
    )


def _add_access_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that determine who may send requests."""
    parser.add_argument(
        "--access-key",
        metavar="ID:SECRET",
        action="append",
        default=[],
        help="require signed requests with this key; repeatable; other users of this machine can see the key",
    )
    parser.add_argument(
        "--access-keys-file",
        metavar="PATH",
        type=Path,
        help="require signed requests with a key from this file, one ID:SECRET per line; you can also set the "
        "environment variable SINGLETABLE_ACCESS_KEYS, with keys separated by spaces",
    )
    parser.add_argument(
        "--principals",
        metavar="FILE",
        type=Path,
        help="require signed requests, and enforce IAM policies; the file maps each access key to a principal",
    )
    parser.add_argument(
        "--allow-origin",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="allow requests from web pages of this origin, such as http://localhost:8001; repeatable; * allows all",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="allow requests to this host name, besides localhost and IP addresses; repeatable; * allows all",
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= PORT_MAX):
        raise argparse.ArgumentTypeError(f"invalid port {text!r}: write a number up to {PORT_MAX}")
    return int(text)


def _region(text: str) -> str:
    if not re.fullmatch(r"[a-z]{2}[a-z0-9-]+", text):
        raise argparse.ArgumentTypeError(f"invalid region {text!r}: write eu-central-1, for example")
    return text


def _account(text: str) -> str:
    if not re.fullmatch(r"[0-9]{12}", text):
        raise argparse.ArgumentTypeError(f"invalid account {text!r}: an account ID has twelve digits")
    return text


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(
            f"invalid number of seconds {text!r}: write a number above 0, such as 60 or 0.5"
        )
    return seconds


def _milliseconds(text: str) -> float:
    try:
        milliseconds = float(text)
    except ValueError:
        milliseconds = -1.0
    if not 0 <= milliseconds < math.inf:
        raise argparse.ArgumentTypeError(f"invalid number of milliseconds {text!r}: write a number such as 50")
    return milliseconds


def run(options: argparse.Namespace) -> int:
    """Serve until stopped."""
    try:
        from singletable.engine.access.principals_file import read_principals
        from singletable.engine.http.access_keys import read_access_keys
        from singletable.engine.http.server import listen
    except ModuleNotFoundError as problem:
        raise SingletableError(f"singletable serve needs {problem.name}: pip install 'singletable[serve]'") from problem
    keys = read_access_keys(options.access_key, options.access_keys_file, os.environ)
    principals = None if options.principals is None else read_principals(options.principals, options.account)
    if principals is not None:
        keys = _keys_of_principals(keys, principals)
    try:
        listening = listen(options.host, options.port)
    except OSError as problem:
        raise SingletableError(_listen_error(options.host, options.port, problem)) from problem
    with listening:
        _serve(options, keys, principals, listening)
    return 0


def _keys_of_principals(keys: AccessKeys, principals: PrincipalsFile) -> AccessKeys:
    """Return all access keys. Raise SingletableError unless each key has a secret and a principal."""
    merged = keys.with_secrets(principals.secrets, str(principals.path))
    if unknown := sorted(merged.key_ids - set(principals.principals)):
        raise SingletableError(
            f"{principals.path}: access key {unknown[0]} has no principal.\n"
            f"  Add it to the file, or do not pass the key to the server."
        )
    if missing := sorted(set(principals.principals) - merged.key_ids):
        raise SingletableError(
            f"{principals.path}: access key {missing[0]} has no secret.\n"
            "  Add SecretAccessKey to the file, or pass the key with --access-keys-file or --access-key."
        )
    return merged


def _listen_error(host: str, port: int, problem: OSError) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"{host}:{port} is already in use by another server.\n  Stop that server, or choose another port: --port "
            f"{port % PORT_MAX + 1}, or --port 0 for a free port."
        )
    if problem.errno == errno.EACCES:
        return f"Cannot listen on {host}:{port}: {problem.strerror}.\n  Choose a port above 1023 with --port."
    return f"Cannot listen on {host}: {problem.strerror}.\n  Omit --host to serve only this machine."


def _serve(
    options: argparse.Namespace, keys: AccessKeys, principals: PrincipalsFile | None, listening: socket.socket
) -> None:
    from singletable.engine.engine import Engine
    from singletable.engine.http.freed_memory import keep_freed_memory
    from singletable.engine.http.server import Server, run_until_stopped

    keep_freed_memory()
    url = f"file:{options.data}" if options.data else "memory:"
    with Engine(
        url,
        region=options.region,
        account=options.account,
        sync=options.sync,
        buckets=options.buckets,
        sweep_seconds=options.sweep_seconds,
        gsi_lag_seconds=options.gsi_lag / 1000,
        endpoint=_address(listening),
        enforce_capacity=options.enforce_capacity,
        enforce_partition_limit=options.enforce_partition_limit,
    ) as engine:
        service = _service(options, keys, principals, engine)
        server = Server(service, flush=engine.store.flush if options.sync == "full" else None)
        if not keys and not _is_loopback(listening):
            print(_public_warning(listening), file=sys.stderr)
        run_until_stopped(server, listening, lambda: _print_ready(options, keys, listening))


def _recorded(options: argparse.Namespace, engine: Engine) -> Callable[[RespondingEngine], RespondingEngine]:
    """Return a function that returns an engine whose requests are recorded, if the options request a catalogue."""
    if options.catalogue is None:
        return lambda each: each
    from singletable.catalogue.request_recorder import RequestRecorder
    from singletable.engine.http.recording_engine import RecordingEngine, describe_tables

    recorder = RequestRecorder(options.catalogue, "serve")
    describe_tables(engine, recorder)
    return lambda each: RecordingEngine(each, recorder)


def _engine_of(
    engine: Engine, principals: PrincipalsFile | None, recorded: Callable[[RespondingEngine], RespondingEngine]
) -> EngineOf | None:
    """Return a function that selects, for a request, the engine that enforces the permissions of the caller."""
    if principals is None:
        return None
    from singletable.engine.http.signature import access_key_of

    engines = {key_id: recorded(engine.as_principal(each)) for key_id, each in principals.principals.items()}
    return lambda request: engines[access_key_of(request)]


def _service(
    options: argparse.Namespace, keys: AccessKeys, principals: PrincipalsFile | None, engine: Engine
) -> Service:
    """Return the service for requests. The service writes an access log if the options request one."""
    from singletable.engine.http.request_handler import Service

    recorded = _recorded(options, engine)
    served = recorded(engine)
    check = _signature_check(keys)
    settings: dict[str, Any] = {
        "check": check,
        "head_check": None if check is None else check.check_head,
        "engine_of": _engine_of(engine, principals, recorded),
        "guard": _browser_guard(options, keys),
        "region": engine.region,
    }
    if options.log is None:
        return Service(served, **settings)
    from singletable.engine.http.access_log import AccessLog, LoggedService, write_to_stderr

    return LoggedService(AccessLog(options.log, write_to_stderr, time.time), served, **settings)


def _signature_check(keys: AccessKeys) -> SignatureCheck | None:
    if not keys:
        return None
    from singletable.engine.http.signature import SignatureCheck

    return SignatureCheck(keys, time.time)


def _browser_guard(options: argparse.Namespace, keys: AccessKeys) -> BrowserGuard:
    from singletable.engine.http.browser_guard import ALLOW_ALL, BrowserGuard

    return ALLOW_ALL if keys else BrowserGuard(origins=options.allow_origin, hosts=options.allow_host)


def _is_loopback(listening: socket.socket) -> bool:
    host: str = listening.getsockname()[0]
    return host == "::1" or host.startswith("127.")


def _public_warning(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return (
        f"warning: anyone who can reach {host}:{port} can read and write this store.\n"
        "  Require signed requests with --access-keys-file or --access-key, or omit --host."
    )


def _print_ready(options: argparse.Namespace, keys: AccessKeys, listening: socket.socket) -> None:
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
    what = options.data or "an in-memory store"
    print(f"Serving {what} at {url}; for boto3, the AWS CLI and the SDKs: AWS_ENDPOINT_URL_DYNAMODB={url}", flush=True)


def _address(listening: socket.socket) -> str:
    """Return host and port for clients on this machine."""
    host: str = listening.getsockname()[0]
    port: int = listening.getsockname()[1]
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # clients cannot connect to this address
    return f"[{here}]:{port}" if ":" in here else f"{here}:{port}"
