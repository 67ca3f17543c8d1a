"""Compares the engine with DynamoDB Local on random requests, and lists every difference that is not meant.

    python -m tests.differential                         20,000 requests, the same ones every time
    python -m tests.differential --seed 7 --steps 500    those of another seed
    python -m tests.differential --actions core,legacy   groups of actions; without it, all that the engine serves
    python -m tests.differential --replay 001.json       one example again
    python -m tests.differential --meant                 what is meant to differ, as docs/differential.md lists it

docs/differential.md says what is compared, and which differences are meant.
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
from bench.engine_bench.server import running
from tests.differential.actions import GROUPS, served
from tests.differential.ask import exchange
from tests.differential.compare import differences
from tests.differential.justified import justification
from tests.differential.report import meant, shown
from tests.differential.run import Run
from tests.differential.sides import InProcess, OverHttp, Side
from tests.differential.state import BothSides
from tests.differential.world import described, with_pools
from tests.engine.chance import Chance

EXAMPLES = Path("build/differential")
PEER = "DynamoDB Local"


def main(arguments: Sequence[str]) -> int:
    """Exits 1 when there is a difference that is not meant; says why when there is nobody to compare with."""
    asked = _parser().parse_args(arguments)
    if asked.meant:
        print(meant())
        return 0
    folder = asked.cache.expanduser().resolve() / "dynamodb-local"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with running(PEER, install_dynamodb_local(folder)) as server, closing(OverHttp(server.port)) as theirs:
            print(f"{PEER} {server.version}")
            with closing(InProcess()) as ours:
                return _replayed(ours, theirs, asked.replay) if asked.replay else _compared(ours, theirs, asked)
    except NotAvailable as reason:
        print(f"differential: left out, since {PEER} cannot be had here: {reason}")
        return 0


def _parser() -> argparse.ArgumentParser:
    opening = (__doc__ or "").partition("\n")[0]
    made = argparse.ArgumentParser("python -m tests.differential", description=opening)
    made.add_argument("--steps", type=int, default=20_000, help="how many requests (20,000)")
    made.add_argument("--seed", type=int, default=1, help="what the requests are made from (1)")
    made.add_argument(
        "--actions", help=f"groups of actions, out of {','.join(GROUPS)}; all that are served, if not given"
    )
    made.add_argument("--whole", action="store_true", help="examples as they came up, sooner: they are not shrunk")
    made.add_argument("--meant", action="store_true", help="list the differences that are meant, and run nothing")
    made.add_argument("--replay", type=Path, help="an example of an earlier run, to be sent once more")
    made.add_argument("--examples", type=Path, default=EXAMPLES, help=f"where examples are written ({EXAMPLES})")
    made.add_argument("--cache", type=Path, default=CACHE, help=f"where {PEER} is installed ({CACHE})")
    return made


def _compared(ours: Side, theirs: Side, asked: argparse.Namespace) -> int:
    begun = perf_counter()
    run = Run(ours, theirs, asked.seed, _say)
    run.shrinks = not asked.whole
    groups = asked.actions.split(",") if asked.actions else served(ours, theirs)
    if unknown := set(groups) - set(GROUPS):
        raise SystemExit(f"no group {', '.join(sorted(unknown))} among {', '.join(GROUPS)}")
    run.use(groups)
    print(f"seed {asked.seed}, {asked.steps:,} requests of {', '.join(groups)}", flush=True)
    outcome = run.steps(asked.steps)
    print(f"\n{shown(outcome, asked.examples)}\nin {perf_counter() - begun:.0f} seconds")
    return 1 if outcome.found else 0


def _replayed(ours: Side, theirs: Side, path: Path) -> int:
    """Makes the tables and items of an example, sends its request, and shows both answers."""
    example = json.loads(path.read_text(encoding="utf-8"))
    both = BothSides(ours, theirs, Chance(0))
    for creation in example["tables"]:
        name = creation["TableName"]
        if name in both.world.givens:
            both.forget(name)
        table = described(creation)
        assert table is not None
        both.make(with_pools(Chance(0), table), example["items"].get(name, ()))
    done = exchange(both.sides, both.world, example["action"], example["request"])
    print(json.dumps({"ours": done.ours.document, "theirs": done.theirs.document}, indent=1))
    left = 0
    for difference in [*differences(done), *both.learn(done)]:
        reason = justification(done, difference)
        left += reason is None
        print(f"{difference.path}: {difference.ours} / {difference.theirs}  {reason.reason if reason else ''}")
    return 1 if left else 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
