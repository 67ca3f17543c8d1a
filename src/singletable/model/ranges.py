"""Ranges as parameter types: what a pattern's parameter says of a field beyond equality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from singletable.model.areas import Box, Nearest, Radius, contains

T = TypeVar("T")


@dataclass(frozen=True)
class Between(Generic[T]):
    """From `low` to `high`, both included: `created_at: Between[datetime]`, called with `Between(monday, sunday)`."""

    low: T
    high: T


@dataclass(frozen=True)
class Since(Generic[T]):
    """From `low` on, included, to the end of the entity's own items."""

    low: T


@dataclass(frozen=True)
class Until(Generic[T]):
    """From the first of the entity's own items up to `high`, included."""

    high: T


@dataclass(frozen=True)
class Prefix(Generic[T]):
    """Text that begins with `start`; the only way to a prefix inside a segment of a key."""

    start: T


@dataclass(frozen=True)
class Subtree(Generic[T]):
    """A path and everything below it; `engineering` is not below `eng`."""

    root: T


@dataclass(frozen=True)
class Children(Generic[T]):
    """The paths exactly one element longer than `parent`; the empty path has the top of the tree as its children."""

    parent: T


@dataclass(frozen=True)
class Equal:
    """One value; what a parameter of a field's own type says."""

    value: Any


@dataclass(frozen=True)
class Present:
    """A value other than None; what `exists(o.field)` says, and what being in a sparse index means."""


Predicate = (
    Equal
    | Between[Any]
    | Since[Any]
    | Until[Any]
    | Prefix[Any]
    | Subtree[Any]
    | Children[Any]
    | Radius
    | Box
    | Nearest
    | Present
)
"""What is known of a field: a test that a value passes or does not."""

RANGE_TYPES: tuple[type, ...] = (Between, Since, Until, Prefix, Subtree, Children)


def holds(predicate: Predicate, value: Any) -> bool:
    """Whether a field's value passes; the plain meaning, beside which every plan is tested."""
    match predicate:
        case Equal(wanted):
            return bool(value == wanted)
        case Between(low, high):
            return bool(low <= value <= high)
        case Since(low):
            return bool(low <= value)
        case Until(high):
            return bool(value <= high)
        case Prefix(start):
            return bool(value.startswith(start))
        case Subtree(root):
            return tuple(value[: len(root)]) == tuple(root)
        case Children(parent):
            return tuple(value[:-1]) == tuple(parent)
        case Present():
            return value is not None
        case Radius() | Box() | Nearest():
            latitude, longitude = value
            return contains(predicate, float(latitude), float(longitude))
