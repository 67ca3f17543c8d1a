"""Times of one call for every cell, with one figure per round, and their ratios."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import NamedTuple


class Cell(NamedTuple):
    """A row of one contender, sync or async, on a server or in the process."""

    row: str
    mode: str
    contender: str
    backend: str = "server"


@dataclass(frozen=True)
class Timings:
    """Figures by cell, in the order of the rounds."""

    figures: dict[Cell, list[float]] = field(default_factory=dict)

    def add(self, cell: Cell, seconds: float) -> None:
        """Add the figure of a round."""
        self.figures.setdefault(cell, []).append(seconds)

    def seconds(self, cell: Cell) -> float | None:
        """Return the median of the rounds."""
        found = self.figures.get(cell)
        return median(found) if found else None

    def spread(self, cell: Cell) -> float | None:
        """Return half of the interquartile range, relative to the median."""
        found = self.figures.get(cell)
        if found is None or len(found) < 2:
            return None
        low, _, high = quantiles(found, n=4, method="inclusive")
        return (high - low) / 2 / median(found)

    def ratio(self, ours: Cell, theirs: Cell) -> float | None:
        """Return the time of the peer relative to ours: the median of the ratios of the rounds."""
        mine, others = self.figures.get(ours), self.figures.get(theirs)
        if not mine or not others:
            return None
        return median(other / own for own, other in zip(mine, others, strict=True))
