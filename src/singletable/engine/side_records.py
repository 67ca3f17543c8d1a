"""What a write notes beside the item and its index entries: the change itself, and when the item expires."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from singletable.engine.storage.change_log import ChangeLog
from singletable.engine.storage.connection import Connection
from singletable.engine.storage.expiry_tree import ExpiryTree
from singletable.values.comparison import equal

# What SQLite holds as an integer; no clock gets there.
_SECONDS_MAX = 2**63 - 1


class Changes:
    """Notes changes in the log of a table, with the time of the engine's clock."""

    __slots__ = ("_now", "log")

    def __init__(self, log: ChangeLog, now: Callable[[], float]) -> None:
        self.log = log
        self._now = now

    def note(
        self, connection: sqlite3.Connection, key: bytes, before: Any, after: Any, by_service: bool = False
    ) -> None:
        """Notes the images of an item before and after, unless the write changed nothing."""
        if before is None and after is None:
            return
        if before is not None and after is not None:
            is_same = before.body == after.body or equal({"M": before.item}, {"M": after.item})
            if is_same:
                return
        old, new = (None if image is None else image.body for image in (before, after))
        assert isinstance(connection, Connection)
        if connection.moment is None:
            connection.moment = self._now()
        self.log.add(connection, connection.moment, key, old, new, by_service)


class Expiry:
    """Keeps the tree of expiry times in step with the items."""

    __slots__ = ("_attribute", "tree")

    def __init__(self, tree: ExpiryTree, attribute: str) -> None:
        self.tree = tree
        self._attribute = attribute

    def time_of(self, item: dict[str, Any]) -> int | None:
        """The second in which an item expires, if it says so by a number."""
        value = item.get(self._attribute)
        text = None if value is None else value.get("N")
        if text is None:
            return None
        # Numbers are stored in plain notation, so what stands before the point is the whole second.
        seconds = int(text.partition(".")[0] or "0")
        return seconds if 0 <= seconds <= _SECONDS_MAX else None

    def note(self, connection: sqlite3.Connection, key: bytes, before: Any, after: Any) -> None:
        """Moves the key of an item to the time at which it expires now."""
        old, new = (None if image is None else self.time_of(image.item) for image in (before, after))
        if old == new:
            return
        if old is not None:
            self.tree.remove(connection, old, key)
        if new is not None:
            self.tree.add(connection, new, key)
