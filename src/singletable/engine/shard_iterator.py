"""Shard iterators: a place in a stream, when it was given, and the signature that makes it ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from singletable.engine.signed_place import SignedPlaces
from singletable.errors import RequestRefused, invalid

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

VALID_SECONDS = 15 * 60


class ShardIterator(NamedTuple):
    """The number of the next change to read, or 0 for the oldest that is there."""

    stream_arn: str
    position: int
    given_at: float


def iterator_of(places: SignedPlaces, iterator: ShardIterator) -> str:
    """The iterator as its reader keeps it."""
    place = msgspec.json.encode((iterator.position, iterator.given_at))
    return f"{iterator.stream_arn}|1|{places.text(_kind(iterator.stream_arn), place)}"


def read_iterator(engine: Engine, text: str) -> ShardIterator:
    """An iterator out of what a reader brings back; refuses what is none, or too old."""
    stream_arn, _, rest = text.partition("|1|")
    place = engine.places.place(_kind(stream_arn), rest)
    if place is None:
        raise invalid("Invalid ShardIterator")
    position, given_at = msgspec.json.decode(place, type=tuple[int, float])
    if engine.now() - given_at > VALID_SECONDS:
        raise RequestRefused(
            "ExpiredIteratorException", "The shard iterator has expired: it is more than 15 minutes old."
        )
    return ShardIterator(stream_arn, position, given_at)


def trimmed() -> RequestRefused:
    """The refusal of a place whose changes are older than a day."""
    return RequestRefused(
        "TrimmedDataAccessException",
        "The requested sequence number is beyond the oldest record of the shard: records are kept for 24 hours.",
    )


def _kind(stream_arn: str) -> str:
    return f"shard iterator of {stream_arn}"
