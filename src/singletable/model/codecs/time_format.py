"""The formats of moments and days: reading a format, writing a moment with it, and reading a text strictly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec, Order
from singletable.model.codecs.text import escape
from singletable.model.language import DIGITS, Language, fixed

# From coarse to fine; the place in this tuple is what "finer" means.
_UNITS = ("years", "months", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds")
_UNIT_OF = dict(zip("YmdHMSLf", _UNITS, strict=True))
_WIDTH_OF = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "L": 3, "f": 6}
# A value can be rebuilt from these directives and from the beginnings of these rows, in whatever order they stand.
_COMPLETE = ("YmdHMSf", "YmdHMSL")
_TOKEN = re.compile(r"%.|.", re.DOTALL)

MILLISECONDS = "%L"
"""What strftime has no directive for; only the word `milliseconds` writes it."""


@dataclass(frozen=True)
class TimeFormat:
    """A format that was read: one token per directive (`%Y`) and per literal character."""

    tokens: tuple[str, ...]

    @cached_property
    def letters(self) -> str:
        """The directives in the order they stand, such as `Ymd`."""
        return "".join(token[1] for token in self.tokens if _is_directive(token))

    @cached_property
    def unit(self) -> str:
        """The finest unit that the format keeps."""
        return max((_UNIT_OF[letter] for letter in self.letters), key=_UNITS.index)

    @property
    def width(self) -> int:
        """The number of characters that every text of the format has."""
        return sum(_WIDTH_OF[token[1]] if _is_directive(token) else 1 for token in self.tokens)

    @property
    def language(self) -> Language:
        """Digits where a directive stands, and the literals."""
        sets = (
            [DIGITS] * _WIDTH_OF[token[1]] if _is_directive(token) else [((ord(token), ord(token)),)]
            for token in self.tokens
        )
        return fixed(*(characters for part in sets for characters in part))

    @property
    def sorted_format(self) -> str:
        """The same format with its directives from coarse to fine, which is the one that sorts."""
        letters = iter(_by_significance(self.letters))
        return "".join(f"%{next(letters)}" if _is_directive(token) else token for token in self.tokens)

    @property
    def order(self) -> Order:
        """Ascending when the directives go from coarse to fine."""
        return Order.ASCENDING if self.letters == _by_significance(self.letters) else Order.NONE

    @property
    def unordered_reason(self) -> str:
        """Why the texts do not sort by time, and the format that does."""
        if self.order is Order.ASCENDING:
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
        """The text of the last moment there is, which no other sorts after, in whatever order the directives stand."""
        return self.render(datetime.max.replace(tzinfo=UTC))

    def keeps(self, moment: datetime) -> bool:
        """Whether nothing of the moment is finer than the format."""
        return _UNITS.index(finest_unit(moment)) <= _UNITS.index(self.unit)

    def render(self, moment: datetime) -> str:
        """The text of a moment in UTC, cut off at the finest unit of the format."""
        # Python's own strftime writes the year 5 as `5` on some platforms, and knows no milliseconds.
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
        """The moment in UTC that a text says; a ValueError when it says none."""
        match = self._pattern.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} has not the form {''.join(self.tokens)}")
        number = {letter: int(digits) for letter, digits in match.groupdict().items()}
        microsecond = number.get("f", 1000 * number.get("L", 0))
        clock = (number.get("H", 0), number.get("M", 0), number.get("S", 0), microsecond)
        return datetime(number["Y"], number.get("m", 1), number.get("d", 1), *clock, tzinfo=UTC)


@dataclass(frozen=True)
class TimeCodec(Codec):
    """What the codecs of moments and of days share: all that follows from the format alone."""

    format: str

    @cached_property
    def time_format(self) -> TimeFormat:
        """The format, read."""
        return split_format(self.format)

    @property
    def language(self) -> Language:
        return self.time_format.language

    @property
    def width(self) -> int:
        return self.time_format.width

    @property
    def order(self) -> Order:
        return self.time_format.order

    @property
    def unordered_reason(self) -> str:
        return self.time_format.unordered_reason

    @property
    def last_text(self) -> str:
        return self.time_format.last_text


def finest_unit(moment: datetime) -> str:
    """The finest unit that a moment says something in: `hours` for 14:00, `microseconds` for 14:00:00.000001."""
    said = (
        moment.microsecond % 1000,
        moment.microsecond,
        moment.second,
        moment.minute,
        moment.hour,
        moment.day - 1,
        moment.month - 1,
    )
    return next((unit for unit, part in zip(reversed(_UNITS), said, strict=False) if part), _UNITS[0])


def split_format(written: str) -> TimeFormat:
    """The tokens of a format that is known to be good."""
    return TimeFormat(tuple(_TOKEN.findall(written)))


def check_format(written: str, allowed: str, delimiter: str) -> None:
    """A ValueError unless directives are allowed, values can be rebuilt from them, and keys may hold the literals."""
    read = split_format(written)
    for token in read.tokens:
        if _is_directive(token):
            _check_directive(token, written, allowed)
        else:
            _check_literal(token, written, delimiter)
    _check_complete(read.letters, written)


def _is_directive(token: str) -> bool:
    return len(token) == 2  # a percent sign and a letter


def _by_significance(letters: str) -> str:
    return "".join(sorted(letters, key=lambda letter: _UNITS.index(_UNIT_OF[letter])))


def _check_directive(token: str, written: str, allowed: str) -> None:
    if token[1] not in allowed:
        known = " ".join(f"%{letter}" for letter in allowed)
        raise ValueError(f"{token} in {written!r} is not a directive keys know; they know {known}")


def _check_literal(character: str, written: str, delimiter: str) -> None:
    try:
        if escape(character, delimiter) == character:
            return
    except KeyRefused:
        pass  # half of a surrogate pair is no better than a control character
    others = "".join(token for token in split_format(written).tokens if token != character)
    without = others.replace(MILLISECONDS, "%f")
    why = "is the delimiter" if character == delimiter else "is no character for literals, which sort after '%'"
    raise ValueError(f"{character!r} in {written!r} {why}; leave it out, such as {{field:{without}}}")


def _check_complete(letters: str, written: str) -> None:
    if repeated := next((letter for letter in letters if letters.count(letter) > 1), None):
        raise ValueError(f"%{repeated} stands twice in {written!r}; write it once")
    ordered = _by_significance(letters)
    if ordered and any(row.startswith(ordered) for row in _COMPLETE):
        return
    row = _COMPLETE[0]
    gap = next((f": %{letter} is missing" for letter in row if letter not in letters), "")
    raise ValueError(
        f"no value can be rebuilt from {written!r}{gap}; "
        f"a format goes from %Y down to its finest directive without a gap ({' '.join(f'%{each}' for each in row)})"
    )
