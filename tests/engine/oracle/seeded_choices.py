"""Seeded random choices: the same seed gives the same requests on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class SeededChoices:
    """The source of all random choices in a request.

    Hypothesis draws the seed, and removes the steps that a failure does not need. If it drew every choice, it could
    also simplify the requests, but the test would be twenty times slower.
    """

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def below(self, count: int) -> int:
        return self._random.randrange(count)

    def pick(self, options: Sequence[T]) -> T:
        return self._random.choice(options)

    def one_in(self, count: int) -> bool:
        """Return True with the probability 1 / count."""
        return self._random.randrange(count) == 0

    def several(self, options: Sequence[T], least: int, most: int) -> list[T]:
        """Return distinct options in random order."""
        return self._random.sample(list(options), min(len(options), self._random.randint(least, most)))

    def times(self, least: int, most: int) -> range:
        return range(self._random.randint(least, most))
