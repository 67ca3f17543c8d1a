"""Retry and timeout settings, and the lists of retryable errors."""

from __future__ import annotations

from collections.abc import Callable

from singletable.errors import RequestRefused
from singletable.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Retries:
    """Retry settings: the number of attempts, and exponential backoff with full jitter."""

    attempts: int = 5
    """The maximum number of attempts, including the first; 1 disables retries."""
    first_seconds: float = 0.05
    """The maximum pause in seconds after the first attempt; this maximum doubles after each further attempt."""
    seconds_max: float = 5.0
    """The maximum pause in seconds after any attempt."""

    def pause(self, attempt: int, chance: Callable[[], float] | None = None) -> float:
        """Return a random number of seconds to wait after an attempt."""
        from random import random  # programs that open no table do not load this module

        longest: float = min(self.seconds_max, self.first_seconds * 2.0 ** (attempt - 1))
        return (chance or random)() * longest  # jitter needs no secure random numbers


@dataclass(frozen=True)
class Timeouts:
    """Network timeouts in seconds."""

    connect: float = 5.0
    """The timeout for opening a connection, including TLS."""
    read: float = 30.0
    """The timeout for the first bytes of a response, and for the rest of the response after them."""

    def __post_init__(self) -> None:
        for name in ("connect", "read"):
            if not getattr(self, name) > 0:
                raise ValueError(f"timeouts.{name} must be greater than 0 seconds, got {getattr(self, name)!r}")


# DynamoDB returns these codes when the throughput of a table, an index or the account is exceeded.
THROTTLING = frozenset(
    (
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    )
)
# Internal errors of the service. The write may have succeeded.
UNKNOWN_OUTCOME = frozenset(("InternalFailure", "InternalServerError", "InternalServerErrorException"))
# Errors that other requests cause. boto3 does not retry these errors.
CONFLICTS = frozenset(
    (
        "ItemCollectionSizeLimitExceededException",
        "LimitExceededException",
        "ReplicatedWriteConflictException",
        "TransactionConflictException",
    )
)
# Errors after which the same request can succeed.
RETRYABLE = THROTTLING | UNKNOWN_OUTCOME | CONFLICTS | {"ServiceUnavailable", "TransactionInProgressException"}
# Cancellation reasons after which the same transaction can succeed.
RETRYABLE_REASONS = frozenset(("TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"))


def is_retryable_cancellation(error: RequestRefused) -> bool:
    """Return whether a transaction was cancelled only for reasons that a retry can resolve."""
    if error.code != "TransactionCanceledException":
        return False
    codes = {reason.get("Code", "None") for reason in error.fields.get("CancellationReasons") or ()} - {"None"}
    return bool(codes) and codes <= RETRYABLE_REASONS
