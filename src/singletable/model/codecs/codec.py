"""The base class of codecs, which encode a field value as a text in a key and decode it again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.regular_language import Language


class SortOrder(Enum):
    """Whether the encoded texts sort like the values, in reverse order, or in neither order."""

    ASCENDING = "ascending"
    DESCENDING = "descending"
    NONE = "none"

    @property
    def reversed(self) -> SortOrder:
        """The reverse order."""
        return {SortOrder.ASCENDING: SortOrder.DESCENDING, SortOrder.DESCENDING: SortOrder.ASCENDING}.get(
            self, SortOrder.NONE
        )


@dataclass(frozen=True)
class Codec(ABC):
    """An exact codec: different values have different texts, and every text decodes to its value."""

    delimiter: str

    @property
    @abstractmethod
    def language(self) -> Language:
        """The language of all encoded texts."""

    @abstractmethod
    def encode(self, value: Any) -> str:
        """Return the text of a value; raise KeyRefused if the value is invalid."""

    @abstractmethod
    def decode(self, text: str) -> Any:
        """Return the value of a text; raise KeyRefused if it is not an encoded value."""

    @property
    def width(self) -> int | None:
        """The number of characters, if it is fixed."""
        return None

    @property
    def order(self) -> SortOrder:
        """How the texts sort compared with the values, when the delimiter or the end of the key follows each text."""
        return SortOrder.ASCENDING

    @property
    def unordered_reason(self) -> str:
        """Why the texts do not sort like the values, with a remedy. Empty if they sort like the values."""
        return ""

    @property
    def last_text(self) -> str | None:
        """The text that sorts last, where a range without an upper bound ends. None if there is no such text."""
        return None

    @property
    def domain(self) -> tuple[Any, ...] | None:
        """All possible values, if their set is small and known; otherwise None."""
        return None

    @property
    def raw(self) -> bool:
        """Whether the codec leaves text unescaped. A delimiter in such text can produce the key of another item."""
        return False

    @property
    def spans_segments(self) -> bool:
        """Whether the text can contain the delimiter, like a path or raw text.

        Such a text must be at the end of a key.
        """
        return False


Value = TypeVar("Value")


def read_exactly(codec: Codec, text: str, parse: Callable[[str], Value], described: str) -> Value:
    """Return the parsed value if `codec` encodes it as the same text; otherwise raise KeyRefused.

    `described` names the expected value in the message, such as "a date for {field}".
    """
    try:
        value = parse(text)
        if codec.encode(value) == text:
            return value
    except (ValueError, ArithmeticError):  # KeyRefused is also a ValueError
        pass
    raise KeyRefused(f"{text!r} is not {described}; another template wrote this key")
