"""`shard()`: spread the items of a hot partition evenly over several partitions by a hash."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.derived.derived_value import DerivedValue, Reach
from singletable.model.parameter_types import Equal, Predicate
from singletable.model.regular_language import Language, any_of
from singletable.values.attribute_value import number_text


def canonical_text(value: Any) -> str:
    """Return the same text for equal values: 1.5 and 1.500, noon in UTC and in Paris, an enum and its value."""
    try:
        return _text(value)
    except (TypeError, OverflowError) as problem:
        raise KeyRefused(f"{value!r} cannot be used for a shard: {problem}") from problem


def _text(value: Any) -> str:
    match value:
        case Enum():
            return _text(value.value)
        case str() | UUID() | bool():
            return str(value)
        case int() | float() | Decimal():
            return number_text(value)
        case datetime() if value.tzinfo is not None:
            return str(value.astimezone(UTC))
        case datetime():
            raise KeyRefused(f"{value!r} has no time zone; add a time zone, such as UTC")
        case date():
            return str(value)
        case bytes():
            return value.hex()
        case tuple() if all(isinstance(part, str) for part in value):
            return "\x01".join(value)
        case _:
            raise KeyRefused(f"{value!r} cannot be used for a shard; use a field of a simple type")


@dataclass(frozen=True)
class Shard(DerivedValue):
    """A number from 0 to `of` - 1, computed from the fields.

    The same values give the same number in every process and release.
    """

    of: int

    @property
    def label(self) -> str:
        return f"shard({', '.join(self.fields)}, of={self.of})"

    @property
    def width(self) -> int:
        return len(str(self.of - 1))

    @property
    def values(self) -> tuple[str, ...]:
        """The texts of all shards."""
        return tuple(f"{number:0{self.width}d}" for number in range(self.of))

    def language(self, delimiter: str) -> Language:
        return any_of(self.values)

    def compute(self, *values: Any) -> str:
        # Unlike hash(), CRC-32 is the same in every process. It spreads items evenly over up to a few hundred shards.
        text = "\x00".join(canonical_text(value) for value in values)
        return f"{zlib.crc32(text.encode()) % self.of:0{self.width}d}"

    def reach(self, known: Mapping[str, type]) -> Reach:
        return super().reach(known) or Reach(self.of, f"{self.of} shards by hash of {', '.join(self.fields)}")

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        if all(isinstance(known.get(name), Equal) for name in self.fields):
            return super().expand(known)
        return self.values


def shard(*fields: str, of: int) -> Shard:
    """Return a derived value: a shard number from 0 to `of - 1`, computed from a hash of these fields.

    The value spreads a hot partition: `derived={"shard": shard("id", of=8)}` and `key=("EVENTS#{shard}",
    "{created_at}")`. A pattern without values for the fields sends one Query per shard and merges the results.
    """
    if not fields or of < 1:
        raise ValueError('shard() needs at least one field, and of= must be 1 or greater: shard("id", of=8)')
    return Shard(fields, of)
