"""Results of bulk writes: progress, failures with their reasons, and the final count."""

from __future__ import annotations

from typing import Generic, TypeVar

from singletable.errors import SingletableError
from singletable.lazy_dataclass import dataclass

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class BatchProgress:
    """The progress of a bulk write: how many values were written, failed, or are waiting for a retry."""

    written: int
    failed: int
    waiting: int


@dataclass(frozen=True)
class BatchFailure(Generic[T_co]):
    """A value that was not written, and the reason."""

    value: T_co
    reason: SingletableError


@dataclass(frozen=True)
class BatchResult(Generic[T_co]):
    """The result of a bulk write: the number of written values, and each failed value with its reason."""

    written: int
    failed: tuple[BatchFailure[T_co], ...] = ()
