"""Walkthroughs: scripts of the examples that show a task from start to end."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass

from singletable.demo.systems import PACKAGE, NeedsPackage, examples_package


@dataclass(frozen=True)
class Walkthrough:
    """A walkthrough: its name, its title, and the script that prints it."""

    name: str
    title: str

    def output(self) -> list[str]:
        """Run the script, and return the lines that it prints."""
        script, printed = self.script(), io.StringIO()
        with redirect_stdout(printed):
            script()
        return printed.getvalue().rstrip("\n").split("\n")

    def script(self) -> Callable[[], None]:
        """Import the script with its libraries, and return the function that runs it.

        Raise NeedsPackage if a library is missing.
        """
        try:
            module = importlib.import_module(f"{PACKAGE}.walkthroughs.{self.name}")
        except ModuleNotFoundError as problem:
            if problem.name is None or problem.name.startswith(PACKAGE):
                raise
            raise NeedsPackage(self.name, problem.name, use="uses", extra="analytics,boto3,demo") from problem
        script: Callable[[], None] = module.main
        return script


def all_walkthroughs() -> tuple[Walkthrough, ...]:
    """Return every walkthrough, without importing its script."""
    return tuple(Walkthrough(name, title) for name, title in examples_package().WALKTHROUGHS.items())


def split_names(names: Sequence[str]) -> tuple[list[str], tuple[Walkthrough, ...]]:
    """Return the names of examples, and the walkthroughs with the other names."""
    known = {each.name: each for each in all_walkthroughs()}
    chosen = dict.fromkeys(name for name in names if name in known)
    return [name for name in names if name not in known], tuple(known[name] for name in chosen)
