"""A change of status as two scripts show it: the lists before and after, and what the change used."""

from collections.abc import Callable
from dataclasses import dataclass

from singletable import Table

Lists = dict[str, list[str]]


@dataclass
class Change:
    """The user's orders by status before and after a change, and what the change alone used."""

    before: Lists
    after: Lists
    requests: int
    write_units: float


def changed(table: Table, lists: Callable[[], Lists], change: Callable[[], object]) -> Change:
    """Looks, changes, looks again; the units are those that the table reports."""
    before = lists()
    start = table.metrics.total
    change()
    end = table.metrics.total
    return Change(before, lists(), end.requests - start.requests, end.write_units - start.write_units)


def print_change(seen: Change, operation: str) -> None:
    """Both lists, one status a line."""
    print(f"{'':<9} before   after")
    for status in seen.before:
        print(f"{status:<9} {', '.join(seen.before[status]):<8} {', '.join(seen.after[status])}")
    print(f"{operation}: {seen.requests} request, {seen.write_units:g} write units")
