"""Targets of the engine benchmark: mostly ratios within one run, which hold on any machine."""

from __future__ import annotations

from dataclasses import dataclass

from bench.engine_bench.workload import Kind


@dataclass(frozen=True)
class Target:
    """A lower or upper bound of a figure."""

    bound: float
    at_least: bool

    def is_met(self, figure: float) -> bool:
        """Return whether a figure meets the target."""
        return figure >= self.bound if self.at_least else figure <= self.bound

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.bound:g}"


def at_least(bound: float) -> Target:
    """Return a target with a lower bound."""
    return Target(bound, at_least=True)


def at_most(bound: float) -> Target:
    """Return a target with an upper bound."""
    return Target(bound, at_least=False)


def over_http(peer: str, kind: Kind, clients: int) -> Target | None:
    """Return the target for our rate relative to a peer, if any."""
    if peer == "DynamoDB Local":
        return at_least(4) if kind == "query" else at_least(5 if clients == 1 else 8)
    if peer == "dynalite":
        if kind in {"query", "batch"}:
            return at_least(5)
        return at_least(1.4 if clients == 1 else 2) if kind == "single" else None
    if peer == "dynoxide":  # measured only with every commit on disk
        return at_least(1)
    if peer == "ministack" and clients == 8:
        return at_least(5)
    return None


GET_ITEM_TO_SQLITE = at_most(4)
PUT_ITEM_TO_SQLITE = at_most(4)
PAGE_TO_SQLITE = at_most(2)
LARGE_TO_SMALL = at_most(1.5)
START_SECONDS = at_most(0.5)
IDLE_MEGABYTES = at_most(80)
