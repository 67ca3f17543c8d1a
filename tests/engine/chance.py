"""Chance for generated requests: a seed makes the same choices again, wherever it is run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """Where every choice of a request comes from.

    Hypothesis draws the seed, and leaves out the steps that a failure does not need. Drawing every choice from it would
    make each request simpler as well, and the test twenty times slower.
    """

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def below(self, count: int) -> int:
        return self._random.randrange(count)

    def pick(self, options: Sequence[T]) -> T:
        return self._random.choice(options)

    def one_in(self, count: int) -> bool:
        """True once in so many times."""
        return self._random.randrange(count) == 0

    def several(self, options: Sequence[T], least: int, most: int) -> list[T]:
        """Different ones out of the options, in any order."""
        return self._random.sample(list(options), min(len(options), self._random.randint(least, most)))

    def times(self, least: int, most: int) -> range:
        return range(self._random.randint(least, most))
