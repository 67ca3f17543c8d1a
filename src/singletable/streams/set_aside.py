"""Records that were set aside: a record that failed too often, and the later records of the same item."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from singletable.client.request_steps import Steps
from singletable.client.responses import Item
from singletable.errors import StreamRefused
from singletable.streams.reserved_items import Content, ReservedItems
from singletable.streams.stream_records import StreamRecord

ASIDE = "$singletable_aside"
FAILING = "$singletable_failing"
INDEX, ITEM = "aside", "item"
ITEMS_MAX = 5000
"""The maximum number of items with records set aside. Beyond it, the handler is probably wrong, so the runner stops."""
CHUNK_BYTES = 300_000
REASON_CHARACTERS_MAX = 1000


@dataclass(frozen=True)
class AsideIndex:
    """The items that have records set aside, and the items whose record failed but is not set aside yet."""

    aside: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()


@dataclass(frozen=True)
class AsideItem:
    """The state of one item with a failed record."""

    key: Item
    sequence: str
    """The sequence number of the record that failed."""
    attempts: int
    reason: str
    count: int = 0
    """The number of records that were set aside; 0 while the record is still retried."""
    done: int = 0
    """The number of these records that a retry has handled."""
    last: str = "0"
    """The sequence number of the last record that was set aside."""

    @property
    def content(self) -> Content:
        """The state as the members of a DynamoDB JSON map."""
        return {
            "key": {"M": self.key},
            "sequence": {"S": self.sequence},
            "attempts": {"N": str(self.attempts)},
            "reason": {"S": self.reason},
            "count": {"N": str(self.count)},
            "done": {"N": str(self.done)},
            "last": {"S": self.last},
        }


def aside_item(content: Content) -> AsideItem:
    """Return the state of an item from the content of its reserved item."""
    numbers = (int(content[name]["N"]) for name in ("attempts", "count", "done"))
    attempts, count, done = numbers
    texts = (content[name]["S"] for name in ("sequence", "reason", "last"))
    sequence, reason, last = texts
    return AsideItem(content["key"]["M"], sequence, attempts, reason, count, done, last)


@dataclass(frozen=True)
class AsideRecord:
    """A record that was set aside, and the handlers that have already handled it."""

    record: StreamRecord
    handled: tuple[str, ...] = ()


@dataclass(frozen=True)
class SetAside:
    """Reads and writes the records of one table that were set aside."""

    items: ReservedItems

    def index(self) -> Steps[AsideIndex]:
        """Read which items have failed records."""
        item = yield from self.items.read(INDEX)
        sets = (frozenset((item or {}).get(name, {}).get("SS", ())) for name in (ASIDE, FAILING))
        return AsideIndex(*sets)

    def item(self, item_id: str) -> Steps[AsideItem | None]:
        """Read the state of an item."""
        content = yield from self.items.content(ITEM, item_id)
        return None if content is None else aside_item(content)

    def failed(self, record: StreamRecord, reason: str) -> Steps[int]:
        """Count a failed attempt, and return the number of attempts for this record."""
        known = yield from self.item(record.item_id)
        attempts = known.attempts + 1 if known is not None and known.sequence == record.sequence else 1
        state = AsideItem(record.key, record.sequence, attempts, reason[:REASON_CHARACTERS_MAX])
        add = self.items.change_set(FAILING, INDEX, add=record.item_id)
        yield from self.items.commit(("Put", self.items.put(state.content, ITEM, record.item_id)), ("Update", add))
        return attempts

    def succeeded(self, record: StreamRecord) -> Steps[None]:
        """Forget the failed attempts of an item."""
        remove = self.items.change_set(FAILING, INDEX, remove=record.item_id)
        yield from self.items.commit(("Delete", self.items.delete(ITEM, record.item_id)), ("Update", remove))

    def start(self, failed: AsideRecord, known: AsideIndex) -> Steps[None]:
        """Set aside the record that failed too often. Later records of its item follow with `append`."""
        record = failed.record
        if len(known.aside) >= ITEMS_MAX:
            raise StreamRefused(
                f"{ITEMS_MAX:,} items are set aside, so the handler probably fails for every item.\n"
                "  Correct the handler, and run `singletable stream retry`."
            )
        state = yield from self.item(record.item_id)
        assert state is not None, "the failed attempts of the record were counted"
        added = replace(state, count=1, last=record.sequence)
        yield from self.items.commit(
            ("Put", self.items.put(added.content, ITEM, record.item_id)),
            *self._puts(failed, 1),
            ("Update", self._moved(record.item_id)),
        )

    def append(self, later: AsideRecord) -> Steps[bool]:
        """Set aside a later record of an item. Return False if the item has no records set aside any more."""
        item_id = later.record.item_id
        while True:
            state = yield from self.item(item_id)
            if state is None or not state.count:
                return False
            if int(later.record.sequence) <= int(state.last):
                return True  # the record was delivered again
            added = replace(state, count=state.count + 1, last=later.record.sequence)
            guard = self.items.replaces(state.content)
            put = self.items.put(added.content, ITEM, item_id) | guard
            if (yield from self.items.commit(("Put", put), *self._puts(later, added.count))):
                return True

    def record(self, item_id: str, number: int) -> Steps[AsideRecord]:
        """Read a record that was set aside."""
        first = yield from self.items.content(ITEM, item_id, str(number), "0")
        assert first is not None, "the state of the item counts only records that are stored"
        chunks = [first]
        for chunk in range(1, int(first["chunks"]["N"])):
            following = yield from self.items.content(ITEM, item_id, str(number), str(chunk))
            assert following is not None, "all chunks of a record are written in one transaction"
            chunks.append(following)
        return _unpacked(b"".join(base64.b64decode(each["data"]["B"]) for each in chunks))

    def advance(self, item_id: str, state: AsideItem, chunks: int = 3) -> Steps[AsideItem]:
        """Note that a retry has handled the next record, and delete this record. Return the new state."""
        while True:
            after = replace(state, done=state.done + 1)
            put = self.items.put(after.content, ITEM, item_id) | self.items.replaces(state.content)
            gone = [("Delete", self.items.delete(ITEM, item_id, str(after.done), str(n))) for n in range(chunks)]
            if (yield from self.items.commit(("Put", put), *gone)):
                return after
            state = yield from self._current(item_id, state)

    def note_failure(self, item_id: str, state: AsideItem, reason: str) -> Steps[None]:
        """Store why the last retry of an item failed."""
        after = replace(state, attempts=state.attempts + 1, reason=reason[:REASON_CHARACTERS_MAX])
        yield from self.items.replace(state.content, after.content, ITEM, item_id)

    def release(self, item_id: str, state: AsideItem) -> Steps[AsideItem | None]:
        """End the separate treatment of an item. Return its state if a runner has added records meanwhile."""
        delete = self.items.delete(ITEM, item_id) | self.items.replaces(state.content)
        remove = self.items.change_set(ASIDE, INDEX, remove=item_id)
        if (yield from self.items.commit(("Delete", delete), ("Update", remove))):
            return None
        return (yield from self._current(item_id, state))

    def _current(self, item_id: str, state: AsideItem) -> Steps[AsideItem]:
        found = yield from self.item(item_id)
        if found is None or found.done != state.done:
            raise StreamRefused(f"another process retries the item {_text(state.key)}, so this retry stops")
        return found

    def _moved(self, item_id: str) -> dict[str, Any]:
        update = self.items.change_set(ASIDE, INDEX, add=item_id)
        update["UpdateExpression"] = f"DELETE #failing :text {update['UpdateExpression']}"
        update["ExpressionAttributeNames"]["#failing"] = FAILING
        return update

    def _puts(self, aside: AsideRecord, number: int) -> Sequence[tuple[str, dict[str, Any]]]:
        data = _packed(aside)
        chunks = [data[start : start + CHUNK_BYTES] for start in range(0, len(data), CHUNK_BYTES)]
        return [
            (
                "Put",
                self.items.put(
                    {"data": {"B": base64.b64encode(chunk).decode()}, "chunks": {"N": str(len(chunks))}},
                    *(ITEM, aside.record.item_id, str(number), str(place)),
                ),
            )
            for place, chunk in enumerate(chunks)
        ]


def _packed(aside: AsideRecord) -> bytes:
    record = aside.record
    fields = (record.sequence, record.key, record.old, record.new, record.seconds, record.is_expiry, aside.handled)
    return zlib.compress(json.dumps(fields).encode())


def _unpacked(data: bytes) -> AsideRecord:
    *fields, handled = json.loads(zlib.decompress(data))
    return AsideRecord(StreamRecord(*fields), tuple(handled))


def _text(key: Item) -> str:
    return ", ".join(f"{name}={next(iter(value.values()))!r}" for name, value in key.items())
