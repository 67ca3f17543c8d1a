"""`singletable top-keys TABLE [--endpoint URL]`: list the most accessed and throttled keys of a served table."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from singletable.cli.output import print_json, print_table
from singletable.errors import RequestRefused, SingletableError

if TYPE_CHECKING:
    from singletable.engine.http.signed_request import AccessKey

ENDPOINT = "http://127.0.0.1:8000"
TARGET = "Singletable.MostAccessedKeys"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "top-keys", help="list the most accessed keys of a table on a server", description=__doc__
    )
    parser.add_argument("table", metavar="TABLE", help="a table with Contributor Insights enabled")
    parser.add_argument("--index", metavar="NAME", help="list the keys of this global index instead of the table")
    parser.add_argument("--endpoint", metavar="URL", default=ENDPOINT, help=f"the server (default: {ENDPOINT})")
    parser.add_argument("--count", type=int, default=10, help="the number of keys in each list (default: 10)")
    parser.add_argument(
        "--access-key",
        metavar="ID:SECRET",
        help="sign requests with this key (default: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, if set)",
    )
    parser.add_argument("--json", action="store_true", help="print the keys as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Fetch the keys from the server and print them."""
    from singletable.engine.http.signed_request import send_request

    request = {"TableName": options.table, "IndexName": options.index, "Count": options.count}
    parameters = {name: value for name, value in request.items() if value is not None}
    try:
        found = send_request(options.endpoint, TARGET, parameters, _access_key(options.access_key))
    except RequestRefused as problem:
        raise SingletableError(problem.message or problem.code) from problem
    if options.json:
        print_json(found)
        return 0
    for kind, unit in (("Accessed", "units"), ("Throttled", "times")):
        for part, title in (("PartitionKeys", "partition keys"), ("Keys", "keys")):
            if found[kind][part]:
                print_table(f"Most {kind.lower()} {title}", (unit, "key"), _rows(found[kind][part]))
    if not found["Accessed"]["PartitionKeys"] and not found["Throttled"]["PartitionKeys"]:
        print("No key was accessed since counting started.")
    return 0


def _access_key(given: str | None) -> AccessKey | None:
    from singletable.engine.http.signed_request import AccessKey

    if given is not None:
        key_id, _, secret = given.partition(":")
        if not (key_id and secret):
            raise SingletableError("invalid --access-key: write ID:SECRET")
        return AccessKey(key_id, secret)
    key_id, secret = os.environ.get("AWS_ACCESS_KEY_ID", ""), os.environ.get("AWS_SECRET_ACCESS_KEY", "")
    return AccessKey(key_id, secret) if key_id and secret else None


def _rows(keys: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(f"{each['Amount']:g}", _shown(each["Key"])) for each in keys]


def _shown(key: dict[str, dict[str, Any]]) -> str:
    """Return a key on one line: `PK=CUST#c1 SK=PROFILE`."""
    return " ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())
