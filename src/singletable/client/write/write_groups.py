"""Groups of bulk writes: which writes share a transaction, and which transactions may run concurrently."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from singletable.client.key import Key
from singletable.client.write.actions import KeyId, key_id
from singletable.client.write.intent import WriteIntent
from singletable.client.write.writer import Writer
from singletable.model.entity import Entity
from singletable.planner.items import key_of
from singletable.values.limits import TRANSACTION_ACTIONS_MAX


@dataclass
class IntentWrite:
    """One write that needs conditions or a transaction, and the caller's value."""

    key: Hashable
    intent: WriteIntent
    value: Any


@dataclass
class WriteGroup:
    """Writes that go into one transaction, and the items that it may touch; None if they are not known."""

    writes: list[IntentWrite]
    touched: set[KeyId] | None
    actions: int = 0


def grouped(writer: Writer, writes: Sequence[IntentWrite]) -> Iterator[WriteGroup]:
    """Writes in groups that fit a transaction each; those of one counter are next to each other.

    Writes whose other items only a read can tell are in groups of their own, which run alone.
    """
    reached = [(write, _reach(writer, write)) for write in writes]
    for is_known in (True, False):
        group = WriteGroup([], set() if is_known else None)
        chosen = [each for each in reached if (each[1].touched is not None) == is_known]
        for write, reach in sorted(chosen, key=lambda each: each[1].counters):
            if reach.actions == 1:  # it needs no transaction
                yield WriteGroup([write], reach.touched)
                continue
            if group.writes and group.actions + reach.actions > TRANSACTION_ACTIONS_MAX:
                yield group
                group = WriteGroup([], set() if is_known else None)
            group.writes.append(write)
            group.actions += reach.actions
            if group.touched is not None and reach.touched is not None:
                group.touched |= reach.touched
        if group.writes:
            yield group


class Reach(NamedTuple):
    """The items that a write may touch (None if only a read can tell), its counters, and its most actions."""

    touched: set[KeyId] | None
    counters: list[KeyId]
    actions: int


def _reach(writer: Writer, write: IntentWrite) -> Reach:
    intent, keeping = write.intent, writer.preparer.keeping(write.intent.entity)
    own = {key_id(writer.preparer.key(intent))}
    if keeping.why is None or (intent.kind == "update" and not intent.changed & keeping.decisive):
        return Reach(own, [], 1)
    most = 1 + 2 * len(keeping.uniques) + 2 * len(keeping.mirrors) + 2 * len(keeping.counted) + len(keeping.held)
    # An item that is new has no copies; those of another may fill a transaction, which is then split.
    most += 0 if intent.kind in ("create", "delete") else 4 * len(keeping.given)
    if intent.kind in ("put", "create"):
        values = intent.values
    elif intent.kind == "update" or isinstance(intent.target, Key):
        return Reach(None, [], most)
    else:
        values = writer.preparer.writes(intent.entity).encoder.values(intent.target)
    owners = [_owner_key(owner, count.by, values) for count, owner in keeping.counted]
    sources = [_owner_key(source, copy.by, values) for copy, source in keeping.held]
    counters = sorted(key for key in owners if key is not None)
    return Reach(own | {key for key in (*owners, *sources) if key is not None}, counters, most)


def _owner_key(entity: Entity, by: Mapping[str, str], values: Mapping[str, Any]) -> Any:
    found = {theirs: values[ours] for theirs, ours in by.items()}
    return None if None in found.values() else key_id(key_of(entity, found))


def waves(groups: Sequence[WriteGroup]) -> Iterator[list[WriteGroup]]:
    """Groups that may run concurrently: no two of a wave touch one item."""
    waiting = list(groups)
    while waiting:
        wave: list[WriteGroup] = []
        later: list[WriteGroup] = []
        touched: set[KeyId] = set()
        for group in waiting:
            is_exclusive = group.touched is None
            if (is_exclusive and wave) or (wave and wave[0].touched is None) or touched & (group.touched or set()):
                later.append(group)
            else:
                wave.append(group)
            touched |= group.touched or set()
        yield wave
        waiting = later
