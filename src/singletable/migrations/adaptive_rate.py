"""The rate of a pass: a limit in units per second, which throttling lowers and success raises again."""

from __future__ import annotations

from collections.abc import Callable

from singletable.errors import RequestRefused, Throttled

RATE_MIN = 1.0
PAUSE_MAX = 60.0
"""The longest pause after a throttled request, in seconds. The pause doubles after each one."""
RECOVERY = 1.05
"""The factor by which the rate grows after each page, or part of a page, without throttling."""
THROTTLED_MAX = 20
"""The number of throttled responses in a row, without any consumed unit, after which the pass fails."""
_REASONS = frozenset(("ProvisionedThroughputExceeded", "ThrottlingError"))


class AdaptiveRate:
    """Limits the units per second of a pass. A throttled request halves the limit, which then grows again slowly."""

    def __init__(self, limit: float | None, clock: Callable[[], float]) -> None:
        self._limit, self._clock = limit, clock
        self.current = limit
        """The units per second; None for no limit."""
        self._since, self._units, self._throttled = clock(), 0.0, 0

    @property
    def is_lowered(self) -> bool:
        """Whether throttling has lowered the rate."""
        return self.current != self._limit

    def throttle(self, units: float, problem: RequestRefused) -> float:
        """Halve the rate after a throttled request. Return the seconds to wait before the next request.

        `units` is the number of units that the pass has consumed so far. If it has not grown during too many throttled
        responses in a row, raise the error.
        """
        self._throttled = 1 if units > self._units else self._throttled + 1
        if self._throttled > THROTTLED_MAX:
            raise problem
        measured = (units - self._units) / max(self._clock() - self._since, 1.0)
        rate = measured if self.current is None else self.current
        self.current = max(rate / 2, RATE_MIN)
        self._restart(units)
        return min(2.0 ** (self._throttled - 1), PAUSE_MAX)

    def pause(self, units: float) -> float:
        """Return the seconds to wait after a page, so that the consumed units are within the rate."""
        if self.current is None:
            return 0.0
        ahead = (units - self._units) / self.current - (self._clock() - self._since)
        if self.is_lowered:
            grown = self.current * RECOVERY
            self.current = grown if self._limit is None else min(grown, self._limit)
            self._restart(units, max(ahead, 0.0))
        return max(ahead, 0.0)

    def _restart(self, units: float, seconds: float = 0.0) -> None:
        """Start a new measurement of the consumed units, now or in some seconds."""
        self._since, self._units = self._clock() + seconds, units


def is_throttled(problem: RequestRefused) -> bool:
    """Return whether DynamoDB rejected a request, or cancelled a transaction, because of its throughput."""
    reasons = problem.fields.get("CancellationReasons") or ()
    return isinstance(problem, Throttled) or any(each.get("Code") in _REASONS for each in reasons)
