"""What the values of a field are held to: by the constraints in its annotation, and by the keys it is part of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.descending import DescendingCodec
from singletable.model.codecs.fixed_point import FixedPointCodec
from singletable.model.codecs.integer import IntegerCodec
from singletable.model.codecs.path import PathCodec
from singletable.model.codecs.raw import RawCodec
from singletable.model.codecs.text import ORDERED_DELIMITER, TextCodec
from singletable.model.codecs.time_format import TimeCodec
from singletable.model.derived.geocell import GeoCell
from singletable.model.derived.tree import Depth, Parent
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import KeyPart, NativePart
from singletable.model.template import FieldSlot, Slot

# A key has 1024 bytes or more, and a character at most four of them: room for half a dozen such fields in one key.
KEY_CHARACTERS_MAX = 40
KEY_BYTES_MAX = 64
_LAST_CHARACTER = "\U0010ffff"
# From fine to coarse: a moment that a key keeps to the day is cut off at the day.
UNITS = ("microseconds", "milliseconds", "seconds", "minutes", "hours", "days", "months", "years")

C = TypeVar("C")


@dataclass(frozen=True)
class Limits:
    """Bounds, lengths and the rest; None is for no limit."""

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
        """What both allow."""
        tests = (*self.tests, *(test for test in other.tests if test not in self.tests))
        return Limits(
            low=_chosen(max, self.low, other.low),
            high=_chosen(min, self.high, other.high),
            step=_chosen(max, self.step, other.step),
            size_min=_chosen(max, self.size_min, other.size_min),
            size_max=_chosen(min, self.size_max, other.size_max),
            pattern=self.pattern or other.pattern,
            digits=_chosen(min, self.digits, other.digits),
            places=_chosen(min, self.places, other.places),
            excluded="".join(sorted({*self.excluded, *other.excluded})),
            unit=max((unit for unit in (self.unit, other.unit) if unit), key=UNITS.index, default=None),
            is_path=self.is_path or other.is_path,
            options=self.options if other.options is None else other.options,
            tests=tests,
        )


NONE = Limits()


def _chosen(better: Callable[[C, C], C], first: C | None, second: C | None) -> C | None:
    if first is None or second is None:
        return second if first is None else first
    return better(first, second)


def of_metadata(metadata: Iterable[Any]) -> Limits:
    """The constraints that stand in an annotation: pydantic's, msgspec's and those of annotated_types.

    They are recognised by their attributes, so that none of the libraries has to be imported.
    """
    limits = NONE
    for each in metadata:
        if isinstance(each, Limits):
            limits &= each
            continue
        limits &= of_metadata(getattr(each, "metadata", None) or ()) & _of_constraint(each)
    return limits


def _of_constraint(each: Any) -> Limits:
    def said(name: str) -> Any:
        return getattr(each, name, None)

    above, below = said("gt"), said("lt")
    tests: list[Callable[[Any], bool]] = []
    if above is not None:
        tests.append(lambda value: value > above)
    if below is not None:
        tests.append(lambda value: value < below)
    if type(each).__name__ == "Predicate":
        tests.append(said("func"))
    pattern = said("pattern")
    return Limits(
        low=_chosen(max, said("ge"), above),
        high=_chosen(min, said("le"), below),
        step=said("multiple_of"),
        size_min=said("min_length"),
        size_max=said("max_length"),
        pattern=getattr(pattern, "pattern", pattern),
        digits=said("max_digits"),
        places=said("decimal_places"),
        tests=tuple(tests),
    )


def of_validator(validator: Any) -> Limits:
    """What a validator of attrs says, as far as it is one of attrs' own; any other is asked when an object is made."""
    limits = NONE
    for inner in (*getattr(validator, "_validators", ()), getattr(validator, "validator", None)):
        limits &= NONE if inner is None else of_validator(inner)
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


def of_keys(design: Design, entity: Entity, name: str) -> Limits:
    """What the keys of an entity hold a field to: in the table, in every index, of its markers and of its mirrors."""
    limits = NONE
    mirrors = (other for other in design.entities if other.declaration.mirror_of is entity.cls)
    placements = [*entity.uniques, *(place for each in (entity, *mirrors) for place in each.placements.values())]
    for placement in placements:
        for part in placement.parts:
            if name in part.fields:
                limits &= _of_part(part, name)
    return limits


def _of_part(part: KeyPart, name: str) -> Limits:
    if isinstance(part, NativePart):
        size_max = KEY_BYTES_MAX if part.type == "B" else KEY_CHARACTERS_MAX
        sized = Limits(size_min=1, size_max=size_max) if part.type != "N" else NONE
        own = NONE if part.codec is None else _of_codec(part.codec)
        return sized & own & Limits(tests=(_fits(part.encode_value),))
    limits = NONE
    for slot in part.template.slots:
        if name in slot.fields:
            limits &= _of_slot(slot, name)
    # A key that is one field and nothing else must not be empty.
    alone = part.template.parts == part.template.slots and len(part.template.parts) == 1
    return limits & Limits(size_min=1) if alone and isinstance(part.template.slots[0], FieldSlot) else limits


def _of_slot(slot: Slot, name: str) -> Limits:
    if isinstance(slot, FieldSlot):
        return _of_codec(slot.codec) & Limits(tests=(_fits(slot.codec.encode),))
    if isinstance(slot.derived, GeoCell):
        degrees = 90 if name == slot.derived.fields[0] else 180
        return Limits(low=-degrees, high=degrees)
    return Limits(is_path=isinstance(slot.derived, Depth | Parent))


def _of_codec(codec: Codec) -> Limits:
    match codec:
        case DescendingCodec():
            return _of_codec(codec.inner)
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
            return NONE


def _fits(encode: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        try:
            encode(value)
        except KeyRefused:
            return False
        return True

    return fits
