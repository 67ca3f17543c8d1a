"""Command loop of the worker processes, and the clocks that they measure with.

Every contender environment imports this module, so it depends only on the standard library.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import perf_counter, process_time

Clock = Callable[[], float]
CLOCKS: dict[str, Clock] = {"wall": perf_counter, "cpu": process_time}


class WrongObject(Exception):
    """A contender read or wrote something other than the expected order."""


def serve(answer: Callable[..., object]) -> None:
    """Report readiness. Then pass the words of each input line to a function, and print its result."""
    print("ready", flush=True)
    for line in sys.stdin:
        print(answer(*line.split()), flush=True)


def run_worker(worker: Callable[[], None]) -> None:
    """Run a worker until its standard input ends. If it cannot start, print the reason on standard output."""
    try:
        worker()
    except WrongObject as problem:
        print(f"wrong {problem}", flush=True)
    except ImportError as problem:
        print(f"missing {problem}", flush=True)
    sys.stdout.flush()
    os._exit(0)  # threads of some libraries panic while Python shuts down, when all work is done
