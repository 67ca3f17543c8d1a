"""`bucket()`: split a time series into partitions per year, month, day or hour."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.derived.derived_value import DerivedValue, Reach
from singletable.model.parameter_types import Between, Predicate
from singletable.model.regular_language import DIGITS, Language, concat, fixed, literal

Span = Literal["year", "month", "day", "hour"]
_DIRECTIVES: dict[str, tuple[int, ...]] = {"year": (4,), "month": (4, 2), "day": (4, 2, 2), "hour": (4, 2, 2, 2)}
MOST_BUCKETS = 10_000
"""A range that touches more buckets than this is rejected before any request is sent."""


@dataclass(frozen=True)
class Bucket(DerivedValue):
    """The year, month, day or hour (in UTC) of a date or datetime."""

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
        return self._text(_in_utc(values[0]))

    def _text(self, moment: datetime) -> str:
        day = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}T{moment.hour:02d}"
        return day[: self.width]

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        if known.get(self.fields[0]) is Between:
            return Reach(None, f"one partition for each {self.span} of the range of {self.fields[0]}")
        return super().reach(known)

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        predicate = known.get(self.fields[0])
        if not isinstance(predicate, Between):
            return super().expand(known)
        start, last = self._start(_in_utc(predicate.low)), self._start(_in_utc(predicate.high))
        found: list[str] = []
        while start <= last:
            found.append(self._text(start))
            if len(found) > MOST_BUCKETS:
                raise KeyRefused(
                    f"the range touches more than {MOST_BUCKETS} {self.span} buckets; pass a shorter range"
                )
            if start == last:  # there is no bucket after the last one of year 9999
                break
            start = self._next(start)
        return tuple(found)

    def _start(self, moment: datetime) -> datetime:
        start = moment.replace(minute=0, second=0, microsecond=0)
        if self.span != "hour":
            start = start.replace(hour=0)
        if self.span in ("month", "year"):
            start = start.replace(day=1)
        return start.replace(month=1) if self.span == "year" else start

    def _next(self, moment: datetime) -> datetime:
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
        return f"a bucket by {self.span} needs a datetime field or a date field"


def _in_utc(value: Any) -> datetime:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise KeyRefused(f"{value!r} has no time zone; add a time zone, such as UTC")
        try:
            return value.astimezone(UTC)
        except OverflowError as problem:
            raise KeyRefused(f"{value!r} is outside the years 1 to 9999 in UTC") from problem
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    raise KeyRefused(f"{value!r} is neither a datetime nor a date")


def bucket(field: str, span: Span) -> Bucket:
    """Return a derived value: the year, month, day or hour (in UTC) of a date or datetime field.

    The value splits a time series into partitions: `derived={"month": bucket("created_at", "month")}` and
    `key=("DEVICE#{id}#{month}", "{created_at}")`. A pattern with a `Between` range reads the buckets one after another.
    """
    if span not in _DIRECTIVES:
        raise ValueError(f"span must be one of {', '.join(_DIRECTIVES)}, got {span!r}")
    return Bucket((field,), span)
