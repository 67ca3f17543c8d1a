"""A manual clock, for an engine whose time is part of the example."""

from dataclasses import dataclass


@dataclass
class Clock:
    """A clock that returns the value of its field `seconds`: the time in seconds since 1970."""

    seconds: float

    def __call__(self) -> float:
        return self.seconds
