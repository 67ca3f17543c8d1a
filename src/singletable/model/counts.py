"""Counters: a field of one entity that holds the number of items of another entity that belong to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from singletable.expressions.tree import Condition, paths

if TYPE_CHECKING:
    from singletable.model.rules.value_rules import Validation


@dataclass(frozen=True, eq=False)  # hashable by identity, since its compiled condition is cached
class Count:
    """A counter in another entity's item: which items of this entity it counts, and in which owner."""

    owner: type
    by: Mapping[str, str]
    field: str
    where: Callable[[Any], bool] | None = None
    condition: Condition | None = None
    """The condition that `where` states, recorded when a table is compiled; None for a counter of all items."""
    validation: Validation = "whole"
    """With "fields", rules of the owner's class that need the whole object are waived."""

    @cached_property
    def tested(self) -> frozenset[str]:
        """The fields that the condition reads."""
        return frozenset(path.attribute for path in paths(self.condition))

    @property
    def decisive(self) -> frozenset[str]:
        """The fields whose change can change the counter."""
        return self.tested.union(self.by.values())


def count(
    owner: type,
    *,
    by: Mapping[str, str],
    field: str,
    where: Callable[[Any], bool] | None = None,
    validate: Validation = "whole",
) -> Count:
    """Declare that `field` of `owner` counts the items of this entity that belong to it.

    `by` names, for each field of the owner's key, the field here that holds the same value:
    `counted=[count(Customer, by={"id": "customer_id"}, field="order_count")]`. `where` is a condition on the fields of
    this entity, such as `lambda order: order.status == "OPEN"`; items that do not meet it are not counted.
    A counter changes without a read of its owner. Bounds of the field are checked all the same; an owner whose class
    has rules about whole objects is rejected, unless `validate="fields"` waives them for the counter.
    """
    return Count(owner, dict(by), field, where, validation=validate)
