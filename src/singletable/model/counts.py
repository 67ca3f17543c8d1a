"""Counters kept beside a collection: how many items of an entity belong to an item of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Count:
    """A number in another entity's item that says how many items of this one belong to it."""

    owner: type
    by: Mapping[str, str]
    field: str


def count(owner: type, *, by: Mapping[str, str], field: str) -> Count:
    """Declare that `field` of `owner` counts the items of this entity that belong to it.

    `by` names, for each field of the owner's key, the field here that holds the same value:
    `counted=[count(Customer, by={"id": "customer_id"}, field="order_count")]`.
    """
    return Count(owner, dict(by), field)
