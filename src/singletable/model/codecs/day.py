"""Days in a key: a `date`, written as `2026-04-10` or in a format of its year, month and day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.codecs.exact import read_exactly
from singletable.model.codecs.time_format import TimeCodec, check_format, finest_unit

DIRECTIVES = "Ymd"
WHOLE_DAY = "%Y-%m-%d"


@dataclass(frozen=True)
class DayCodec(TimeCodec):
    """A `date` field, `{day}` or `{day:%Y%m%d}`; `day_codec` makes one from the words of a template."""

    format: str = WHOLE_DAY

    def __post_init__(self) -> None:
        check_format(self.format, DIRECTIVES, self.delimiter)

    def encode(self, value: Any) -> str:
        if isinstance(value, datetime):
            raise KeyRefused(
                f"{value.isoformat()} is a moment, and {{field:{self.format}}} is a day; pass value.date()"
            )
        if not isinstance(value, date):
            raise KeyRefused(f"{value!r} is not a day for {{field:{self.format}}}; pass a date")
        midnight = datetime.combine(value, time.min, UTC)
        if not self.time_format.keeps(midnight):
            raise KeyRefused(
                f"{value.isoformat()} has {finest_unit(midnight)}, the key keeps {self.time_format.unit}: "
                f"truncate it or use {{field:{WHOLE_DAY}}}"
            )
        return self.time_format.render(midnight)

    def decode(self, text: str) -> date:
        return read_exactly(
            self, text, lambda text: self.time_format.parse(text).date(), f"a day, {{field:{self.format}}}"
        )


def day_codec(delimiter: str, spec: str = "") -> DayCodec:
    """The codec of a format such as `%Y-%m`; the whole day when nothing is said."""
    written = spec or WHOLE_DAY
    if "%" not in written:
        raise ValueError(f"{spec!r} is not a format of a date; it has %Y, %m and %d, such as {WHOLE_DAY}")
    return DayCodec(delimiter, written)
