"""Rules of a single value: its type, bounds, lengths, and the function that validates it alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, get_args
from uuid import UUID

from singletable.model.fields import container_of, element_of, has_fields, strip

Number = int | float | Decimal
Validation = Literal["whole", "fields"]
"""What an update validates: the whole object where a rule of the class needs it, or only the changed fields."""

SCALARS = {each.__name__.lower(): each for each in (str, int, float, bool, bytes, date, datetime, Decimal, UUID)}
"""The types that the reader checks exactly, by their names in pydantic's schemas."""
LIMITS = frozenset(("ge", "gt", "le", "lt"))
"""The names of a number's limits."""
LENGTHS = frozenset(("min_length", "max_length"))
"""The names of a container's limits."""


@dataclass(frozen=True)
class Bounds:
    """The limits of a number; None where there is no limit."""

    ge: Number | None = None
    gt: Number | None = None
    le: Number | None = None
    lt: Number | None = None

    def tightened(self, limit: str, number: Number) -> Bounds:
        """These bounds and one more limit; of two limits of one kind, the stricter one."""
        known = getattr(self, limit)
        stricter = number if known is None else max(known, number) if limit in ("ge", "gt") else min(known, number)
        return replace(self, **{limit: stricter})


@dataclass(frozen=True)
class ValueRules:
    """How the value at one path of an entity is validated without the rest of its item."""

    type: Any
    """The declared type without `None` and `Annotated`, as `reader_of` takes it."""
    optional: bool = False
    """Whether the annotation includes None."""
    validate: Callable[[Any], Any] | None = None
    """Validates what the reader returned, None included, and returns the validated value; raises any exception when it
    is invalid. None when the declared type is the only rule, which the reader checks."""
    bounds: Bounds | None = None
    min_length: int | None = None
    max_length: int | None = None
    """How many elements a container has at most; the two lengths are not of text."""
    is_exhaustive: bool = True
    """Whether type, bounds, lengths and the rules of the elements are all the rules of the value."""
    element: ValueRules | None = None
    """The rules of each element of a list, a set or a `tuple[X, ...]`, and of each value of a dict; None if unknown."""
    whole: str | None = None
    """Why a change of the value can only be validated with the whole item, for messages; None when it can be alone."""


def type_rules(annotation: Any) -> ValueRules:
    """The rules of a value that follow from its declared type."""
    declared, optional = strip(annotation)
    inner = element_of(declared)
    element = None if inner is None else type_rules(inner)
    return ValueRules(declared, optional, is_exhaustive=_is_exhaustive(declared), element=element)


def _is_exhaustive(declared: Any) -> bool:
    """Whether a type has no rules of its own, apart from those of what it contains."""
    if container_of(declared) is dict:  # A key of another type than str may not be readable.
        return not get_args(declared) or strip(get_args(declared)[0])[0] is str
    is_scalar = isinstance(declared, type) and declared in SCALARS.values()
    return is_scalar or declared in (Any, object) or element_of(declared) is not None or has_fields(declared)


def limited(rules: ValueRules, limits: Mapping[str, Any]) -> ValueRules:
    """The rules with the bounds and lengths among the constraints of a type."""
    bounds = Bounds(**{name: limits[name] for name in LIMITS if limits.get(name) is not None})
    lengths: dict[str, Any] = {name: limits.get(name) for name in LENGTHS}
    return replace(rules, bounds=None if bounds == Bounds() else bounds, **lengths)
