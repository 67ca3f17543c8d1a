"""The scripts of the examples, by system, and the tables that their modules declare."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from examples.script import Script
from singletable import Table

ROOT = Path(__file__).parents[2]


def script(system: str, name: str) -> Script[Any, Any]:
    """Return a script by its name."""
    found: Script[Any, Any] = import_module(f"examples.{system}.{name}").SCRIPT
    return found


def tour(system: str) -> tuple[str, ...]:
    """Return the names of the scripts that run in order on one table."""
    names: tuple[str, ...] = import_module(f"examples.{system}").TOUR
    return names


def every_script(system: str) -> tuple[str, ...]:
    """Return these scripts, and the scripts that need their own table."""
    return (*tour(system), *getattr(import_module(f"examples.{system}"), "ASIDE", ()))


def clock_of(asked: Script[Any, Any]) -> Callable[[], float]:
    """Return the clock that decides which items of a script's table have expired."""
    now: Callable[[], float] = getattr(asked, "now", time.time)
    return now


def expected(system: str, name: str) -> str:
    """Return the output of a script."""
    return (ROOT / "examples" / system / "expected" / f"{name}.txt").read_text(encoding="utf-8")


def tables(system: str) -> Iterator[type[Table]]:
    """Return every table that a module of the system declares."""
    for path in sorted((ROOT / "examples" / system).glob("*.py")):
        module = import_module(f"examples.{system}.{path.stem}" if path.stem != "__init__" else f"examples.{system}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Table) and value.__module__ == module.__name__:
                yield value
