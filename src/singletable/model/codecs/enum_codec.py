"""Codecs for `Enum` and for `Literal` texts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from enum import Enum, Flag
from functools import cached_property
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder
from singletable.model.codecs.text_codec import escape
from singletable.model.regular_language import Language, any_of


@dataclass(frozen=True)
class _KnownTexts(Codec):
    """A codec with a small, known set of values."""

    @abstractmethod
    def write_all(self) -> dict[Any, str]:
        """Return the text of every value, in the order of the values."""

    @cached_property
    def texts(self) -> dict[Any, str]:
        """The text of every value, in the order of the values."""
        return self.write_all()

    @cached_property
    def values_by_text(self) -> dict[str, Any]:
        """The value of every text."""
        return {text: value for value, text in self.texts.items()}

    @property
    def language(self) -> Language:
        return any_of(self.texts.values())

    @property
    def width(self) -> int | None:
        widths = {len(text) for text in self.texts.values()}
        return widths.pop() if len(widths) == 1 else None

    @property
    def order(self) -> SortOrder:
        # The text is followed by the delimiter or by the end of the key. The keys must sort like the values in both
        # cases.
        ended = ([text + end for text in self.texts.values()] for end in ("", self.delimiter))
        return SortOrder.ASCENDING if all(texts == sorted(texts) for texts in ended) else SortOrder.NONE

    @property
    def last_text(self) -> str:
        return max(self.texts.values())

    @property
    def domain(self) -> tuple[Any, ...]:
        return tuple(self.texts)


@dataclass(frozen=True)
class LiteralCodec(_KnownTexts):
    """Encodes a `Literal` of str values, which sort as text."""

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError("the Literal has no values; a key needs at least one value")

    def write_all(self) -> dict[Any, str]:
        return {value: escape(value, self.delimiter) for value in sorted(self.values)}

    @property
    def unordered_reason(self) -> str:
        if self.order is SortOrder.ASCENDING:
            return ""
        return f"with the delimiter {self.delimiter!r}, texts with a common prefix do not sort correctly; use '#'"

    def encode(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.texts:
            raise KeyRefused(f"{value!r} is not a value of {{field}}; pass {_listed(map(repr, self.texts))}")
        return self.texts[value]

    def decode(self, text: str) -> str:
        if text not in self.values_by_text:
            raise KeyRefused(f"{text!r} is not a value of {{field}}; expected {_listed(self.values_by_text)}")
        return str(self.values_by_text[text])


@dataclass(frozen=True)
class EnumCodec(_KnownTexts):
    """Encodes an `Enum` by its value. Its members sort by value, not in the order of their declaration.

    Texts are escaped. Integers are written without padding, or padded with zeros (`{level:02d}`).
    """

    enum_type: type[Enum]
    digits: int | None = None

    def __post_init__(self) -> None:
        name, members = self.enum_type.__name__, list(self.enum_type)
        if issubclass(self.enum_type, Flag):
            raise ValueError(f"{name} is a Flag, which is not supported; use an int field")
        if not members:
            raise ValueError(f"{name} has no members; a key needs at least one member")
        for member in members:
            if isinstance(member.value, bool) or not isinstance(member.value, str | int):
                raise ValueError(
                    f"{name}.{member.name} is {member.value!r}; in a key, the value of a member must be a str or an int"
                )
            if self.digits is not None and not self._fits(member.value):
                raise ValueError(f"{name}.{member.name} is {member.value!r}, which does not fit {self.spelling}")
        if len(self.values_by_text) < len(members):
            raise ValueError(f"two members of {name} have the same text; use different values")

    @property
    def spelling(self) -> str:
        """The slot as you write it in a template: `{field}` or `{field:02d}`."""
        return "{field}" if self.digits is None else f"{{field:0{self.digits}d}}"

    def write_all(self) -> dict[Any, str]:
        # Values of one type sort as in Python. If the types are mixed, integers come first.
        members = sorted(self.enum_type, key=lambda member: (isinstance(member.value, str), member.value))
        return {member: self._text(member.value) for member in members}

    @property
    def order(self) -> SortOrder:
        mixed = len({isinstance(member.value, str) for member in self.enum_type}) > 1
        return SortOrder.NONE if mixed else super().order

    @property
    def unordered_reason(self) -> str:
        if self.order is SortOrder.ASCENDING:
            return ""
        return (
            f"the values of {self.enum_type.__name__} do not sort correctly as text ({_listed(self.texts.values())}); "
            "use a fixed width, such as {field:02d} for ints"
        )

    def encode(self, value: Any) -> str:
        if not isinstance(value, self.enum_type):
            example = f"{self.enum_type.__name__}.{next(iter(self.enum_type)).name}"
            raise KeyRefused(f"{value!r} is not an enum member for {self.spelling}; pass a member, such as {example}")
        return self.texts[value]

    def decode(self, text: str) -> Any:
        if text not in self.values_by_text:
            name, known = self.enum_type.__name__, _listed(self.values_by_text)
            raise KeyRefused(f"{text!r} is not a member of {name} for {self.spelling}; expected {known}")
        return self.values_by_text[text]

    def _text(self, value: str | int) -> str:
        return escape(value if isinstance(value, str) else f"{int(value):0{self.digits or 1}d}", self.delimiter)

    def _fits(self, value: str | int) -> bool:
        return not isinstance(value, str) and 0 <= value < 10 ** (self.digits or 1)


def _listed(texts: Iterable[str]) -> str:
    shown = list(texts)
    return ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")
