"""Scripts: one question to one table of an example, asked of a table that is filled first, and its answer in print."""

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
    """What is asked, of which table, with which rows in it, and how the answer reads."""

    model: type[T]
    rows: Iterable[Any]
    ask: Callable[[T], A]
    tell: Callable[[A], None]

    def run(self, url: str = "memory:") -> None:
        """Makes the table where it is not there yet, fills it, asks, and prints the answer."""
        with self.model.open(url, create=True) as table:
            fill(table, self.rows)
            self.tell(self.ask(table))

    def main(self) -> None:
        """The same from a shell, where the first argument may say where the table is."""
        self.run(*sys.argv[1:2])


def fill(table: Table, rows: Iterable[Any]) -> None:
    """Puts the rows into the table, one after another, as an application would."""
    for row in rows:
        table.put(row)
