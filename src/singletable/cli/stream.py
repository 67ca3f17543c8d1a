"""`singletable stream MODEL URL`: deliver the changes of a table to the stream handlers of its model.

`singletable stream retry MODEL URL` delivers the records that were set aside, and `singletable stream status MODEL URL`
lists them with the progress of each shard.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singletable.cli.load_model import load_table
from singletable.cli.output import escape_controls, print_json, print_table
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.client.table import Table
    from singletable.streams.event_delivery import DeliveryReport
    from singletable.streams.set_aside import AsideItem

ACTIONS = ("retry", "status")
REMAINING = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "stream",
        help="deliver the changes of a table to stream handlers",
        description=__doc__,
        usage="singletable stream [retry | status] MODEL URL [options]",
    )
    parser.add_argument("words", metavar="MODEL URL", nargs="+", help="the model, and the URL of its table")
    parser.add_argument("--table-name", metavar="NAME", help="the table name (default: the name in the model)")
    parser.add_argument("--once", action="store_true", help="stop after the last record, instead of waiting for more")
    parser.add_argument(
        "--attempts", metavar="N", type=int, default=5, help="set a record aside after N failures (default: 5)"
    )
    parser.add_argument(
        "--start",
        choices=("oldest", "latest"),
        default="oldest",
        help="where to start in a shard without a checkpoint (default: oldest)",
    )
    parser.add_argument(
        "--lease-seconds",
        metavar="S",
        type=float,
        default=20.0,
        help="another worker takes over the shards of a dead worker after this time (default: 20)",
    )
    parser.add_argument("--max-shards", metavar="N", type=int, help="lease at most N shards at a time")
    parser.add_argument(
        "--accept-loss", action="store_true", help="continue if records after a checkpoint are older than 24 hours"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the worker, a retry, or show the status."""
    words = options.words
    action = words[0] if len(words) == 3 and words[0] in ACTIONS else None
    if len(words) != (3 if action else 2):
        raise ArgumentRefused("write: singletable stream [retry | status] MODEL URL")
    model, url = words[-2:]
    with open_existing(load_table(model), url, options.table_name) as table:
        if action == "retry":
            return _retry(table, as_json=options.json)
        if action == "status":
            return _status(table, as_json=options.json)
        return _work(table, options)


def open_existing(table: type[Table], url: str, name: str | None) -> Table:
    """Open an existing table. Create nothing."""
    if url == "memory:":
        raise ArgumentRefused("memory: is always empty; use file:PATH, http://HOST:PORT or dynamodb://REGION")
    if url.startswith("file:") and not Path(url.removeprefix("file:")).exists():
        raise ArgumentRefused(f"there is no store at {url}")
    return table.open(url, name=name)


def _work(table: Table, options: argparse.Namespace) -> int:
    from singletable.streams.stream_worker import StreamWorker, WorkerSettings

    settings = WorkerSettings(
        attempts=options.attempts,
        lease_seconds=options.lease_seconds,
        start=options.start,
        shards_max=options.max_shards,
        accept_loss=options.accept_loss,
    )
    worker = StreamWorker(table, settings)
    if options.once:
        worker.drain(waits=True)
    else:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(ValueError):  # only the main thread can set a signal handler
                signal.signal(number, lambda *_: stop.set())
        print(f"Delivering changes of {type(table).__name__}; press Ctrl-C to stop.", file=sys.stderr, flush=True)
        worker.run(stop)
    _print_report(worker.report, as_json=options.json)
    return 0


def _print_report(report: DeliveryReport, *, as_json: bool) -> None:
    if as_json:
        print_json(vars(report))
        return
    print(f"{report.records - report.internal:,} records read, {report.delivered:,} delivered")
    if report.failed:
        print(f"{report.failed:,} failed attempts, {report.set_aside:,} records set aside")
    if report.set_aside:
        print("Correct the cause, and run `singletable stream retry`.")
    for what, count in report.unknown.items():
        print(f"{count:,} records belong to no entity: {what}")


def _retry(table: Table, *, as_json: bool) -> int:
    from singletable.streams.stream_worker import retry_set_aside

    report = retry_set_aside(table)
    remaining = [_described(each) for _, each in report.remaining]
    if as_json:
        print_json({"items": report.items, "records": report.records, "remaining": remaining})
    else:
        print(f"{report.records:,} records delivered, {report.items:,} items released")
        _print_aside(remaining)
    return REMAINING if remaining else 0


def _status(table: Table, *, as_json: bool) -> int:
    from singletable.streams.stream_status import stream_status

    status = stream_status(table)
    aside = [_described(each) for each in status.aside]
    shards = [
        {"shard": each.shard, "state": each.state, "worker": each.owner, "checkpoint": each.checkpoint}
        for each in status.shards
    ]
    if as_json:
        print_json({"stream": status.arn, "shards": shards, "set_aside": aside})
        return 0
    rows = [[str(value or "") for value in each.values()] for each in shards]
    print_table(status.arn, ("shard", "state", "worker", "checkpoint"), rows)
    _print_aside(aside)
    return 0


def _described(item: AsideItem) -> dict[str, Any]:
    key = {name: next(iter(value.values())) for name, value in item.key.items()}
    return {"key": key, "records": item.count - item.done, "attempts": item.attempts, "reason": item.reason}


def _print_aside(items: list[dict[str, Any]]) -> None:
    if not items:
        return
    rows = [
        [
            *(escape_controls(" / ".join(map(str, each["key"].values()))), f"{each['records']:,}"),
            *(f"{each['attempts']:,}", escape_controls(each["reason"])),
        ]
        for each in items
    ]
    print_table("Set aside", ("item", "records", "attempts", "reason"), rows)
