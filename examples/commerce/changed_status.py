"""A change of status as two scripts show it: the lists before and after, and what the change used."""

from collections.abc import Callable
from dataclasses import dataclass

from singletable import Table

from ..measure import Cost, cost_of

Lists = dict[str, list[str]]


@dataclass
class Change:
    """The user's orders by status before and after a change, and what the change alone used."""

    before: Lists
    after: Lists
    cost: Cost


def changed(table: Table, lists: Callable[[], Lists], change: Callable[[], object]) -> Change:
    """Looks, changes, looks again; the units are those that the table reports."""
    before = lists()
    cost = cost_of(table, change)
    return Change(before, lists(), cost)


def print_change(seen: Change, operation: str) -> None:
    """Both lists, one status a line."""
    print(f"{'':<9} before   after")
    for status in seen.before:
        print(f"{status:<9} {', '.join(seen.before[status]):<8} {', '.join(seen.after[status])}")
    print(f"{operation}: {seen.cost.requests} request, {seen.cost.write_units:g} write units")
