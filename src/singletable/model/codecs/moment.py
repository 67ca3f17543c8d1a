"""Moments in a key: an aware `datetime`, written in UTC with the precision that the template asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.codecs.exact import read_exactly
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
_WORD_OF = {written: word for word, written in PRECISIONS.items()}


@dataclass(frozen=True)
class MomentCodec(TimeCodec):
    """A `datetime` field, `{created_at:seconds}`; `moment_codec` makes one from the words of a template."""

    def __post_init__(self) -> None:
        check_format(self.format, DIRECTIVES + MILLISECONDS[1], self.delimiter)

    @property
    def spec(self) -> str:
        """The precision word of the format, or the format itself."""
        return _WORD_OF.get(self.format, self.format)

    def encode(self, value: Any) -> str:
        moment = self._in_utc(value)
        if not self.time_format.keeps(moment):
            unit = finest_unit(moment)
            raise KeyRefused(
                f"{value.isoformat()} has {unit}, the key keeps {self.time_format.unit}: "
                f"truncate it or use {{field:{unit if unit in PRECISIONS else 'days'}}}"
            )
        return self.time_format.render(moment)

    def decode(self, text: str) -> datetime:
        return read_exactly(self, text, self.time_format.parse, f"a moment, {{field:{self.spec}}}")

    def _in_utc(self, value: Any) -> datetime:
        if not isinstance(value, datetime):
            raise KeyRefused(f"{value!r} is not a moment for {{field:{self.spec}}}; pass an aware datetime")
        if value.utcoffset() is None:
            raise KeyRefused(
                f"{value.isoformat()} has no timezone, and {{field:{self.spec}}} is in UTC; "
                "attach a timezone, such as value.replace(tzinfo=UTC)"
            )
        try:
            return value.astimezone(UTC)
        except OverflowError:
            raise KeyRefused(
                f"{value.isoformat()} is outside the years 1 to 9999 of UTC, which {{field:{self.spec}}} is in; "
                "pass a moment inside them"
            ) from None


def moment_codec(delimiter: str, spec: str = "") -> MomentCodec:
    """The codec of a precision word, or of a format such as `%Y-%m-%dT%H`; microseconds when nothing is said."""
    word = spec or "microseconds"
    if word in PRECISIONS:
        return MomentCodec(delimiter, PRECISIONS[word])
    if "%" not in spec:
        raise ValueError(
            f"{spec!r} is not a precision; a datetime has {', '.join(PRECISIONS)}, or a format of %Y to %f"
        )
    check_format(spec, DIRECTIVES, delimiter)
    return MomentCodec(delimiter, spec)
