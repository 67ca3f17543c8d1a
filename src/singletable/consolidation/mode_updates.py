"""Mode updates: a process reads the modes of its patterns, adds its counts to the table, and reports fall-backs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from singletable.client.design_lease import VIEW_SECONDS_MAX
from singletable.client.request_log import error_code
from singletable.client.request_steps import Steps
from singletable.consolidation.pattern_modes import ModeItems
from singletable.consolidation.shadowed_pattern import ShadowedPattern, ShadowSettings, logger
from singletable.errors import SingletableError

URGENT_SECONDS = 1.0
"""How soon a mismatch or a fall-back reaches the table."""


class ModeUpdates:
    """Keeps the modes of the patterns of one process up to date."""

    def __init__(
        self,
        items: ModeItems,
        patterns: Mapping[str, ShadowedPattern],
        settings: ShadowSettings,
        clock: Callable[[], float],
        now: Callable[[], float],
    ) -> None:
        self._items, self._patterns, self._settings = items, patterns, settings
        self._clock, self._now = clock, now
        self._lock = threading.Lock()
        self.is_running = False
        self.is_known = False
        """Whether the modes were read."""
        self._must_read = self._is_ended = False
        self._last_error = ""
        self._read_at = 0.0
        self.reads = self.failures = 0
        """The number of times that the modes were read, and that a read or write of an update failed."""
        self.next_at = 0.0
        """When the next update is due."""
        self.stale_at = 0.0
        """From this time on, a call must not rely on the known modes without an attempt to read them."""

    def first(self) -> Steps[None]:
        """Read the modes before the first call. Raise the error if this fails, because no mode is known."""
        modes = yield from self._items.read()
        now = self._clock()
        for name, pattern in self._patterns.items():
            if name in modes:
                pattern.apply(modes[name])
        self.is_known, self.next_at = True, now
        self._know_until(now + VIEW_SECONDS_MAX)

    def demand(self) -> None:
        """Read the modes with the next update, and update at once."""
        self._must_read, self.next_at = True, 0.0

    def store_now(self) -> None:
        """Update at once."""
        self.next_at = 0.0

    def accept_stale(self) -> None:
        """Continue with the known modes, because they cannot be read now."""
        self._know_until(self._clock() + VIEW_SECONDS_MAX)

    def end(self) -> None:
        """Discard the known modes, so that no later call uses them."""
        with self._lock:
            self._is_ended, self.stale_at = True, 0.0

    def _know_until(self, time: float) -> None:
        with self._lock:
            if not self._is_ended:
                self.stale_at = time

    def restart(self) -> None:
        """Start again in a forked child, where no update is running."""
        self._lock, self.is_running = threading.Lock(), False
        self.stale_at = 0.0

    def hurry(self) -> None:
        """Update within a second."""
        self.next_at = min(self.next_at, self._clock() + URGENT_SECONDS)

    def claim(self) -> bool:
        """Return whether the caller must run `update` now.

        Until it has run, `claim` returns False for all other callers.
        """
        with self._lock:
            if self.is_running or self._clock() < self.next_at:
                return False
            self.is_running = True
            self.next_at = self._clock() + min(self._settings.flush_seconds, self._settings.refresh_seconds)
            return True

    def update(self) -> Steps[None]:
        """Read the modes if it is time, and store counts, differences and fall-backs. Log errors."""
        if not self.is_known and not self._must_read:
            self.is_running = False
            return
        started = self._clock()
        try:
            if self._must_read or started - self._read_at >= self._settings.refresh_seconds or self._has_fall_back:
                yield from self._guarded(self._read_modes())
            for pattern in self._patterns.values():
                yield from self._guarded(self._store(pattern))
        finally:
            with self._lock:
                self.is_running = False

    @property
    def _has_fall_back(self) -> bool:
        return any(each.fall_back is not None for each in self._patterns.values())

    def _read_modes(self) -> Steps[None]:
        started = self._read_at = self._clock()
        self._must_read = False
        for name, pattern in self._patterns.items():
            if pattern.fall_back is not None:
                left, reason = pattern.fall_back
                yield from self._items.switch(name, left, "old", self._now(), reason)
        modes = yield from self._items.register(self._patterns, self._now())
        for name, pattern in self._patterns.items():
            if name in modes:
                pattern.apply(modes[name])
        self._last_error = ""
        self._know_until(started + VIEW_SECONDS_MAX)
        self.is_known = True
        self.reads += 1

    def _store(self, pattern: ShadowedPattern) -> Steps[None]:
        round_number = pattern.current.round
        if not round_number:  # the pattern is not registered yet
            return
        counts = pattern.statistics.take()
        try:
            if counts:
                yield from self._items.add(pattern.name, counts, round_number, self._now())
        except SingletableError:
            pattern.statistics.put_back(counts)
            raise
        records = pattern.take_records()
        if records:
            yield from self._items.add_records(pattern.name, records, round_number)

    def _guarded(self, steps: Steps[None]) -> Steps[None]:
        try:
            yield from steps
        except SingletableError as problem:
            self.failures += 1
            text = error_code(problem) or ""
            if text != self._last_error:  # the same error every 10 seconds would fill the log
                self._last_error = text
                logger.warning(
                    "the modes and counts of shadow reads cannot be read or stored (%s); the known modes stay. The "
                    "process needs GetItem, PutItem and UpdateItem on the items $singletable#consolidation#*",
                    text,
                )
