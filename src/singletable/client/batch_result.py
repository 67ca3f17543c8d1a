"""What became of a batch of writes: how much went through, what did not and why, and how far it is meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from singletable.errors import SingletableError

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class BatchProgress:
    """How far a batch is: how many values went through, how many never will, and how many wait to be sent again."""

    written: int
    failed: int
    waiting: int


@dataclass(frozen=True)
class BatchFailure(Generic[T_co]):
    """A value that never went through, and why."""

    value: T_co
    reason: SingletableError


@dataclass(frozen=True)
class BatchResult(Generic[T_co]):
    """How many values went through, and those that did not; together they are all that were given."""

    written: int
    failed: tuple[BatchFailure[T_co], ...] = ()
