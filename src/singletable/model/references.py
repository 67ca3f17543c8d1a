"""References: the fields of an entity that identify an item of another entity, with estimates of their fan-out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from singletable.errors import Problem
from singletable.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from singletable.model.entity import Entity


@dataclass(frozen=True)
class Reference:
    """A field that identifies one item of another entity, and the number of items that refer to one such item."""

    source: type
    mean: float | None = None
    max: int | None = None
    changes: bool | None = None
    """Whether the field of an item can get another value. None if nobody has declared it."""


def ref(source: type, *, mean: float | None = None, max: int | None = None, changes: bool | None = None) -> Reference:
    """Declare that a field identifies an item of `source`, for `references=` of an entity.

    The estimates help `singletable design` to choose keys, and `singletable cost` to count the items of a list:
    `references={"customer_id": ref(Customer, mean=20, max=5_000, changes=False)}`.

    - `mean`, `max`: the average and the largest number of items that refer to one item of `source`.
    - `changes`: whether an item can get another value later. A key of the table cannot contain a field that changes.
    """
    given: dict[str, Any] = {"mean": mean, "max": max}
    for name, value in given.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or value <= 0):
            raise ValueError(f"ref(): {name} must be a number greater than 0, got {value!r}")
    if mean is not None and max is not None and mean > max:
        raise ValueError(f"ref(): mean must be at most max, got mean={mean:g} and max={max}")
    return Reference(source, mean, max, changes)


def invalid_references(label: str, references: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each reference that is not a result of `ref()`."""
    for name, each in references.items():
        if not isinstance(each, Reference):
            yield f"{label}: references[{name!r}] is {each!r}; use ref(Customer, mean=20, max=5_000)"


def unknown_references(entities: Sequence[Entity], entity: Entity) -> Iterator[Problem]:
    """Yield a problem for each reference to a class that is not an entity of the table."""
    if not entity.declaration.references:
        return  # most entities have none, and this runs for every entity of a large model
    known = {each.cls for each in entities}
    for name, each in entity.declaration.references.items():
        if each.source not in known:
            source = getattr(each.source, "__name__", repr(each.source))
            message = f"{entity.label}: {name} refers to {source}, which is not an entity of the table"
            yield Problem(message, entity.location, f"Add {source} to entities=, or remove the reference.")
