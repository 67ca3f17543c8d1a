"""Shards by hash: one hot partition spread evenly over n."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from singletable.model.derived.canonical import canonical_text
from singletable.model.derived.derived import Derived, Reach
from singletable.model.language import Language, any_of
from singletable.model.ranges import Equal, Predicate


@dataclass(frozen=True)
class Shard(Derived):
    """A number from 0 to n - 1 that depends on the fields alone, the same in every process and release."""

    of: int

    @property
    def label(self) -> str:
        return f"shard({', '.join(self.fields)}, of={self.of})"

    @property
    def width(self) -> int:
        return len(str(self.of - 1))

    @property
    def values(self) -> tuple[str, ...]:
        """Every shard's text."""
        return tuple(f"{number:0{self.width}d}" for number in range(self.of))

    def language(self, delimiter: str) -> Language:
        return any_of(self.values)

    def compute(self, *values: Any) -> str:
        # CRC-32 of the values' text: stable, and even enough for a few hundred shards.
        text = "\x00".join(canonical_text(value) for value in values)
        return f"{zlib.crc32(text.encode()) % self.of:0{self.width}d}"

    def reach(self, known: Mapping[str, type]) -> Reach:
        return super().reach(known) or Reach(self.of, f"{self.of} shards by hash of {', '.join(self.fields)}")

    def expand(self, known: Mapping[str, Predicate]) -> tuple[str, ...]:
        if all(isinstance(known.get(name), Equal) for name in self.fields):
            return super().expand(known)
        return self.values


def shard(*fields: str, of: int) -> Shard:
    """Spread items over `of` partitions by a hash of these fields, `0` to `of - 1`; a read of all is `of` Queries."""
    if not fields or of < 1:
        raise ValueError('a shard is made of at least one field and at least one part: shard("id", of=8)')
    return Shard(fields, of)
