"""Codec for `date`: `2026-04-10`, or a format of year, month and day."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import read_exactly
from singletable.model.codecs.time_format import TimeCodec, check_format, finest_unit

DIRECTIVES = "Ymd"
COMPLETE_DATE = "%Y-%m-%d"


@dataclass(frozen=True)
class DateCodec(TimeCodec):
    """Encodes a `date`: `{day}` or `{day:%Y%m%d}`."""

    format: str = COMPLETE_DATE

    def __post_init__(self) -> None:
        check_format(self.format, DIRECTIVES, self.delimiter)

    @property
    def keeps_all(self) -> bool:
        return self.time_format.unit == "days"

    def truncate(self, value: Any) -> date:
        return self.time_format.truncate(self._at_midnight(value)).date()

    def next_unit(self, value: Any) -> date | None:
        start = self.time_format.next_unit(self._at_midnight(value))
        return None if start is None else start.date()

    def encode(self, value: Any) -> str:
        midnight = self._at_midnight(value)
        if not self.time_format.keeps(midnight):
            raise KeyRefused(
                f"{value.isoformat()} has {finest_unit(midnight)}, but the key keeps only {self.time_format.unit}; "
                f"truncate it or use {{field:{COMPLETE_DATE}}}"
            )
        return self.time_format.render(midnight)

    def _at_midnight(self, value: Any) -> datetime:
        if isinstance(value, datetime):
            raise KeyRefused(
                f"{value.isoformat()} is a datetime, but {{field:{self.format}}} needs a date; pass the date: "
                "value.date()"
            )
        if not isinstance(value, date):
            raise KeyRefused(f"{value!r} is not a date for {{field:{self.format}}}")
        return datetime.combine(value, time.min, UTC)

    def decode(self, text: str) -> date:
        return read_exactly(
            self, text, lambda text: self.time_format.parse(text).date(), f"a date for {{field:{self.format}}}"
        )


def date_codec(delimiter: str, spec: str = "") -> DateCodec:
    """Return the codec for a format such as `%Y-%m`. The default is the complete date."""
    format_ = spec or COMPLETE_DATE
    if "%" not in format_:
        raise ValueError(f"{spec!r} is not a date format; use %Y, %m and %d, such as {COMPLETE_DATE}")
    return DateCodec(delimiter, format_)
