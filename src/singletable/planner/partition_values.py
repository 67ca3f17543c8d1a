"""The number of values of each field in a partition key: declared, listed by its type, or guessed from its name."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.datetime_codec import DatetimeCodec
from singletable.model.derived.bucket import Bucket
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.truncated_time import TruncatedTime
from singletable.model.entity import Entity
from singletable.model.field_roles import follows_clock, is_chosen_day, is_day, value_count
from singletable.model.fields import Field
from singletable.model.key_template import DerivedSlot
from singletable.model.keys import NativePart, Placement

DAYS_OF_A_YEAR = 365
"""The assumed number of different values of a date that people choose, such as a due date."""
_FINE_DIRECTIVES = ("%M", "%S", "%f")


@dataclass(frozen=True)
class PartitionValue:
    """A field or derived value in a partition key."""

    name: str
    count: int | None = None
    """The number of different values. None if there can be many."""
    hottest: float | None = None
    """The share of the traffic that the most frequent value receives. None if it is not declared."""
    is_guess: bool = True
    """Whether the number of values is a guess from the name."""
    is_current_time: bool = False
    """Whether items that are written at the same time have the same value, such as the current day."""
    derived: DerivedValue | None = None

    @property
    def is_declared(self) -> bool:
        """Whether `cardinality=` declares the number of values."""
        return self.hottest is not None


def partition_values(entity: Entity, placement: Placement) -> tuple[PartitionValue, ...]:
    """Return the fields and derived values in a partition key, each once."""
    found = {each.name: each for each in _values(entity, placement)}
    return tuple(found.values())


def _values(entity: Entity, placement: Placement) -> Iterator[PartitionValue]:
    for part in placement.partition:
        if isinstance(part, NativePart):
            yield _of_field(entity, part.field, part.codec)
            continue
        for slot in part.template.slots:
            if isinstance(slot, DerivedSlot) and isinstance(slot.derived, TruncatedTime):
                yield _of_field(entity, entity.fields[slot.fields[0]], slot.derived.codec)
            elif isinstance(slot, DerivedSlot):
                yield PartitionValue(slot.name, is_current_time=isinstance(slot.derived, Bucket), derived=slot.derived)
            else:
                yield _of_field(entity, entity.fields[slot.name], slot.codec)


def _of_field(entity: Entity, field: Field, codec: Codec | None) -> PartitionValue:
    declared = entity.declaration.cardinality.get(field.name)
    if declared is not None:
        return PartitionValue(field.name, declared.values, declared.hottest, is_guess=False)
    if follows_clock(field) and _is_coarse(field, codec):
        return PartitionValue(field.name, is_current_time=True)
    if is_chosen_day(field) and _is_coarse(field, codec):
        return PartitionValue(field.name, DAYS_OF_A_YEAR)
    found = value_count(field)
    return (
        PartitionValue(field.name) if found is None else PartitionValue(field.name, found.values, None, found.is_guess)
    )


def _is_coarse(field: Field, codec: Codec | None) -> bool:
    """Return whether the key text of a time stays the same for at least an hour."""
    if field.type is datetime:
        return isinstance(codec, DatetimeCodec) and not any(each in codec.format for each in _FINE_DIRECTIVES)
    return is_day(field)
