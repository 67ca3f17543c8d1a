"""Fault runs: random operations under random faults, repeated exactly by their seed.

`python -m tests.engine.faults.fault_runs --seed 5 --runs 100` runs the seeds 5 to 104. A seed selects a scenario and
all random choices in it. A run that fails or hangs prints the command that repeats it.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from tests.engine.faults.file_scenarios import FILE_SCENARIOS
from tests.engine.faults.network_scenarios import NETWORK_SCENARIOS
from tests.engine.faults.process_scenarios import CHILDREN, PROCESS_SCENARIOS
from tests.engine.faults.store_scenarios import STORE_SCENARIOS

RUN_SECONDS_MAX = 45
"""A run takes less than a second; after this time, it hangs."""
SCENARIOS: dict[str, Callable[[random.Random, Path], None]] = {
    each.__name__: each for each in (*STORE_SCENARIOS, *FILE_SCENARIOS, *PROCESS_SCENARIOS, *NETWORK_SCENARIOS)
}


def scenario_of(seed: int) -> str:
    """Return the scenario of a seed."""
    names = list(SCENARIOS)
    return names[seed % len(names)]


def run(seed: int, name: str) -> bool:
    """Run a scenario with a seed; return whether it succeeds."""
    print(f"seed {seed}: {name}", flush=True)
    again = f"FAILED: make faults SEED={seed} RUNS=1" + ("" if name == scenario_of(seed) else f" SCENARIO={name}")
    watchdog = threading.Timer(RUN_SECONDS_MAX, _end, (again,))
    watchdog.start()
    faulthandler.dump_traceback_later(RUN_SECONDS_MAX + 5, exit=True)  # if the watchdog cannot run
    try:
        with tempfile.TemporaryDirectory() as folder:
            SCENARIOS[name](random.Random(f"{seed}-{name}"), Path(folder))
    except BaseException:  # pytest's failures are not subclasses of Exception
        traceback.print_exc()
        print(again, flush=True)
        return False
    finally:
        faulthandler.cancel_dump_traceback_later()
        watchdog.cancel()
    return True


def _end(again: str) -> None:
    """Report a run that hangs, and end this process."""
    faulthandler.dump_traceback()
    print(f"{again} (it hangs)", flush=True)
    _exit()


def _exit() -> NoReturn:
    """End this process and its children at once: after a failure, their threads can wait for ever."""
    sys.stderr.flush()
    for child in CHILDREN:
        os.kill(child, signal.SIGKILL)
    os._exit(1)


def main() -> None:
    """Run seeds one after another, and end at the first failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--runs", type=int, default=1, help="the number of seeds")
    parser.add_argument("--scenario", choices=SCENARIOS, help="run only this scenario")
    options = parser.parse_args()
    counts, seconds = Counter[str](), Counter[str]()
    for seed in range(options.seed, options.seed + options.runs):
        name = options.scenario or scenario_of(seed)
        started = time.process_time()
        if not run(seed, name):
            _exit()
        counts[name] += 1
        seconds[name] += time.process_time() - started  # type: ignore[assignment]  # Counter adds floats too
    for name, number in counts.items():
        print(f"{name}: {number} runs, {seconds[name]:.1f} s of processor time")


if __name__ == "__main__":
    main()
