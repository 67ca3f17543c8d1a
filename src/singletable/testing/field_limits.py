"""Limits on the values of a field, from the constraints in its annotation and from the keys that contain it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.descending_codec import DescendingCodec
from singletable.model.codecs.fixed_point_codec import FixedPointCodec
from singletable.model.codecs.integer_codec import IntegerCodec
from singletable.model.codecs.path_codec import PathCodec
from singletable.model.codecs.raw_codec import RawCodec
from singletable.model.codecs.text_codec import ORDERED_DELIMITER, TextCodec
from singletable.model.codecs.time_format import TimeCodec
from singletable.model.derived.geohash_cell import GeohashCell
from singletable.model.derived.tree_path import Depth, Parent
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.key_template import FieldSlot, Slot
from singletable.model.keys import KeyPart, NativePart

# The maximum length of a field in a key. A sort key has at most 1024 bytes and a character at most four bytes, so six
# fields of this length fit into one key.
KEY_CHARACTERS_MAX = 40
KEY_BYTES_MAX = 64
_LAST_CHARACTER = "\U0010ffff"
# The precisions of a datetime in a key, from fine to coarse. `days` truncates a datetime to the day.
UNITS = ("microseconds", "milliseconds", "seconds", "minutes", "hours", "days", "months", "years")

C = TypeVar("C")


@dataclass(frozen=True)
class Limits:
    """Bounds, lengths and other constraints. None means no limit."""

    low: Any = None
    high: Any = None
    step: Any = None
    size_min: int | None = None
    size_max: int | None = None
    pattern: str | None = None
    digits: int | None = None
    places: int | None = None
    excluded: str = ""
    unit: str | None = None
    is_path: bool = False
    options: tuple[Any, ...] | None = None
    tests: tuple[Callable[[Any], bool], ...] = ()

    def __and__(self, other: Limits) -> Limits:
        """Return the stricter of the two limits for each constraint."""
        tests = (*self.tests, *(test for test in other.tests if test not in self.tests))
        return Limits(
            low=_stricter(max, self.low, other.low),
            high=_stricter(min, self.high, other.high),
            step=_stricter(max, self.step, other.step),
            size_min=_stricter(max, self.size_min, other.size_min),
            size_max=_stricter(min, self.size_max, other.size_max),
            pattern=self.pattern or other.pattern,
            digits=_stricter(min, self.digits, other.digits),
            places=_stricter(min, self.places, other.places),
            excluded="".join(sorted({*self.excluded, *other.excluded})),
            unit=max((unit for unit in (self.unit, other.unit) if unit), key=UNITS.index, default=None),
            is_path=self.is_path or other.is_path,
            options=self.options if other.options is None else other.options,
            tests=tests,
        )


NO_LIMITS = Limits()


def _stricter(better: Callable[[C, C], C], first: C | None, second: C | None) -> C | None:
    if first is None or second is None:
        return second if first is None else first
    return better(first, second)


def limits_of_metadata(metadata: Iterable[Any]) -> Limits:
    """Return the constraints in an annotation, as written for pydantic, msgspec or annotated_types.

    The constraints are recognised by their attributes, so none of these libraries is imported.
    """
    limits = NO_LIMITS
    for each in metadata:
        if isinstance(each, Limits):
            limits &= each
            continue
        limits &= limits_of_metadata(getattr(each, "metadata", None) or ()) & _limits_of_constraint(each)
    return limits


def _limits_of_constraint(each: Any) -> Limits:
    def value(name: str) -> Any:
        return getattr(each, name, None)

    above, below = value("gt"), value("lt")
    tests: list[Callable[[Any], bool]] = []
    if above is not None:
        tests.append(lambda value: value > above)
    if below is not None:
        tests.append(lambda value: value < below)
    if type(each).__name__ == "Predicate":
        tests.append(value("func"))
    pattern = value("pattern")
    return Limits(
        low=_stricter(max, value("ge"), above),
        high=_stricter(min, value("le"), below),
        step=value("multiple_of"),
        size_min=value("min_length"),
        size_max=value("max_length"),
        pattern=getattr(pattern, "pattern", pattern),
        digits=value("max_digits"),
        places=value("decimal_places"),
        tests=tuple(tests),
    )


def limits_of_validator(validator: Any) -> Limits:
    """Return the limits of a built-in attrs validator. A custom validator has no limits, but may reject an object."""
    limits = NO_LIMITS
    for inner in (*getattr(validator, "_validators", ()), getattr(validator, "validator", None)):
        limits &= NO_LIMITS if inner is None else limits_of_validator(inner)
    bound, comparison = getattr(validator, "bound", None), getattr(validator, "compare_op", "")
    options, pattern = getattr(validator, "options", None), getattr(validator, "pattern", None)
    return limits & Limits(
        low=bound if comparison.startswith(">") else None,
        high=bound if comparison.startswith("<") else None,
        size_min=getattr(validator, "min_length", None),
        size_max=getattr(validator, "max_length", None),
        pattern=None if pattern is None else rf"\A(?:{pattern.pattern})\Z",
        options=None if options is None else tuple(options),
    )


def limits_of_keys(design: Design, entity: Entity, name: str) -> Limits:
    """Return the limits of a field from all keys that contain it, including unique markers and mirrored edges."""
    limits = NO_LIMITS
    mirrors = (other for other in design.entities if other.declaration.mirror_of is entity.cls)
    placements = [*entity.uniques, *(place for each in (entity, *mirrors) for place in each.placements.values())]
    for placement in placements:
        for part in placement.parts:
            if name in part.fields:
                limits &= _limits_of_part(part, name)
    return limits


def _limits_of_part(part: KeyPart, name: str) -> Limits:
    if isinstance(part, NativePart):
        size_max = KEY_BYTES_MAX if part.type == "B" else KEY_CHARACTERS_MAX
        sized = Limits(size_min=1, size_max=size_max) if part.type != "N" else NO_LIMITS
        own = NO_LIMITS if part.codec is None else _limits_of_codec(part.codec)
        return sized & own & Limits(tests=(_fits(part.encode_value),))
    limits = NO_LIMITS
    for slot in part.template.slots:
        if name in slot.fields:
            limits &= _limits_of_slot(slot, name)
    # DynamoDB rejects empty keys, so a field must not be empty if it is the only field of a key.
    alone = part.template.parts == part.template.slots and len(part.template.parts) == 1
    return limits & Limits(size_min=1) if alone and isinstance(part.template.slots[0], FieldSlot) else limits


def _limits_of_slot(slot: Slot, name: str) -> Limits:
    if isinstance(slot, FieldSlot):
        return _limits_of_codec(slot.codec) & Limits(tests=(_fits(slot.codec.encode),))
    if isinstance(slot.derived, GeohashCell):
        degrees = 90 if name == slot.derived.fields[0] else 180
        return Limits(low=-degrees, high=degrees)
    return Limits(is_path=isinstance(slot.derived, Depth | Parent))


def _limits_of_codec(codec: Codec) -> Limits:
    match codec:
        case DescendingCodec():
            return _limits_of_codec(codec.inner)
        case TextCodec() | RawCodec():
            excluded = "" if codec.delimiter == ORDERED_DELIMITER else _LAST_CHARACTER
            if isinstance(codec, RawCodec) and codec.closed:
                excluded += codec.delimiter
            return Limits(size_max=KEY_CHARACTERS_MAX, excluded=excluded)
        case IntegerCodec(digits=int(digits)):
            return Limits(low=0, high=10**digits - 1)
        case FixedPointCodec():
            largest = Decimal((0, (9,) * (codec.whole_digits + codec.places), -codec.places))
            return Limits(low=0, high=largest, places=codec.places)
        case TimeCodec():
            return Limits(unit=codec.time_format.unit)
        case PathCodec():
            return Limits(is_path=True)
        case _:
            return NO_LIMITS


def _fits(encode: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        try:
            encode(value)
        except KeyRefused:
            return False
        return True

    return fits
