"""Log records about requests, in the logger `singletable.requests`; retries and throttling are warnings.

A record names the operation, the table, the pattern and the error code. The record contains keys, values and responses
only if the table was opened with `log_values=True`. It never contains credentials.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from singletable.client.tracing import RequestEvent, table_names
from singletable.errors import RequestRefused, Throttled, Unreachable

if TYPE_CHECKING:
    from logging import Logger

NAME = "singletable.requests"
CHARACTERS_MAX = 4000
"""The maximum number of characters of the parameters, and of the response, in a record."""
DEBUG, _WARNING = 10, 30  # logging.DEBUG and logging.WARNING


class RequestLog:
    """Writes log records about requests. It imports `logging` only for a warning, or if the program has imported it."""

    def __init__(self, *, with_values: bool = False) -> None:
        self._with_values = with_values
        self.logger: Logger | None = None
        """The logger, set at the first use of the log. A session calls it directly."""

    def is_on(self) -> bool:
        """Return whether the program logs every request."""
        logger = self.logger
        if logger is None:
            if "logging" not in sys.modules:  # without this module, nothing can have configured a log
                return False
            logger = self._load()
        return logger.isEnabledFor(DEBUG)

    def finished(self, event: RequestEvent, response: bytes | None) -> None:
        """Log a request that succeeded, or whose last attempt failed."""
        code = error_code(event.error)
        level = DEBUG if event.error is None or not is_lasting(event.error) else _WARNING
        logger = self.logger or self._load()
        if not logger.isEnabledFor(level):
            return
        tables = ", ".join(table_names(event.parameters))
        milliseconds = event.seconds * 1000
        text = f"{event.operation} {tables}{_pattern(event.pattern)}: %.1f ms"
        if event.attempts > 1:
            text += f", {event.attempts} attempts"
        if code is not None:
            text += f", {code}"
        extra: dict[str, Any] = {
            "operation": event.operation,
            "table": tables,
            "pattern": event.pattern,
            "attempts": event.attempts,
            "milliseconds": round(milliseconds, 3),
            "error_code": code,
        }
        if self._with_values:
            extra["parameters"] = _shortened(repr(event.parameters))
            extra["response"] = None if response is None else _shortened(response.decode("utf-8", "replace"))
            logger.log(level, f"{text} %s -> %s", milliseconds, extra["parameters"], extra["response"], extra=extra)
            return
        logger.log(level, text, milliseconds, extra=extra)

    def retry(self, operation: str, source: str | None, attempt: int, attempts_max: int, problem: Exception) -> None:
        """Log an attempt that failed and will be repeated."""
        logger = self.logger or self._load()
        if not logger.isEnabledFor(_WARNING):
            return
        code = error_code(problem)
        extra = {"operation": operation, "pattern": source, "attempts": attempt, "error_code": code}
        logger.warning(
            f"{operation}{_pattern(source)}: attempt %d of %d failed with %s, retrying",
            attempt,
            attempts_max,
            code,
            extra=extra,
        )

    def _load(self) -> Logger:
        import logging

        root = logging.getLogger("singletable")
        if not root.handlers:
            # prevents warnings on the standard error stream of a program without a log
            root.addHandler(logging.NullHandler())
        self.logger = logging.getLogger(NAME)
        return self.logger


def is_lasting(problem: RequestRefused | Unreachable) -> bool:
    """Return whether the final error of a request is throttling or a missing response.

    The log warns of these errors.
    """
    return isinstance(problem, Unreachable | Throttled)


def error_code(problem: Exception | None) -> str | None:
    """Return the error code of DynamoDB, or the name of the exception. Neither contains values."""
    if problem is None:
        return None
    return problem.code if isinstance(problem, RequestRefused) else type(problem).__name__


def _pattern(name: str | None) -> str:
    return "" if name is None else f" ({name.replace('%', '%%')})"


def _shortened(text: str) -> str:
    return text if len(text) <= CHARACTERS_MAX else f"{text[:CHARACTERS_MAX]}..."
