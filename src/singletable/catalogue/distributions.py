"""Distributions: counts of measured values, their percentiles, mean and maximum."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate


class Distribution:
    """Counts how often each value was measured."""

    def __init__(self) -> None:
        self._counts: Counter[float] = Counter()

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[value] += 1

    @property
    def count(self) -> int:
        """The number of values."""
        return self._counts.total()

    @property
    def total(self) -> float:
        """The sum of the values."""
        return sum(value * count for value, count in self._counts.items())

    @property
    def mean(self) -> float:
        """The mean, or 0 if there are no values."""
        return self.total / self.count if self._counts else 0.0

    @property
    def maximum(self) -> float:
        """The largest value, or 0 if there are no values."""
        return max(self._counts, default=0.0)

    def count_at_least(self, least: float) -> int:
        """Return how many values are at least `least`."""
        return sum(count for value, count in self._counts.items() if value >= least)

    def percentile(self, percent: float) -> float:
        """Return a percentile: the smallest value such that this percentage of all values is not larger."""
        ordered = sorted(self._counts)
        wanted = percent / 100 * self.count
        sums = accumulate(self._counts[value] for value in ordered)
        return next((value for value, seen in zip(ordered, sums, strict=True) if seen >= wanted), self.maximum)
