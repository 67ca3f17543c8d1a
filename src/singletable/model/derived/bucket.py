"""Date buckets: a time series cut into years, months, days or hours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from singletable.errors import KeyRefused
from singletable.model.derived.derived import Derived, Reach
from singletable.model.language import DIGITS, Language, concat, fixed, literal
from singletable.model.ranges import Between, Predicate

Span = Literal["year", "month", "day", "hour"]
_DIRECTIVES: dict[str, tuple[int, ...]] = {"year": (4,), "month": (4, 2), "day": (4, 2, 2), "hour": (4, 2, 2, 2)}
MOST_BUCKETS = 10_000
"""A range over more buckets than this is refused before any of them is asked for."""


@dataclass(frozen=True)
class Bucket(Derived):
    """The year, month, day or hour (in UTC) that a date or datetime falls into."""

    span: Span

    @property
    def label(self) -> str:
        return f"bucket({self.fields[0]}, {self.span!r})"

    @property
    def width(self) -> int:
        return sum(_DIRECTIVES[self.span]) + len(_DIRECTIVES[self.span]) - 1

    def language(self, delimiter: str) -> Language:
        parts: list[Language] = []
        for position, digits in enumerate(_DIRECTIVES[self.span]):
            parts += [literal("T" if position == 3 else "-")] if position else []
            parts.append(fixed(*[DIGITS] * digits))
        return concat(*parts)

    def compute(self, *values: Any) -> str:
        return self._text(_moment(values[0]))

    def _text(self, moment: datetime) -> str:
        day = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}T{moment.hour:02d}"
        return day[: self.width]

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        if known.get(self.fields[0]) is Between:
            return Reach(None, f"one per {self.span} of the range of {self.fields[0]}")
        return super().reach(known)

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        predicate = known.get(self.fields[0])
        if not isinstance(predicate, Between):
            return super().expand(known)
        start, last = self._start(_moment(predicate.low)), self._start(_moment(predicate.high))
        found: list[str] = []
        while start <= last:
            found.append(self._text(start))
            if len(found) > MOST_BUCKETS:
                raise KeyRefused(f"the range touches more than {MOST_BUCKETS} buckets of a {self.span}; narrow it")
            if start == last:  # the last bucket of year 9999 has none after it
                break
            start = self._following(start)
        return tuple(found)

    def _start(self, moment: datetime) -> datetime:
        start = moment.replace(minute=0, second=0, microsecond=0)
        if self.span != "hour":
            start = start.replace(hour=0)
        if self.span in ("month", "year"):
            start = start.replace(day=1)
        return start.replace(month=1) if self.span == "year" else start

    def _following(self, moment: datetime) -> datetime:
        if self.span == "hour":
            return moment + timedelta(hours=1)
        if self.span == "day":
            return moment + timedelta(days=1)
        if self.span == "month":
            return (moment + timedelta(days=31)).replace(day=1)
        return moment.replace(year=moment.year + 1)

    def problem_with(self, types: Mapping[str, Any]) -> str | None:
        kind = types[self.fields[0]]
        if kind is datetime or (kind is date and self.span != "hour"):
            return None
        return f"a bucket by {self.span} is made of a datetime or a date"


def _moment(value: Any) -> datetime:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise KeyRefused(f"{value!r} has no time zone; attach one, such as UTC")
        try:
            return value.astimezone(UTC)
        except OverflowError as problem:
            raise KeyRefused(f"{value!r} lies outside the years 1 to 9999 of UTC") from problem
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    raise KeyRefused(f"{value!r} is neither a datetime nor a date")


def bucket(field: str, span: Span) -> Bucket:
    """Cut items into buckets of a year, a month, a day or an hour (in UTC) of this field; a read asks one by one."""
    if span not in _DIRECTIVES:
        raise ValueError(f"a bucket spans one of {', '.join(_DIRECTIVES)}, not {span!r}")
    return Bucket((field,), span)
