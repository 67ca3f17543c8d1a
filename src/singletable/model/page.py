"""A page of items, as a query answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from singletable.errors import UnreadableItem

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Page(Generic[T_co]):
    """Items in key order, the cursor that continues after them (None at the end), and the one of those before them.

    It can be iterated and has a length. `items` are the objects; `cursor` and `previous` are given to the same pattern
    with the same arguments, and are signed for it. `unreadable` lists the items that the model cannot read, with keys
    and reasons; it is empty unless the table was opened with `unreadable="report"`.
    """

    items: Sequence[T_co]
    cursor: str | None = None
    previous: str | None = None
    unreadable: tuple[UnreadableItem, ...] = ()

    def __iter__(self) -> Iterator[T_co]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
