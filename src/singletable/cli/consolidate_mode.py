"""`singletable consolidate mode MODEL URL [PATTERN MODE]`: show how old and new reads compare, or switch a pattern.

Without a pattern, the command shows the mode and the statistics of every pattern. The modes are `old`, `shadow`, `new`
and `done`.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from singletable.cli.load_model import load_table
from singletable.cli.output import print_json, print_table
from singletable.cli.stream import open_existing
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from singletable.consolidation.mode_statistics import Latency
    from singletable.consolidation.pattern_modes import PatternState

HEADERS = (
    *("pattern", "mode", "since", "calls", "compared", "differ", "errors"),
    *("old p50", "old p99", "new p50", "new p99"),
)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("mode", help="show or switch the modes of patterns", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument("url", metavar="URL", help="file:PATH, http://HOST:PORT or dynamodb://REGION")
    parser.add_argument("pattern", metavar="PATTERN", nargs="?", help="the pattern to switch")
    parser.add_argument("mode", metavar="MODE", nargs="?", help="old, shadow, new or done")
    parser.add_argument(
        "--calls",
        metavar="N",
        type=int,
        help="the compared calls without a difference that `new` and `done` need (default: 100)",
    )
    parser.add_argument("--table-name", metavar="NAME", help="the table name (default: the name in the model)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Switch a pattern, and print the states."""
    from singletable.consolidation.pattern_modes import CALLS_MIN, read_pattern_states, switch_mode

    if (options.pattern is None) is not (options.mode is None):
        raise ArgumentRefused("write: singletable consolidate mode MODEL URL PATTERN MODE")
    with open_existing(load_table(options.model), options.url, options.table_name) as table:
        if options.pattern is not None:
            calls = CALLS_MIN if options.calls is None else options.calls
            switch_mode(table, options.pattern, options.mode, calls_min=calls)
        states = read_pattern_states(table)
    if options.json:
        print_json({name: state_document(state) for name, state in states.items()})
    else:
        print_states(states)
    return 0


def print_states(states: Mapping[str, PatternState]) -> None:
    """Print a table of the modes, and the last differences of each pattern."""
    from singletable.consolidation.pattern_modes import difference_text

    if not states:
        print("no process has read through ShadowReads yet")
        return
    print_table("modes", HEADERS, [_row(name, state) for name, state in states.items()])
    for name, state in states.items():
        if state.reason:
            print(f"{name}: {state.reason}")
        for each in state.differences[:5]:
            print(f"{name}: {difference_text(each)}")


def _row(name: str, state: PatternState) -> list[str]:
    since = datetime.fromtimestamp(state.since, UTC).strftime("%Y-%m-%d %H:%M")
    rates = f"{state.mismatches:,} ({state.mismatch_rate:.1%})", f"{state.errors:,} ({state.error_rate:.1%})"
    times = [_milliseconds(side, share) for side in (state.old, state.new) for share in (0.5, 0.99)]
    return [name, state.mode, since, f"{state.calls:,}", f"{state.compared:,}", *rates, *times]


def _milliseconds(latency: Latency, share: float) -> str:
    seconds = latency.percentile(share)
    return "" if seconds is None else f"{seconds * 1000:.3g} ms"


def state_document(state: PatternState) -> dict[str, Any]:
    """Return the state of a pattern for JSON."""
    latencies = {
        f"{name}_{label}_ms": None if (seconds := side.percentile(share)) is None else round(seconds * 1000, 3)
        for name, side in (("old", state.old), ("new", state.new))
        for label, share in (("p50", 0.5), ("p99", 0.99))
    }
    return {
        "mode": state.mode,
        "since": datetime.fromtimestamp(state.since, UTC),
        "clean_since": datetime.fromtimestamp(state.clean_since, UTC),
        "reason": state.reason or None,
        "calls": state.calls,
        "compared": state.compared,
        "clean_calls": state.clean_calls,
        "mismatches": state.mismatches,
        "mismatch_rate": state.mismatch_rate,
        "errors": state.errors,
        "error_rate": state.error_rate,
        "dropped": state.dropped,
        **dict(state.kinds.items()),
        **latencies,
        "differences": [
            {name: getattr(each, name) for name in ("at", "call", "kind", "key", "field", "old", "new")}
            for each in state.differences
        ],
    }
