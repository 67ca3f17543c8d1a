"""How patient a table is: how often a request is sent again, and how long an answer is waited for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Retries:
    """How often a request is sent again, and how long is waited before: full jitter, doubled each time."""

    attempts: int = 5
    """How often it is sent in all; 1 never sends it again."""
    first_seconds: float = 0.05
    """The longest pause after the first attempt."""
    seconds_max: float = 5.0
    """The longest pause after any."""

    def pause(self, attempt: int, chance: Callable[[], float] | None = None) -> float:
        """The seconds to wait after so many attempts."""
        from random import random  # a program that opens no table needs none

        longest: float = min(self.seconds_max, self.first_seconds * 2.0 ** (attempt - 1))
        return (chance or random)() * longest  # chance spreads the load here, and guards nothing


@dataclass(frozen=True)
class Timeouts:
    """How long a table that is reached over a network is waited for, in seconds."""

    connect: float = 5.0
    """For a connection, with its encryption."""
    read: float = 30.0
    """For an answer to begin, and as long again for its end."""

    def __post_init__(self) -> None:
        for name in ("connect", "read"):
            if not getattr(self, name) > 0:
                raise ValueError(f"the timeout {name} is {getattr(self, name)!r}; it is a number of seconds above 0")
