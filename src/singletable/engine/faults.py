"""Faults on demand: the conflicts between concurrent writers, which an engine with one writer does not have."""

from __future__ import annotations

import random
from collections.abc import Callable


class Faults:
    """Whether the next write meets a conflict: counted, or by chance."""

    def __init__(self, conflict_rate: float = 0.0, chance: Callable[[], float] = random.random) -> None:
        if not 0.0 <= conflict_rate <= 1.0:
            raise ValueError(f"a rate of conflicts is between 0 and 1, and {conflict_rate} is not")
        self.conflict_rate = conflict_rate
        self.conflicts_next = 0
        self._chance = chance

    def conflict(self) -> bool:
        """Takes one conflict off the count, or throws the dice."""
        if self.conflicts_next > 0:
            self.conflicts_next -= 1
            return True
        return self.conflict_rate > 0.0 and self._chance() < self.conflict_rate
