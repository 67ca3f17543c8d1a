"""Measures the cold start: import, model, open and first answer, compared with plain boto3 and with pydynox.

    python bench/cold_start.py                 20 starts of each program
    python bench/cold_start.py --starts 5      fewer
    python bench/cold_start.py --clock cpu     processor time of the programs, for a busy machine
    python bench/cold_start.py --json

All programs read the same item from the same local server. None sends DescribeTable, and each start is a new process.
The programs take turns, so that other load on the machine affects all of them equally. A figure is the median; the
total is the median of the sums.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.client_bench.libraries import python_of  # noqa: E402  # needs the path
from bench.cold_start_bench.shop_dataclasses import Customer, Shop  # noqa: E402  # needs the path
from bench.cold_start_bench.steps import NAME, NAMES  # noqa: E402  # needs the path
from bench.engine_bench.command import CACHE  # noqa: E402  # needs the path
from bench.engine_bench.peers import NotAvailable, singletable_program  # noqa: E402  # needs the path
from bench.engine_bench.server import run_server  # noqa: E402  # needs the path

BASE = "boto3_client"
PROGRAMS = (
    (BASE, "boto3 client", ""),
    ("singletable_dataclasses", "singletable, http://", ""),
    ("singletable_region", "singletable, dynamodb://", ""),
    ("singletable_boto3", "singletable with a boto3 client", ""),
    ("pydynox_model", "pydynox Model", "pydynox"),
)
SECONDS_MAX = 60
KEYS = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_REGION": "us-east-1"}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=20, help="starts of each program (20)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="what to measure (wall)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        run_server("singletable", singletable_program(Path(folder) / "shop.db")) as server,
    ):
        with Shop.open(server.url, create=True) as shop:
            shop.put(Customer("c1", NAME, "ada@example.com", datetime(2026, 1, 1, tzinfo=UTC)))
        figures = measure(server.url, options.starts, options.clock, Path(folder))
    if options.json:
        print(json.dumps(figures))
    else:
        print_table(figures)
    return 0


def measure(url: str, starts: int, clock: str, home: Path) -> dict[str, list[float]]:
    """Return the milliseconds of the steps of each program, and their total."""
    seconds: dict[str, list[list[float]]] = {}
    for number in range(starts + 1):
        for name, _, library in PROGRAMS:
            try:
                python = python_of(library, CACHE.expanduser()) if library else Path(sys.executable)
            except NotAvailable as reason:
                if number == 0:
                    print(f"{name} is not measured: {reason}", file=sys.stderr)
                continue
            steps = start(python, name, url, clock, home)
            if number > 0:  # the first start compiles the modules
                seconds.setdefault(name, []).append([*steps, sum(steps)])
    return {name: [round(median(each) * 1000, 1) for each in zip(*rows, strict=True)] for name, rows in seconds.items()}


def start(python: Path, name: str, url: str, clock: str, home: Path) -> list[float]:
    """Return the seconds of the steps of a program, in a new process without AWS settings of the user."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE"}
    kept = {key: value for key, value in os.environ.items() if key not in hidden and not key.startswith("AWS_")}
    paths = f"{ROOT}{os.pathsep}{ROOT / 'src'}"
    environment = {**kept, **KEYS, "COLD_START_URL": url, "PYTHONPATH": paths, "HOME": str(home)}
    environment |= {"AWS_DEFAULT_REGION": KEYS["AWS_REGION"], "COLD_START_CLOCK": clock}
    finished = subprocess.run(  # noqa: S603 - our own module, by a Python that we chose
        [str(python), "-m", f"bench.cold_start_bench.{name}"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS_MAX,
    )
    if finished.returncode != 0:
        raise SystemExit(f"{name} failed: {finished.stderr.strip()[-500:]}")
    return [float(each) for each in finished.stdout.split()]


def print_table(figures: dict[str, list[float]]) -> None:
    """Print the figures as a Markdown table."""
    print(f"| milliseconds | {' | '.join((*NAMES, 'total'))} | compared with boto3 |")
    print(f"|---|{'---|' * (len(NAMES) + 2)}")
    for name, title, _ in PROGRAMS:
        if name in figures:
            cells = " | ".join(f"{each:.0f}" for each in figures[name])
            print(f"| {title} | {cells} | {figures[name][-1] / figures[BASE][-1]:.2f} |")


if __name__ == "__main__":
    raise SystemExit(main())
