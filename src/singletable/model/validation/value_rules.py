"""Validation rules of a single value: its type, bounds, lengths and validation function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, get_args
from uuid import UUID

from singletable.lazy_dataclass import dataclass, replace
from singletable.model.fields import container_of, element_of, has_fields, strip

Number = int | float | Decimal
Validation = Literal["whole", "fields"]
"""The scope of the validation of an update: the whole object if a rule needs it, or only the changed fields."""

SCALARS = {each.__name__.lower(): each for each in (str, int, float, bool, bytes, date, datetime, Decimal, UUID)}
"""The types that the decoder checks completely, by their names in pydantic schemas."""
LIMITS = frozenset(("ge", "gt", "le", "lt"))
"""The names of the bounds of a number."""
LENGTHS = frozenset(("min_length", "max_length"))
"""The names of the length limits of a container."""


@dataclass(frozen=True)
class Bounds:
    """The bounds of a number; None means unbounded."""

    ge: Number | None = None
    gt: Number | None = None
    le: Number | None = None
    lt: Number | None = None

    def tightened(self, limit: str, number: Number) -> Bounds:
        """Return the bounds with one more limit. The stricter limit applies."""
        known = getattr(self, limit)
        stricter = number if known is None else max(known, number) if limit in ("ge", "gt") else min(known, number)
        return replace(self, **{limit: stricter})


@dataclass(frozen=True)
class ValueRules:
    """The rules that validate the value at a path of an entity without the rest of its item."""

    type: Any
    """The declared type without `None` and `Annotated`."""
    optional: bool = False
    """Whether the annotation includes None."""
    validate: Callable[[Any], Any] | None = None
    """A function that returns a decoded value, which can be None, if it is valid, and otherwise raises an exception.

    The attribute is None if the type is the only rule, because the decoder checks types.
    """
    bounds: Bounds | None = None
    min_length: int | None = None
    max_length: int | None = None
    """The maximum number of elements of a container. The limit does not apply to text."""
    is_exhaustive: bool = True
    """Whether the value has no rules other than type, bounds, lengths and the rules of its elements."""
    element: ValueRules | None = None
    """The rules of the elements of a list, set or `tuple[X, ...]`, or of the values of a dict.

    None if they are unknown.
    """
    whole: str | None = None
    """The reason, for messages, why a change of the value needs the whole item to be validated. None if it does not."""


def type_rules(annotation: Any) -> ValueRules:
    """Return the rules that follow from a type."""
    declared, optional = strip(annotation)
    inner = element_of(declared)
    element = None if inner is None else type_rules(inner)
    return ValueRules(declared, optional, is_exhaustive=_is_exhaustive(declared), element=element)


def _is_exhaustive(declared: Any) -> bool:
    """Return whether the decoder checks a type completely, apart from its elements."""
    if container_of(declared) is dict:  # the decoder may reject keys that are not str
        return not get_args(declared) or strip(get_args(declared)[0])[0] is str
    is_scalar = isinstance(declared, type) and declared in SCALARS.values()
    return is_scalar or declared in (Any, object) or element_of(declared) is not None or has_fields(declared)


def limited(rules: ValueRules, limits: Mapping[str, Any]) -> ValueRules:
    """Return the rules with the bounds and lengths of a type."""
    bounds = Bounds(**{name: limits[name] for name in LIMITS if limits.get(name) is not None})
    lengths: dict[str, Any] = {name: limits.get(name) for name in LENGTHS}
    return replace(rules, bounds=None if bounds == Bounds() else bounds, **lengths)
