"""Measure the requests and capacity of a call, from the table's own metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from singletable import Table


@dataclass(frozen=True)
class Cost:
    """Requests and capacity units of one call."""

    requests: int
    read_units: float
    write_units: float

    def __add__(self, other: Cost) -> Cost:
        requests, reads = self.requests + other.requests, self.read_units + other.read_units
        return Cost(requests, reads, self.write_units + other.write_units)


def cost_of(table: Table, call: Callable[[], object]) -> Cost:
    """Make a call and return its cost."""
    start = table.metrics.total
    call()
    end = table.metrics.total
    requests, reads = end.requests - start.requests, end.read_units - start.read_units
    return Cost(requests, reads, end.write_units - start.write_units)
