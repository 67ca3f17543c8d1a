"""`singletable top-keys TABLE [--endpoint URL]`: the keys that a served table's users touch most, and throttle most."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from singletable.cli.output import print_json, print_table
from singletable.errors import RequestRefused, SingletableError

if TYPE_CHECKING:
    from singletable.engine.http.ask import AccessKey

ENDPOINT = "http://127.0.0.1:8000"
TARGET = "Singletable.MostAccessedKeys"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("top-keys", help="the keys of a served table that are used most", description=__doc__)
    parser.add_argument("table", metavar="TABLE", help="a table whose Contributor Insights is enabled")
    parser.add_argument("--index", metavar="NAME", help="one of its global indexes, in place of the table")
    parser.add_argument("--endpoint", metavar="URL", default=ENDPOINT, help=f"the server, {ENDPOINT} unless given")
    parser.add_argument("--count", type=int, default=10, help="how many keys of each kind, 10 unless given")
    parser.add_argument(
        "--access-key",
        metavar="ID:SECRET",
        help="sign with this key; without it, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY if they are set",
    )
    parser.add_argument("--json", action="store_true", help="the keys as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask the server and show what it has counted."""
    from singletable.engine.http.ask import ask

    request = {"TableName": options.table, "IndexName": options.index, "Count": options.count}
    asked = {name: value for name, value in request.items() if value is not None}
    try:
        found = ask(options.endpoint, TARGET, asked, _access_key(options.access_key))
    except RequestRefused as refusal:
        raise SingletableError(refusal.message or refusal.code) from refusal
    if options.json:
        print_json(found)
        return 0
    for kind, unit in (("Accessed", "units"), ("Throttled", "times")):
        for part, title in (("PartitionKeys", "partition keys"), ("Keys", "keys")):
            if found[kind][part]:
                print_table(f"Most {kind.lower()} {title}", (unit, "key"), _rows(found[kind][part]))
    if not found["Accessed"]["PartitionKeys"] and not found["Throttled"]["PartitionKeys"]:
        print("Nothing was accessed since counting began.")
    return 0


def _access_key(given: str | None) -> AccessKey | None:
    from singletable.engine.http.ask import AccessKey

    if given is not None:
        key_id, _, secret = given.partition(":")
        if not (key_id and secret):
            raise SingletableError("--access-key is no access key: write ID:SECRET")
        return AccessKey(key_id, secret)
    key_id, secret = os.environ.get("AWS_ACCESS_KEY_ID", ""), os.environ.get("AWS_SECRET_ACCESS_KEY", "")
    return AccessKey(key_id, secret) if key_id and secret else None


def _rows(keys: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(f"{each['Amount']:g}", _shown(each["Key"])) for each in keys]


def _shown(key: dict[str, dict[str, Any]]) -> str:
    """A key on one line: `PK=CUST#c1 SK=PROFILE`."""
    return " ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())
