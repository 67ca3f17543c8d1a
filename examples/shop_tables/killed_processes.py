"""Processes of the application and of the runner, which are killed at random and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import count
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from singletable.consolidation.consolidation_state import PROGRESS_TEXT
from singletable.engine import Engine
from singletable.model.reserved_place import reserved_place

from ..shop.model import Shop
from . import consolidation
from .running_shop import journal_of

FILE = str(Path(consolidation.__file__))
POLL_SECONDS = 0.05


class ShopProcesses:
    """Some processes of the application on a store. Each one that is killed is replaced by another one."""

    def __init__(self, folder: Path, seed: int, *, processes: int, speed: float, new_share: float = 0.5) -> None:
        self.store = f"file:{folder / 'shop.db'}"
        self.random = Random(seed)  # noqa: S311  # an example
        self.killed = Counter[str]()
        self._folder, self._speed, self._new_share = folder, speed, new_share
        self._numbers = count(1)
        self._journals: list[Path] = []
        self._running: list[subprocess.Popen[str]] = []
        self._count = processes
        self._engine = Engine(self.store)

    def __enter__(self) -> Self:
        for _ in range(self._count):
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._engine.close()

    def release(self, new_share: float) -> None:
        """Replace the processes by those of a release that writes this share of its products with the new table."""
        self.check()
        self._end()
        self._new_share = new_share
        for _ in range(self._count):
            self._start()

    def _end(self) -> None:
        for each in self._running:
            self._kill(each)
        self._running = []

    def written(self) -> dict[str, Decimal]:
        """Return the products whose writes have returned, with their prices."""
        return {sku: price for path in self._journals for sku, price in journal_of(path)}

    def kill_one(self) -> None:
        """Kill a process of the application at random, and start another one."""
        self.check()
        one = self._running.pop(self.random.randrange(len(self._running)))
        self._kill(one)
        self.killed["application"] += 1
        self._start()

    def check(self) -> None:
        """Raise AssertionError if a call of a process has failed, because that ends the process."""
        for each in self._running:
            if each.poll() is not None:
                raise AssertionError(f"a call of the application has failed:\n{each.communicate()[1]}")

    def run(self, kills: int, seconds: tuple[float, float]) -> str:
        """Run `singletable consolidate run` until it ends, and kill it and the application several times before.

        A runner is killed some seconds after it copies rows. Return the output of the last runner.
        """
        options = ["--yes", "--no-clients"]
        while True:
            is_last = self.killed["runner"] >= kills
            runner = self._command(["consolidate", "run", FILE, self.store, *options])
            left = 1e9 if is_last else self.random.uniform(*seconds)
            while runner.poll() is None and left > 0:
                time.sleep(POLL_SECONDS)
                left -= POLL_SECONDS * self._is_copying()
                self.check()
            if runner.poll() is None:
                self._kill(runner)
                self.killed["runner"] += 1
                self.kill_one()
                continue
            printed, problem = runner.communicate()
            if runner.returncode != 0:
                raise AssertionError(f"the runner has failed:\n{printed}{problem}")
            return printed

    def _is_copying(self) -> bool:
        """Return whether a runner has stored a position."""
        place = reserved_place(Shop.design, Shop.design.name)
        assert place is not None, "the keys of the shop are strings"
        key = place.key(PROGRESS_TEXT)
        return "Item" in self._engine.call("GetItem", {"TableName": place.table, "Key": key})

    def verify(self) -> str:
        """Run `singletable consolidate verify`, and return its output."""
        printed, problem = self._command(["consolidate", "verify", FILE, self.store]).communicate()
        return printed + problem

    def _start(self) -> None:
        name = f"app{next(self._numbers)}"
        journal = self._folder / f"{name}.txt"
        self._journals.append(journal)
        module = f"{__package__}.running_shop"
        program = f"{_setup()}from {module} import main; main()"
        arguments = [self.store, str(journal), name, str(self._speed), str(self._new_share)]
        self._running.append(_started([sys.executable, "-c", program, *arguments]))

    def _command(self, arguments: Sequence[str]) -> subprocess.Popen[str]:
        return _started([sys.executable, "-m", "singletable", *arguments])

    def _kill(self, process: subprocess.Popen[str]) -> None:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        process.communicate()


def _setup() -> str:
    """Return the statements that make the examples importable in a new process."""
    if str(__package__).startswith("singletable."):
        return "from singletable.demo.systems import examples_package; examples_package(); "
    return f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); "


def _started(command: Sequence[str]) -> subprocess.Popen[str]:
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(command, text=True, env=dict(os.environ), **options)  # noqa: S603  # our own programs
