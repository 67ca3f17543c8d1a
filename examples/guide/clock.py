"""A clock that is moved by hand, for an engine whose time is part of the example."""

from dataclasses import dataclass


@dataclass
class Clock:
    """Says what it was last told, in seconds since 1970."""

    seconds: float

    def __call__(self) -> float:
        return self.seconds
