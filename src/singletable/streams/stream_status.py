"""Stream status: the progress of each shard, and the items whose records were set aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from singletable.client.request_steps import run
from singletable.client.table import Table
from singletable.streams.reserved_items import reserved_items
from singletable.streams.set_aside import AsideItem, SetAside
from singletable.streams.shard_leases import LEASE, lease_from
from singletable.streams.shard_reader import latest_stream, shards_of
from singletable.streams.stream_worker import stream_session

ShardState = Literal["not read", "leased", "released", "finished"]


@dataclass(frozen=True)
class ShardProgress:
    """The progress of one shard."""

    shard: str
    state: ShardState
    owner: str = ""
    checkpoint: str | None = None


@dataclass(frozen=True)
class StreamStatus:
    """The progress of a stream."""

    arn: str
    shards: tuple[ShardProgress, ...]
    aside: tuple[AsideItem, ...]


def stream_status(table: Table) -> StreamStatus:
    """Return the progress of the stream of an open table."""
    opened = table._opened()
    items = reserved_items(opened.reader.design, opened.reader.name)
    session = stream_session(opened.session)
    try:
        arn = opened.run(latest_stream(opened.reader.name))
        found: list[ShardProgress] = []
        for shard in run(shards_of(arn), session):
            content = opened.run(items.content(LEASE, shard.id))
            if content is None:
                found.append(ShardProgress(shard.id, "not read"))
                continue
            lease = lease_from(content)
            state: ShardState = "finished" if lease.is_finished else "leased" if lease.owner else "released"
            found.append(ShardProgress(shard.id, state, lease.owner, lease.checkpoint))
        aside = SetAside(items)
        states = [opened.run(aside.item(each)) for each in sorted(opened.run(aside.index()).aside)]
    finally:
        if session is not opened.session:
            session.close()
    return StreamStatus(arn, tuple(found), tuple(each for each in states if each is not None))
