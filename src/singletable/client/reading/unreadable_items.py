"""Unreadable items of a read: collects them for its page, or emits warnings if the read returns no page."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from singletable.client.items.decoder import key_identity
from singletable.client.items.key_literals import ItemDecoder
from singletable.client.items.rows import Row
from singletable.client.responses import Item, read_page
from singletable.errors import ItemRefused, UnreadableItem, UnreadableItemWarning
from singletable.model.source_location import user_stacklevel


class Readable(NamedTuple):
    """Items that the model can read, and their objects in the same order."""

    items: Sequence[Item | Row]
    objects: list[Any]


class UnreadableItems:
    """Collects the unreadable items of one read."""

    def __init__(self, key_attributes: Sequence[str], warn_as: str | None = None) -> None:
        """Store the settings.

        If `warn_as` (the name of the read) is given, emit a warning for each unreadable item. Otherwise, collect the
        items in `listed`.
        """
        self._key_attributes, self._warn_as = key_attributes, warn_as
        self.count = 0
        self.listed: list[UnreadableItem] = []
        self.responses: list[bytes] = []
        """The responses that contain the items of the rows. A row lacks the attributes that the model does not read."""

    def separate(self, decoder: ItemDecoder, items: Sequence[Item | Row]) -> Readable:
        """Decode items one by one. Return the readable items, and report the others."""
        readable: list[Item | Row] = []
        objects: list[Any] = []
        unread: list[tuple[Item | Row, ItemRefused]] = []
        for item in items:
            try:
                objects.append(decoder.read(item))
            except ItemRefused as error:
                unread.append((item, error))
            else:
                readable.append(item)
        whole = self._items_in_responses() if any(isinstance(item, Row) for item, _ in unread) else {}
        for item, reason in unread:
            self.report(whole[key_identity(item, self._key_attributes)] if isinstance(item, Row) else item, reason)
        return Readable(readable, objects)

    def report(self, item: Item, error: ItemRefused) -> None:
        """Add an unreadable item to `listed`, or emit a warning for it."""
        key = {name: item[name] for name in self._key_attributes}
        _drop_tracebacks(error)
        unreadable = UnreadableItem(key, item, error)
        self.count += 1
        if self._warn_as is None:
            self.listed.append(unreadable)
            return
        message = f"{self._warn_as} left out an unreadable item: {error}"
        warnings.warn(UnreadableItemWarning(message, unreadable), stacklevel=user_stacklevel())

    def _items_in_responses(self) -> dict[Hashable, Item]:
        items = (item for body in self.responses for item in read_page(body).items)
        return {key_identity(item, self._key_attributes): item for item in items}


def _drop_tracebacks(error: BaseException) -> None:
    """Remove the stack frames of the read from an error.

    They would keep all its items in memory as long as the error exists.
    """
    each: BaseException | None = error
    while each is not None:
        # The context can be an exception of the caller, which must stay unchanged.
        each.__traceback__ = each.__context__ = None
        each = each.__cause__


def read_items(decoder: ItemDecoder, items: Sequence[Item | Row], unreadable: UnreadableItems | None) -> Readable:
    """Decode items and report the unreadable ones. Raise ItemRefused if `unreadable` is None."""
    try:
        return Readable(items, decoder.read_all(items))
    except ItemRefused:
        if unreadable is None:
            raise
    return unreadable.separate(decoder, items)
