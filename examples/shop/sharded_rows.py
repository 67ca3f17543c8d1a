"""Ten customers for the sharded lists, with four months of signup, three regions and eight first letters."""

from datetime import UTC, datetime
from typing import TypeVar

from singletable import Page
from singletable.planner.explanation import Explanation

from .sharded import CustomerFields, Region

C = TypeVar("C", bound=CustomerFields)

_SIGNED_UP = [
    ("c1", "Ada", Region.EUROPE, "2026-01-15T09:00:00"),
    ("c2", "Grace", Region.AMERICAS, "2026-02-03T11:30:00"),
    ("c3", "Edsger", Region.EUROPE, "2026-02-20T16:45:00"),
    ("c4", "Barbara", Region.AMERICAS, "2026-02-27T07:10:00"),
    ("c5", "Émilie", Region.EUROPE, "2026-03-02T18:00:00"),
    ("c6", "Ken", Region.AMERICAS, "2026-03-14T12:00:00"),
    ("c7", "Radia", Region.AMERICAS, "2026-03-30T21:20:00"),
    ("c8", "Asha", Region.ASIA, "2026-04-01T03:00:00"),
    ("c9", "Yukihiro", Region.ASIA, "2026-04-08T05:30:00"),
    ("c10", "Ada", Region.ASIA, "2026-04-22T23:59:59"),
]


def customers(entity: type[C]) -> list[C]:
    """Return the ten customers as objects of one entity."""
    return [
        entity(id=id_, name=name, region=region, created_at=datetime.fromisoformat(moment).replace(tzinfo=UTC))
        for id_, name, region, moment in _SIGNED_UP
    ]


def tell_merged(title: str, found: Page[C], asked: Explanation) -> None:
    """Print the customers in order, and the number of partitions that were read."""
    partitions = len(asked.requests)
    print(f"{title}, {len(found)} from {partitions} partition{'' if partitions == 1 else 's'}:")
    for customer in found:
        print(f"{customer.created_at:%Y-%m-%d} {customer.id:<3} {customer.name:<8} {customer.region.value}")
