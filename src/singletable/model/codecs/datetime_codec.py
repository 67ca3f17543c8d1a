"""Codec for timezone-aware `datetime`: UTC, with the precision of the template."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import read_exactly
from singletable.model.codecs.time_format import MILLISECONDS, TimeCodec, check_format, finest_unit

DIRECTIVES = "YmdHMSf"
PRECISIONS = {
    "microseconds": "%Y-%m-%dT%H:%M:%S.%fZ",
    "milliseconds": f"%Y-%m-%dT%H:%M:%S.{MILLISECONDS}Z",
    "seconds": "%Y-%m-%dT%H:%M:%SZ",
    "minutes": "%Y-%m-%dT%H:%MZ",
    "hours": "%Y-%m-%dT%HZ",
    "days": "%Y-%m-%d",
}
_PRECISION_OF = {format_: precision for precision, format_ in PRECISIONS.items()}


@dataclass(frozen=True)
class DatetimeCodec(TimeCodec):
    """Encodes a `datetime`: `{created_at:seconds}`."""

    def __post_init__(self) -> None:
        check_format(self.format, DIRECTIVES + MILLISECONDS[1], self.delimiter)

    @property
    def spec(self) -> str:
        """The name of the precision, or the format."""
        return _PRECISION_OF.get(self.format, self.format)

    @property
    def keeps_all(self) -> bool:
        return self.time_format.unit == "microseconds"

    def truncate(self, value: Any) -> datetime:
        return self.time_format.truncate(self._in_utc(value))

    def next_unit(self, value: Any) -> datetime | None:
        return self.time_format.next_unit(value)

    def encode(self, value: Any) -> str:
        moment = self._in_utc(value)
        if not self.time_format.keeps(moment):
            unit = finest_unit(moment)
            raise KeyRefused(
                f"{value.isoformat()} has {unit}, but the key keeps only {self.time_format.unit}; truncate it or use "
                f"{{field:{unit if unit in PRECISIONS else 'days'}}}"
            )
        return self.time_format.render(moment)

    def decode(self, text: str) -> datetime:
        return read_exactly(self, text, self.time_format.parse, f"a datetime for {{field:{self.spec}}}")

    def _in_utc(self, value: Any) -> datetime:
        if not isinstance(value, datetime):
            raise KeyRefused(f"{value!r} is not a datetime for {{field:{self.spec}}}; pass an aware datetime")
        if value.utcoffset() is None:
            raise KeyRefused(
                f"{value.isoformat()} has no time zone, but {{field:{self.spec}}} needs an aware datetime; add a time "
                "zone, such as value.replace(tzinfo=UTC)"
            )
        try:
            return value.astimezone(UTC)
        except OverflowError:
            raise KeyRefused(
                f"{value.isoformat()} is outside the years 1 to 9999 in UTC, so {{field:{self.spec}}} cannot encode it"
            ) from None


def datetime_codec(delimiter: str, spec: str = "") -> DatetimeCodec:
    """Return the codec for a precision, or for a format such as `%Y-%m-%dT%H`. The default is microseconds."""
    precision = spec or "microseconds"
    if precision in PRECISIONS:
        return DatetimeCodec(delimiter, PRECISIONS[precision])
    if "%" not in spec:
        raise ValueError(f"{spec!r} is not a precision; use {', '.join(PRECISIONS)}, or a format with %Y to %f")
    check_format(spec, DIRECTIVES, delimiter)
    return DatetimeCodec(delimiter, spec)
