"""Enumerations in a key: the value of an `Enum` member, or one of the texts of a `Literal`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, Flag
from functools import cached_property
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec, Order
from singletable.model.codecs.text import escape
from singletable.model.language import Language, any_of


@dataclass(frozen=True)
class _KnownTexts(Codec):
    """A codec whose values are few and known, and so are their texts."""

    @abstractmethod
    def write_all(self) -> dict[Any, str]:
        """The text of every value, in the order of the values."""

    @cached_property
    def texts(self) -> dict[Any, str]:
        """The text of every value, in the order of the values."""
        return self.write_all()

    @cached_property
    def values_by_text(self) -> dict[str, Any]:
        """The way back."""
        return {text: value for value, text in self.texts.items()}

    @property
    def language(self) -> Language:
        return any_of(self.texts.values())

    @property
    def width(self) -> int | None:
        widths = {len(text) for text in self.texts.values()}
        return widths.pop() if len(widths) == 1 else None

    @property
    def order(self) -> Order:
        # A text is ended by the delimiter or by the end of the key; both have to sort as the values do.
        ended = ([text + end for text in self.texts.values()] for end in ("", self.delimiter))
        return Order.ASCENDING if all(texts == sorted(texts) for texts in ended) else Order.NONE

    @property
    def last_text(self) -> str:
        return max(self.texts.values())

    @property
    def domain(self) -> tuple[Any, ...]:
        return tuple(self.texts)


@dataclass(frozen=True)
class ChoiceCodec(_KnownTexts):
    """A field of `Literal` texts, which sort as text does."""

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError("a choice of no texts has no values; a key needs at least one")

    def write_all(self) -> dict[Any, str]:
        return {value: escape(value, self.delimiter) for value in sorted(self.values)}

    @property
    def unordered_reason(self) -> str:
        if self.order is Order.ASCENDING:
            return ""
        return f"texts that begin alike do not sort behind the delimiter {self.delimiter!r}; only '#' keeps their order"

    def encode(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.texts:
            raise KeyRefused(f"{value!r} is not one of the texts of {{field}}; pass {_listed(map(repr, self.texts))}")
        return self.texts[value]

    def decode(self, text: str) -> str:
        if text not in self.values_by_text:
            raise KeyRefused(f"{text!r} is none of the texts of {{field}}; it has {_listed(self.values_by_text)}")
        return str(self.values_by_text[text])


@dataclass(frozen=True)
class EnumCodec(_KnownTexts):
    """An `Enum` field, written as its value and sorted by its value, whatever order the members are declared in.

    Text values are escaped as text is; whole numbers are written plain, or zero padded (`{level:02d}`).
    """

    enum_type: type[Enum]
    digits: int | None = None

    def __post_init__(self) -> None:
        name, members = self.enum_type.__name__, list(self.enum_type)
        if issubclass(self.enum_type, Flag):
            raise ValueError(f"{name} is a Flag, whose members combine; keep it in an int field")
        if not members:
            raise ValueError(f"{name} has no members; a key needs at least one")
        for member in members:
            if isinstance(member.value, bool) or not isinstance(member.value, str | int):
                raise ValueError(
                    f"{name}.{member.name} is {member.value!r}; in a key a member's value is a str or an int"
                )
            if self.digits is not None and not self._fits(member.value):
                raise ValueError(f"{name}.{member.name} is {member.value!r}, which does not fit {self.spelling}")
        if len(self.values_by_text) < len(members):
            raise ValueError(f"two members of {name} are written the same; give them different values")

    @property
    def spelling(self) -> str:
        """How the codec stands in a template."""
        return "{field}" if self.digits is None else f"{{field:0{self.digits}d}}"

    def write_all(self) -> dict[Any, str]:
        # Values of one kind sort as Python sorts them; of two kinds, numbers go first for want of an order.
        members = sorted(self.enum_type, key=lambda member: (isinstance(member.value, str), member.value))
        return {member: self._text(member.value) for member in members}

    @property
    def order(self) -> Order:
        mixed = len({isinstance(member.value, str) for member in self.enum_type}) > 1
        return Order.NONE if mixed else super().order

    @property
    def unordered_reason(self) -> str:
        if self.order is Order.ASCENDING:
            return ""
        return (
            f"the values of {self.enum_type.__name__} do not sort as text ({_listed(self.texts.values())}); "
            "give them one width, such as {field:02d} for whole numbers"
        )

    def encode(self, value: Any) -> str:
        if not isinstance(value, self.enum_type):
            example = f"{self.enum_type.__name__}.{next(iter(self.enum_type)).name}"
            raise KeyRefused(f"{value!r} is not a member for {self.spelling}; pass one, such as {example}")
        return self.texts[value]

    def decode(self, text: str) -> Any:
        if text not in self.values_by_text:
            name, known = self.enum_type.__name__, _listed(self.values_by_text)
            raise KeyRefused(f"{text!r} is no member of {name}, {self.spelling}; it has {known}")
        return self.values_by_text[text]

    def _text(self, value: str | int) -> str:
        return escape(value if isinstance(value, str) else f"{int(value):0{self.digits or 1}d}", self.delimiter)

    def _fits(self, value: str | int) -> bool:
        return not isinstance(value, str) and 0 <= value < 10 ** (self.digits or 1)


def _listed(texts: Iterable[str]) -> str:
    shown = list(texts)
    return ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")
