"""What every codec answers: how a field's value is written into a key, and what that text keeps of the value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Any

from singletable.model.language import Language


class Order(Enum):
    """How the text of a codec sorts beside the values it was made of."""

    ASCENDING = "ascending"
    DESCENDING = "descending"
    NONE = "none"

    @property
    def reversed(self) -> Order:
        """The order read from the other end."""
        return {Order.ASCENDING: Order.DESCENDING, Order.DESCENDING: Order.ASCENDING}.get(self, Order.NONE)


@dataclass(frozen=True)
class Codec(ABC):
    """An exact codec: two different values never make the same text, and the text parses back to the value."""

    delimiter: str

    @property
    @abstractmethod
    def language(self) -> Language:
        """Every text that `encode` can make."""

    @abstractmethod
    def encode(self, value: Any) -> str:
        """The text of a value; raises KeyRefused when the value does not fit."""

    @abstractmethod
    def decode(self, text: str) -> Any:
        """The value that made this text; raises KeyRefused when no value did."""

    @property
    def width(self) -> int | None:
        """The number of characters when it is always the same."""
        return None

    @property
    def order(self) -> Order:
        """How texts sort beside values, once a delimiter that sorts first ends them."""
        return Order.ASCENDING

    @property
    def unordered_reason(self) -> str:
        """Why texts do not sort as values do, and the way out; empty when they do."""
        return ""

    @property
    def last_text(self) -> str | None:
        """A text no value's text sorts after, when there is one; ranges without an upper bound end there."""
        return None

    @property
    def domain(self) -> tuple[Any, ...] | None:
        """Every value there is, when they are few and known."""
        return None

    @property
    def raw(self) -> bool:
        """Whether text goes into the key as it is, so that a delimiter inside it can forge another key."""
        return False

    @property
    def spans_segments(self) -> bool:
        """Whether the text may hold the delimiter itself (a path, raw text), so that it must stand last."""
        return False
