"""Models for the tests of `evolve`: every kind of field, key and derived data, in small tables."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID, uuid4

from singletable import (
    GSI,
    KEYS_ONLY,
    LSI,
    Table,
    bucket,
    copy,
    count,
    depth,
    derive,
    entity,
    first_letter,
    geohash,
    include,
    inverse,
    native,
    parent,
    shard,
    sparse,
    upgrade,
)


class Size(enum.Enum):
    SMALL = "S"
    LARGE = "L"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Address:
    street: str
    city: str = ""


def region_of(country: str) -> str:
    return "EU" if country in ("DE", "FR") else "US"


@entity(
    key=("USER#{id}", "PROFILE"),
    gsi1=sparse("REGION#{region}", "{email}#{id}"),
    gsi2=("SHARD#{part}", "{joined:seconds}#{id}"),
    lsi1="{name}",
    derived={"region": derive(region_of, "country", values=["EU", "US"]), "part": shard("id", of=4)},
    unique=["email", ("country", "name")],
    version="revision",
    expected_items=1000,
)
@dataclass
class User:
    id: str
    name: str
    email: str
    country: str
    joined: datetime
    revision: int = 0
    orders: int = 0
    tags: frozenset[str] = frozenset()
    address: Address | None = None
    notes: list[str] = field(default_factory=list)
    token: UUID = field(default_factory=uuid4)
    extra: dict[str, Any] = field(default_factory=dict)


@entity(
    key=("USER#{user_id}", "ORDER#{number:06d}"),
    gsi1=("SIZE#{size}", "{day}#{number:06d}"),
    gsi2=("{letter}#{month}", "{price:010.2f}"),
    lsi1="{day}",
    derived={"letter": first_letter("user_id"), "month": bucket("placed", "month")},
    copies=[copy(User, by={"id": "user_id"}, fields={"name": "user_name"})],
    counted=[count(User, by={"id": "user_id"}, field="orders", where=lambda o: (o.price > 5) & (o.status == "OPEN"))],
    schema_version=2,
    attributes={"price": "p"},
)
@dataclass
class Order:
    user_id: str
    number: int
    size: Size
    level: Level
    status: Literal["OPEN", "PAID"]
    day: date
    placed: datetime
    price: Decimal
    user_name: str
    blob: bytes = b""


@upgrade(Order, from_version=1)
def add_level(item: dict[str, Any]) -> dict[str, Any]:
    item.setdefault("level", 1)
    return item


@entity(
    key=("TREE#{root}", "NODE#{path:path}"),
    ttl="expires",
    gsi1=("PARENT#{above}", "{path:path}"),
    gsi2=("CELL#{cell}", "{deep}"),
    lsi1="{root}",
    derived={"above": parent("path"), "deep": depth("path"), "cell": geohash("lat", "lon", precision=5)},
)
@dataclass
class Node:
    root: str
    path: tuple[str, ...]
    lat: float
    lon: float
    expires: datetime | None = None


class Everything(
    Table,
    entities=[User, Order, Node],
    indexes=[
        GSI("gsi1", projection=include("name", "p")),
        GSI("gsi2", name="ByShard", keys=("shard", "moment"), projection=KEYS_ONLY),
        LSI("lsi1", sort="local"),
        inverse("gsi9"),
    ],
    ttl_attribute="expires",
):
    """One table with every feature of a design."""


@entity(key=(native("tenant"), native("at")), by_kind=((native("kind"), native("tenant")), native("at")))
@dataclass
class Event:
    tenant: str
    at: int
    kind: str


class Native(Table, entities=[Event], keys=("tenant", "at"), type_attribute=None):
    """A table with native keys, a multi-attribute index and no type attribute."""


NOW = datetime(2026, 4, 10, 14, tzinfo=UTC)
USER = User("u1", "Ada", "ada@x.org", "DE", NOW)
ORDER = Order("u1", 7, Size.LARGE, Level.HIGH, "OPEN", NOW.date(), NOW, Decimal("9.5"), "Ada")
NODE = Node("r", ("r", "eng"), 52.5, 13.4)
EVENT = Event("t", 1, "k")
