"""Fault injection: transaction conflicts, which an engine with a single writer never has by itself."""

from __future__ import annotations

import random
from collections.abc import Callable


class Faults:
    """Injects transaction conflicts into writes: a fixed number of them, or at random.

    `conflict_rate` is the probability of a conflict for each write. Set `conflicts_next` to fail the next writes.
    """

    def __init__(self, conflict_rate: float = 0.0, chance: Callable[[], float] = random.random) -> None:
        if not 0.0 <= conflict_rate <= 1.0:
            raise ValueError(f"conflict_rate must be between 0 and 1, got {conflict_rate}")
        self.conflict_rate = conflict_rate
        self.conflicts_next = 0
        self._chance = chance

    def conflict(self) -> bool:
        """Return whether the next write fails, and count down `conflicts_next`."""
        if self.conflicts_next > 0:
            self.conflicts_next -= 1
            return True
        return self.conflict_rate > 0.0 and self._chance() < self.conflict_rate
