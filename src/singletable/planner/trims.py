"""Trims: predicates on times that a key condition checks only to a unit of time, so the client checks each item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from singletable.lazy_dataclass import dataclass
from singletable.model.parameter_binding import Binding
from singletable.model.parameter_types import Predicate
from singletable.planner.operands import Arguments, predicate_of

if TYPE_CHECKING:
    from singletable.planner.plan import Plan


@dataclass(frozen=True)
class Trim:
    """A predicate on a time that the key contains only to a unit, such as `second`."""

    binding: Binding
    unit: str

    @property
    def field(self) -> str:
        """The field with the time."""
        return self.binding.fields[0]


@dataclass(frozen=True)
class TrimTest:
    """The predicate that a field of an item must satisfy."""

    field: str
    predicate: Predicate


TrimTests = Mapping[str, tuple[TrimTest, ...]]
"""The tests of each entity, by its name. An entity without tests is missing."""


def trimmed_attributes(plan: Plan) -> list[str]:
    """Return the attributes with the times that the client checks."""
    pairs = zip(plan.entities, plan.trims, strict=False)
    return [entity.attributes[trim.field] for entity, trims in pairs for trim in trims]


def trim_tests(plan: Plan, arguments: Arguments) -> TrimTests:
    """Return the tests with which the client selects the matching items among those that a plan reads."""
    return {
        entity.name: tuple(TrimTest(trim.field, predicate_of(trim.binding, arguments)) for trim in trims)
        for entity, trims in zip(plan.entities, plan.trims, strict=False)
        if trims
    }
