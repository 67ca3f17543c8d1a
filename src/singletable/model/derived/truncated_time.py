"""Truncated times: template slots that keep only a part of a field, such as `{created_at:seconds}` of a datetime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec, SortOrder
from singletable.model.codecs.descending_codec import DescendingCodec
from singletable.model.codecs.time_format import TimeCodec
from singletable.model.derived.derived_value import DerivedValue, Reach
from singletable.model.parameter_types import Between, Equal, Predicate, Since, Until
from singletable.model.regular_language import Language

MOST_UNITS = 10_000
"""A range that touches more units than this in a partition key is rejected before any request is sent."""
UNITS = ("year", "month", "day", "hour", "minute", "second", "millisecond")
"""The units of time, from coarse to fine."""


@dataclass(frozen=True)
class TruncatedTime(DerivedValue):
    """The second, minute, hour, day, month or year (in UTC) of a datetime, or the month or year of a date."""

    codec: Codec
    """A codec of times, in ascending or descending order."""

    @property
    def label(self) -> str:
        return f"the {self.unit} of {self.fields[0]}"

    @property
    def unit(self) -> str:
        """The unit that the key keeps, such as `second`."""
        return self._times.time_format.unit.removesuffix("s")

    @property
    def width(self) -> int | None:
        return self.codec.width

    @property
    def order(self) -> SortOrder:
        """How the texts sort compared with the times; times in one unit have the same text."""
        return self.codec.order

    @property
    def last_text(self) -> str | None:
        return self.codec.last_text

    def language(self, delimiter: str) -> Language:
        return self.codec.language

    def compute(self, *values: Any) -> str:
        return self.codec.encode(self._times.truncate(values[0]))

    def covers(self, test: type) -> bool:
        return test in (Equal, Between, Since, Until)

    def reach(self, known: Mapping[str, type]) -> Reach | None:
        if known.get(self.fields[0]) is Between:
            return Reach(None, f"one partition for each {self.unit} of the range of {self.fields[0]}")
        return super().reach(known)

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        predicate = known.get(self.fields[0])
        if not isinstance(predicate, Between):
            return super().expand(known)
        found: list[str] = []
        each, last = self._times.truncate(predicate.low), self._times.truncate(predicate.high)
        while each is not None and each <= last:
            found.append(self.codec.encode(each))
            if len(found) > MOST_UNITS:
                raise KeyRefused(f"the range touches more than {MOST_UNITS} {self.unit}s; pass a shorter range")
            each = self._times.next_unit(each)
        return tuple(found)

    @property
    def _times(self) -> TimeCodec:
        codec = self.codec.inner if isinstance(self.codec, DescendingCodec) else self.codec
        assert isinstance(codec, TimeCodec), "only times can be truncated"
        return codec


def truncated_time(field: str, codec: Codec) -> TruncatedTime | None:
    """Return the derived value of a slot whose codec keeps only a part of its field.

    Return None if the codec keeps all of it.
    """
    times = codec.inner if isinstance(codec, DescendingCodec) else codec
    return TruncatedTime((field,), codec) if isinstance(times, TimeCodec) and not times.keeps_all else None
