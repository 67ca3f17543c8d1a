"""Compare the engine with DynamoDB Local on random requests, and list every unintended difference.

    python -m tests.differential                         20,000 requests, the same ones every time
    python -m tests.differential --seed 7 --steps 500    those of another seed
    python -m tests.differential --actions core,legacy   groups of actions; without it, all that the engine serves
    python -m tests.differential --replay 001.json       one example again
    python -m tests.differential --intended              print the list of intended differences

docs/explanation/dynamodb-local.md explains the comparison; docs/reference/dynamodb-local-differences.md has the list.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter

from bench.engine_bench.command import CACHE
from bench.engine_bench.peers import NotAvailable, install_dynamodb_local
from bench.engine_bench.server import run_server
from tests.differential.actions import GROUPS, served
from tests.differential.compare import differences
from tests.differential.exchange import exchange
from tests.differential.intended_differences import intended_difference
from tests.differential.report import format_report, intended
from tests.differential.run import Run
from tests.differential.sides import InProcess, OverHttp, Side
from tests.differential.state import BothSides
from tests.differential.world import described, with_pools
from tests.engine.oracle.seeded_choices import SeededChoices

EXAMPLES = Path("build/differential")
PEER = "DynamoDB Local"


def main(arguments: Sequence[str]) -> int:
    """Return 1 if there is an unintended difference. If DynamoDB Local is missing, print why and return 0."""
    options = _parser().parse_args(arguments)
    if options.intended:
        print(intended())
        return 0
    folder = options.cache.expanduser().resolve() / "dynamodb-local"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with run_server(PEER, install_dynamodb_local(folder)) as server, closing(OverHttp(server.port)) as theirs:
            print(f"{PEER} {server.version}")
            with closing(InProcess()) as ours:
                return _replayed(ours, theirs, options.replay) if options.replay else _compared(ours, theirs, options)
    except NotAvailable as reason:
        print(f"differential: skipped, because {PEER} is not available: {reason}")
        return 0


def _parser() -> argparse.ArgumentParser:
    opening = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser("python -m tests.differential", description=opening)
    parser.add_argument("--steps", type=int, default=20_000, help="number of requests (20,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random requests (1)")
    parser.add_argument(
        "--actions", help=f"groups of actions, from {','.join(GROUPS)}; by default all that both sides support"
    )
    parser.add_argument("--whole", action="store_true", help="do not minimise examples, which is faster")
    parser.add_argument("--intended", action="store_true", help="print the intended differences and exit")
    parser.add_argument("--replay", type=Path, help="send the example of an earlier run again")
    parser.add_argument("--examples", type=Path, default=EXAMPLES, help=f"folder of the examples ({EXAMPLES})")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"folder of the installed {PEER} ({CACHE})")
    return parser


def _compared(ours: Side, theirs: Side, options: argparse.Namespace) -> int:
    start = perf_counter()
    run = Run(ours, theirs, options.seed, _show_progress)
    run.shrinks = not options.whole
    groups = options.actions.split(",") if options.actions else served(ours, theirs)
    if unknown := set(groups) - set(GROUPS):
        raise SystemExit(f"unknown group {', '.join(sorted(unknown))}; choose from {', '.join(GROUPS)}")
    run.use(groups)
    print(f"seed {options.seed}, {options.steps:,} requests of {', '.join(groups)}", flush=True)
    outcome = run.steps(options.steps)
    print(f"\n{format_report(outcome, options.examples)}\nin {perf_counter() - start:.0f} seconds")
    return 1 if outcome.found else 0


def _replayed(ours: Side, theirs: Side, path: Path) -> int:
    """Create the tables and items of an example, send its request, and print both responses."""
    example = json.loads(path.read_text(encoding="utf-8"))
    both = BothSides(ours, theirs, SeededChoices(0))
    for creation in example["tables"]:
        name = creation["TableName"]
        if name in both.world.givens:
            both.forget(name)
        table = described(creation)
        assert table is not None
        both.make(with_pools(SeededChoices(0), table), example["items"].get(name, ()))
    done = exchange(both.sides, both.world, example["action"], example["request"])
    print(json.dumps({"ours": done.ours.document, "theirs": done.theirs.document}, indent=1))
    left = 0
    for difference in [*differences(done), *both.learn(done)]:
        reason = intended_difference(done, difference)
        left += reason is None
        print(f"{difference.path}: {difference.ours} / {difference.theirs}  {reason.reason if reason else ''}")
    return 1 if left else 0


def _show_progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
