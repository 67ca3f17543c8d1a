"""Stopwatch of a cold start: prints the seconds of each step, in order."""

from __future__ import annotations

import os
from time import perf_counter, process_time

URL = os.environ.get("COLD_START_URL", "")
CLOCK = process_time if os.environ.get("COLD_START_CLOCK") == "cpu" else perf_counter
NAMES = ("import", "model", "open", "first answer")
TABLE = "Shop"
CUSTOMER = {"PK": {"S": "CUST#c1"}, "SK": {"S": "METADATA"}}
NAME = "Ada"


class Stopwatch:
    """Measures from its creation, or from the end of the previous step."""

    def __init__(self) -> None:
        self._last = CLOCK()
        self._seconds: list[float] = []

    def step(self) -> None:
        """End a step."""
        now = CLOCK()
        self._seconds.append(now - self._last)
        self._last = now

    def finish(self, name: object) -> None:
        """End the last step, check the name of the customer, print all steps, and end the process."""
        self.step()
        if name != NAME:
            raise SystemExit(f"the customer's name is {name!r}, not {NAME!r}")
        assert len(self._seconds) == len(NAMES), "each program has the same steps"
        print(*self._seconds, flush=True)
        os._exit(0)  # threads of some libraries panic while Python shuts down
