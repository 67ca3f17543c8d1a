"""Scripts that fill a table of an example, run one access pattern, and print the result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from singletable import Table

T = TypeVar("T", bound=Table)
A = TypeVar("A")


@dataclass(frozen=True)
class Script(Generic[T, A]):
    """A table with rows, the access pattern to run on it, and how to print the result."""

    model: type[T]
    rows: Iterable[Any]
    execute: Callable[[T], A]
    show: Callable[[A], None]

    def run(self, url: str = "memory:") -> None:
        """Create the table if it is missing, fill it, run the access pattern and print the result."""
        with self.model.open(url, create=True) as table:
            fill(table, self.rows)
            self.show(self.execute(table))

    def main(self) -> None:
        """Run from a shell; the first argument is the optional URL of the table."""
        self.run(*sys.argv[1:2])


def fill(table: Table, rows: Iterable[Any]) -> None:
    """Put the rows into the table one by one, as an application would."""
    for row in rows:
        table.put(row)
