"""Formats of dates and datetimes: parsing and checking a format, and rendering and parsing values."""

from __future__ import annotations

import re
from abc import abstractmethod
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder
from singletable.model.codecs.text_codec import escape
from singletable.model.regular_language import DIGITS, Language, fixed

# The units, from coarse to fine.
_UNITS = ("years", "months", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds")
_UNIT_OF = dict(zip("YmdHMSLf", _UNITS, strict=True))
_WIDTH_OF = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "L": 3, "f": 6}
# A format can be decoded if its directives, sorted from coarse to fine, are the start of one of these sequences.
_COMPLETE = ("YmdHMSf", "YmdHMSL")
_DIRECTIVE = r"(?s)%.|."
_FIRST = (1, 1, 1, 0, 0, 0)
"""The first year, month, day, hour, minute and second."""

MILLISECONDS = "%L"
"""The directive for milliseconds, which strftime does not have. Only the precision `milliseconds` uses it."""


@dataclass(frozen=True)
class TimeFormat:
    """A parsed format: one token per directive (`%Y`) and per literal character."""

    tokens: tuple[str, ...]

    @cached_property
    def letters(self) -> str:
        """The letters of the directives, in order, such as `Ymd`."""
        return "".join(token[1] for token in self.tokens if _is_directive(token))

    @cached_property
    def unit(self) -> str:
        """The finest unit of the format."""
        return max((_UNIT_OF[letter] for letter in self.letters), key=_UNITS.index)

    @property
    def width(self) -> int:
        """The number of characters of every text."""
        return sum(_WIDTH_OF[token[1]] if _is_directive(token) else 1 for token in self.tokens)

    @property
    def language(self) -> Language:
        """The language of the texts: digits for directives, and the literals."""
        sets = (
            [DIGITS] * _WIDTH_OF[token[1]] if _is_directive(token) else [((ord(token), ord(token)),)]
            for token in self.tokens
        )
        return fixed(*(characters for part in sets for characters in part))

    @property
    def sorted_format(self) -> str:
        """The same format with its directives from coarse to fine, so that it sorts by time."""
        letters = iter(_by_significance(self.letters))
        return "".join(f"%{next(letters)}" if _is_directive(token) else token for token in self.tokens)

    @property
    def order(self) -> SortOrder:
        """Ascending if the directives are ordered from coarse to fine."""
        return SortOrder.ASCENDING if self.letters == _by_significance(self.letters) else SortOrder.NONE

    @property
    def unordered_reason(self) -> str:
        """Why the texts do not sort by time, with a format whose texts do. Empty if they sort by time."""
        if self.order is SortOrder.ASCENDING:
            return ""
        return (
            f"{''.join(self.tokens)} sorts by %{self.letters[0]} first, not by time; "
            f"{{field:{self.sorted_format}}} sorts by time"
        )

    @cached_property
    def _template(self) -> str:
        slots = {letter: f"{{{place}:0{_WIDTH_OF[letter]}d}}" for place, letter in enumerate("YmdHMSLf")}
        braces = {"{": "{{", "}": "}}"}
        return "".join(slots[token[1]] if _is_directive(token) else braces.get(token, token) for token in self.tokens)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(
            "".join(
                f"(?P<{token[1]}>[0-9]{{{_WIDTH_OF[token[1]]}}})" if _is_directive(token) else re.escape(token)
                for token in self.tokens
            )
        )

    @property
    def last_text(self) -> str:
        """The text of `datetime.max`, which sorts last for every order of the directives."""
        return self.render(datetime.max.replace(tzinfo=UTC))

    def keeps(self, moment: datetime) -> bool:
        """Return whether the format stores a datetime without loss."""
        return _UNITS.index(finest_unit(moment)) <= _UNITS.index(self.unit)

    def truncate(self, moment: datetime) -> datetime:
        """Return the start of the unit that contains a datetime."""
        kept = _UNITS.index(self.unit) + 1
        microsecond = (0, moment.microsecond // 1000 * 1000, moment.microsecond)[max(0, kept - 6)]
        parts = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
        year, month, day, hour, minute, second = (*parts[:kept], *_FIRST[kept:])
        return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=UTC)

    def next_unit(self, moment: datetime) -> datetime | None:
        """Return the start of the unit after the unit that starts at this time. Return None after the last unit."""
        try:
            if self.unit == "years":
                return moment.replace(year=moment.year + 1)
            if self.unit == "months":
                return (moment + timedelta(days=31)).replace(day=1)
            return moment + timedelta(**{self.unit: 1})
        except (OverflowError, ValueError):  # the unit is the last one of the year 9999
            return None

    def render(self, moment: datetime) -> str:
        """Return the text of a datetime in UTC, truncated to the finest unit of the format."""
        # strftime writes the year 5 as `5` on some platforms, and does not support milliseconds.
        return self._template.format(
            moment.year,
            moment.month,
            moment.day,
            moment.hour,
            moment.minute,
            moment.second,
            moment.microsecond // 1000,
            moment.microsecond,
        )

    def parse(self, text: str) -> datetime:
        """Return the datetime (in UTC) of a text; raise ValueError if the text does not match the format."""
        match = self._pattern.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} does not match the format {''.join(self.tokens)}")
        number = {letter: int(digits) for letter, digits in match.groupdict().items()}
        microsecond = number.get("f", 1000 * number.get("L", 0))
        clock = (number.get("H", 0), number.get("M", 0), number.get("S", 0), microsecond)
        return datetime(number["Y"], number.get("m", 1), number.get("d", 1), *clock, tzinfo=UTC)


@dataclass(frozen=True)
class TimeCodec(Codec):
    """The base class of the codecs for dates and datetimes."""

    format: str

    @cached_property
    def time_format(self) -> TimeFormat:
        """The parsed format."""
        return split_format(self.format)

    @property
    def language(self) -> Language:
        return self.time_format.language

    @property
    def width(self) -> int:
        return self.time_format.width

    @property
    def order(self) -> SortOrder:
        return self.time_format.order

    @property
    def unordered_reason(self) -> str:
        return self.time_format.unordered_reason

    @property
    def last_text(self) -> str:
        return self.time_format.last_text

    @property
    @abstractmethod
    def keeps_all(self) -> bool:
        """Whether the format stores every value of the type without loss."""

    @abstractmethod
    def truncate(self, value: Any) -> Any:
        """Return the first value of the unit that contains a value. Raise KeyRefused if the value is invalid."""

    @abstractmethod
    def next_unit(self, value: Any) -> Any:
        """Return the first value of the next unit, given the first value of a unit. Return None after the last unit."""


def finest_unit(moment: datetime) -> str:
    """Return the finest unit that is not zero in a datetime: `hours` for 14:00, `microseconds` for 14:00:00.000001."""
    parts = (
        moment.microsecond % 1000,
        moment.microsecond,
        moment.second,
        moment.minute,
        moment.hour,
        moment.day - 1,
        moment.month - 1,
    )
    return next((unit for unit, part in zip(reversed(_UNITS), parts, strict=False) if part), _UNITS[0])


def split_format(format_: str) -> TimeFormat:
    """Return the parsed format, without checking it."""
    return TimeFormat(tuple(re.findall(_DIRECTIVE, format_)))


def check_format(format_: str, allowed: str, delimiter: str) -> None:
    """Raise ValueError if the format has unknown directives, invalid literals, or too few units to decode a value."""
    read = split_format(format_)
    for token in read.tokens:
        if _is_directive(token):
            _check_directive(token, format_, allowed)
        else:
            _check_literal(token, format_, delimiter)
    _check_complete(read.letters, format_)


def _is_directive(token: str) -> bool:
    return len(token) == 2  # a percent sign and a letter


def _by_significance(letters: str) -> str:
    return "".join(sorted(letters, key=lambda letter: _UNITS.index(_UNIT_OF[letter])))


def _check_directive(token: str, format_: str, allowed: str) -> None:
    if token[1] not in allowed:
        known = " ".join(f"%{letter}" for letter in allowed)
        raise ValueError(f"{token} in {format_!r} is not a supported directive; use {known}")


def _check_literal(character: str, format_: str, delimiter: str) -> None:
    try:
        if escape(character, delimiter) == character:
            return
    except KeyRefused:
        pass  # a lone surrogate is as invalid as a control character
    others = "".join(token for token in split_format(format_).tokens if token != character)
    without = others.replace(MILLISECONDS, "%f")
    why = (
        "is the delimiter"
        if character == delimiter
        else "is not valid in a literal; use characters that sort after '%'"
    )
    raise ValueError(f"{character!r} in {format_!r} {why}; remove the character, as in {{field:{without}}}")


def _check_complete(letters: str, format_: str) -> None:
    if repeated := next((letter for letter in letters if letters.count(letter) > 1), None):
        raise ValueError(f"%{repeated} occurs twice in {format_!r}; use it once")
    ordered = _by_significance(letters)
    if ordered and any(row.startswith(ordered) for row in _COMPLETE):
        return
    row = _COMPLETE[0]
    gap = next((f": %{letter} is missing" for letter in row if letter not in letters), "")
    raise ValueError(
        f"values cannot be decoded from {format_!r}{gap}; "
        f"use all directives from %Y to the finest one ({' '.join(f'%{each}' for each in row)})"
    )
