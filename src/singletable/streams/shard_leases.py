"""Shard leases: one worker at a time reads a shard, and its checkpoint is in a reserved item of the table.

A worker increases the counter of its lease every few seconds. Another worker takes over a lease whose counter has not
changed for the duration of a lease by its own clock, so the clocks of the workers need not agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from singletable.client.request_steps import Steps
from singletable.streams.reserved_items import Content, ReservedItems

LEASE = "shard"
FINISHED_SECONDS = 3 * 86_400
"""The lifetime of the lease of a finished shard, whose records the stream contains for one day."""


@dataclass(frozen=True)
class ShardLease:
    """The lease of one shard."""

    owner: str
    """The worker that reads the shard; empty if no worker does."""
    counter: int
    checkpoint: str | None = None
    """The sequence number of the last handled record, or None."""
    is_finished: bool = False
    """Whether the shard is closed and all its records are handled."""

    @property
    def content(self) -> Content:
        """The lease as the members of a DynamoDB JSON map."""
        content: Content = {"owner": {"S": self.owner}, "counter": {"N": str(self.counter)}}
        if self.checkpoint is not None:
            content["checkpoint"] = {"S": self.checkpoint}
        return content | ({"finished": {"BOOL": True}} if self.is_finished else {})


def lease_from(content: Content) -> ShardLease:
    """Return the lease from the content of its reserved item."""
    checkpoint = content["checkpoint"]["S"] if "checkpoint" in content else None
    return ShardLease(content["owner"]["S"], int(content["counter"]["N"]), checkpoint, "finished" in content)


class ShardLeases:
    """Takes, renews and ends the leases of one worker."""

    def __init__(
        self,
        items: ReservedItems,
        owner: str,
        seconds: float,
        clock: Callable[[], float],
        now: Callable[[], float],
    ) -> None:
        """`clock` measures durations, `now` is the time of the table."""
        self._items, self._owner, self._seconds, self._clock, self._now = items, owner, seconds, clock, now
        self._seen: dict[str, tuple[ShardLease, float]] = {}
        """The leases of other workers, each with the time at which this worker first saw it."""
        self._alive: set[str] = set()
        """The shards whose worker has renewed its lease since this worker first saw it."""

    @property
    def has_undecided(self) -> bool:
        """Whether another worker has a lease, and it is not known yet whether that worker is alive."""
        return bool(self._seen.keys() - self._alive)

    def read(self, shard: str) -> Steps[ShardLease | None]:
        """Read the lease of a shard."""
        content = yield from self._items.content(LEASE, shard)
        return None if content is None else lease_from(content)

    def take(self, shard: str, found: ShardLease | None) -> Steps[ShardLease | None]:
        """Take a lease that is free or expired. Return None if another worker has it."""
        if found is not None and found.is_finished:
            return None
        if found is not None and found.owner not in ("", self._owner) and not self._is_expired(shard, found):
            return None
        taken = ShardLease(self._owner, 1) if found is None else replace(found, owner=self._owner)
        self._seen.pop(shard, None)
        self._alive.discard(shard)
        return (yield from self.change(shard, found, replace(taken, counter=taken.counter + 1)))

    def change(self, shard: str, before: ShardLease | None, after: ShardLease) -> Steps[ShardLease | None]:
        """Replace a lease. Return None if another worker has changed it.

        The lease of a finished shard expires after the records of the shard.
        """
        expires_at = self._now() + FINISHED_SECONDS if after.is_finished else None
        old = None if before is None else before.content
        is_changed = yield from self._items.replace(old, after.content, LEASE, shard, expires_at=expires_at)
        return after if is_changed else None

    def _is_expired(self, shard: str, found: ShardLease) -> bool:
        seen = self._seen.get(shard)
        if seen is None or seen[0] != found:
            if seen is not None:
                self._alive.add(shard)
            self._seen[shard] = (found, self._clock())
            return False
        return self._clock() - seen[1] >= self._seconds
