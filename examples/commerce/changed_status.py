"""The order lists before and after a status change, and the capacity of the change, for two scripts."""

from collections.abc import Callable
from dataclasses import dataclass

from singletable import Table

from ..measure import Cost, cost_of

Lists = dict[str, list[str]]


@dataclass
class Change:
    """The orders of a user by status, before and after a change, and the cost of the change."""

    before: Lists
    after: Lists
    cost: Cost


def changed(table: Table, lists: Callable[[], Lists], change: Callable[[], object]) -> Change:
    """Return the lists before and after the change, and the units of the change from the table's metrics."""
    before = lists()
    cost = cost_of(table, change)
    return Change(before, lists(), cost)


def print_change(seen: Change, operation: str) -> None:
    """Print both lists, one status per line."""
    print(f"{'':<9} before   after")
    for status in seen.before:
        print(f"{status:<9} {', '.join(seen.before[status]):<8} {', '.join(seen.after[status])}")
    print(f"{operation}: {seen.cost.requests} request, {seen.cost.write_units:g} write units")
