"""A model that says everything a model can say, to be carried elsewhere and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any, Literal
from uuid import UUID

import attrs
import msgspec
import pydantic

from singletable import (
    GSI,
    KEYS_ONLY,
    LSI,
    Between,
    Page,
    Since,
    Table,
    begins_with,
    collection,
    contains,
    create,
    delete,
    derive,
    entity,
    exists,
    field,
    get,
    include,
    native,
    not_,
    one_of,
    pattern,
    present,
    put,
    query,
    shard,
    sparse,
    update,
    upgrade,
)

_TOKEN = UUID(int=1)


class State(StrEnum):
    """How far an order is."""

    OPEN = "O"
    PAID = "P"


class Level(IntEnum):
    """How urgent."""

    LOW = 1
    HIGH = 9


class Colour(str, Enum):  # noqa: UP042  # what StrEnum is not, and what many models have
    """As people wrote it before StrEnum."""

    RED = "red"
    BLUE = "blue"


@dataclass
class Country:
    """A country."""

    code: str
    level: Level = Level.LOW


class Address(pydantic.BaseModel):
    """Where it goes."""

    street: str
    country: Country | None = None
    tags: dict[str, set[str]] = {}


@dataclass
class Wrapping:
    """How it is wrapped, plainly unless somebody says otherwise."""

    paper: str = "brown"
    ribbons: list[str] = dataclass_field(default_factory=list)


class Line(msgspec.Struct):
    """One line."""

    sku: str
    count: int = 1
    prices: list[Decimal | None] = []


def utc_now() -> datetime:
    """A default that a function makes."""
    return datetime.now(UTC)


def region(country: str) -> str:
    """A value in keys that a function computes."""
    return "EU" if country in ("DE", "FR") else "OTHER"


@entity(
    key=("C#{id}", "C"),
    gsi1=("REGION#{region}", "{id}"),
    derived={"region": derive(region, "country", values=("EU", "OTHER"))},
    attributes={"joined": "j"},
    unique=[("email",)],
    version="version",
)
class Customer(pydantic.BaseModel):
    """A customer."""

    id: str
    country: str
    email: str | None
    nick: str | None = None
    joined: datetime = pydantic.Field(default_factory=utc_now)
    address: Address = Address(street="?")
    colours: list[Colour] = [Colour.RED]
    favourite: Colour = Colour.BLUE
    limits: dict[str, dict[str, int]] = {"day": {"max": 3}}
    version: int = 0


@entity(
    key=("C#{customer_id}", "O#{placed:seconds}#{id}"),
    gsi1=sparse("STATE#{state}", "{placed:seconds}"),
    thin=("SHARD#{part}", "{id}"),
    some=(native("kind"), native("weight")),
    by_total=("T#{total:012.2f}",),
    derived={"part": shard("id", of=4)},
    expected_bytes=700,
    expected_per_partition=20,
)
@dataclass
class Order:
    """An order."""

    id: str
    customer_id: str
    placed: datetime
    total: Decimal
    kind: Literal["web", "shop"]
    weight: Decimal
    state: State | None = None
    level: Level = Level.LOW
    lines: list[Line] = dataclass_field(default_factory=list)
    notes: dict[str, Any] = dataclass_field(default_factory=dict)
    wrapping: Wrapping = dataclass_field(default_factory=Wrapping)
    tags: frozenset[str] = frozenset(("new",))
    sizes: tuple[int, int] = (1, 2)
    either: str | int = "x"
    due: date = date(2026, 1, 2)
    token: UUID = _TOKEN
    raw: bytes = b"\x00\xff"
    mark: Literal[1, 2] = 1
    anything: Any = None


@entity(key=("B#{name}", "B"), name="Box!", ttl="gone", schema_version=3)
@attrs.define
class Box:
    """A box, called as something of ours is."""

    name: str
    gone: int | None = None
    bits: list[bytes] = attrs.Factory(list)
    words: set[str] = attrs.field(factory=set)


@upgrade(Box, from_version=1)
def box_1(stored: dict[str, Any]) -> Mapping[str, Any]:
    """From the first version."""
    return {**stored, "bits": []}


@upgrade(Box, from_version=2)
def box_2(stored: dict[str, Any]) -> Mapping[str, Any]:
    """From the second version."""
    return {**stored, "words": None}


class OrderLine(msgspec.Struct):
    """A short order."""

    id: str
    placed: datetime
    state: State | None = None


@dataclass
class CustomerWithOrders:
    """A customer, and what was ordered."""

    customer: Customer
    orders: list[Order]


class Whole(
    Table,
    entities=[Customer, Order, Box],
    name="whole-table",
    indexes=[
        GSI("thin", name="Thin", keys=("ThinPK", "ThinSK"), projection=KEYS_ONLY),
        GSI("some", name="Some", keys=("kind", "weight"), projection=include("id", "placed", "state")),
        LSI("by_total", name="ByTotal", sort="total_key"),
    ],
    ttl_attribute="gone",
    schema_version_attribute="sv",
):
    """Everything at once."""

    @pattern(entry=Customer, rate=5, budget_ms=10)
    def customer(self, id: str) -> Customer | None:
        """One customer."""
        return get(Customer, consistent=True)

    @pattern(entry="the sign-up page")
    def sign_up(self, customer: Customer) -> Customer:
        """A customer who was not there."""
        return create(Customer)

    @pattern()
    def box_by_fields(self, name: str, gone: int, bits: list[bytes], words: set[str]) -> Box:
        """A box, by its fields."""
        return put(Box)

    @pattern(fanout=2)
    def everybody(self) -> Page[Customer]:
        """Customers of all regions."""
        return query(Customer)

    @pattern()
    def of_state(self, state: State, limit: int = 7, cursor: str | None = None) -> Page[Order]:
        """Orders in a state, with the limit by place."""
        return query(Order)

    @pattern()
    def with_orders(self, id: str) -> CustomerWithOrders | None:
        """A customer with the orders."""
        return collection(CustomerWithOrders)

    @pattern()
    def with_some_orders(self, id: str, *, limit: int = 5) -> CustomerWithOrders | None:
        """The same class again."""
        return collection(CustomerWithOrders, consistent=True)

    @pattern(expected_examined=100, accept={"ST108": "few orders"})
    def picked(self, customer_id: str, placed: Between[datetime], floor: Decimal, item: str) -> Page[Order]:
        """Orders by everything that a condition can say."""
        return query(
            Order,
            filter=lambda o: (
                ((o.total > floor) & not_(exists(o.state)))
                | one_of(o.state, State.OPEN, State.PAID)
                | (contains(o.tags, item) & begins_with(o.id, "X"))
                | (present(o.level) >= Level.HIGH)
                | (o.lines[0].sku == "S-1")
                | (o.notes["some key"]["b"] != Decimal("1.50"))
                | (o.due <= date(2026, 2, 3))
                | (o.weight < o.total)
                | (o.mark == 2)
            ),
            limit=50,
        )

    @pattern()
    def first_few(self, state: State, count: int = 3) -> Page[Order]:
        """Orders in a state, up to a limit."""
        return query(Order, order_by=lambda o: o.placed, limit=count)

    @pattern()
    def by_kind(self, kind: Literal["web", "shop"], *, limit: int = 20, cursor: str | None = None) -> Page[OrderLine]:
        """A view of what an index holds."""
        return query(Order, view=OrderLine)

    @pattern(fanout=4)
    def everything(self) -> Page[Order]:
        """Whole orders behind a thin index."""
        return query(Order, hydrate=True)

    @pattern()
    def dear(self, customer_id: str, total: Since[Decimal]) -> Page[Order]:
        """By the local index."""
        return query(Order, where=lambda o: exists(o.total))

    @pattern()
    def correct(
        self, customer_id: str, placed: datetime, id: str, *, more: list[Line], by: Decimal, state: State
    ) -> Order:
        """Every kind of change."""
        return update(
            Order,
            field(Order, lambda o: o.weight).add(by),
            field(Order, lambda o: o.lines).append(more),
            field(Order, lambda o: o.state).set(state),
            field(Order, lambda o: o.level).set(Level.HIGH),
            field(Order, lambda o: o.notes["some key"]).set({"b": [1, "x", Decimal("2.5")]}),
            where=lambda o: o.either == "x",
        )

    @pattern()
    def forget_state(self, customer_id: str, placed: datetime, id: str) -> Order:
        """A field is taken away, which is said at such a length that no line of a file that is a hundred and twenty wide has room, "so"."""  # noqa: E501  # on purpose
        return update(Order, field(Order, lambda o: o.state).remove())

    @pattern()
    def drop(self, customer_id: str, placed: datetime, id: str) -> Order | None:
        """An order that is open goes."""
        return delete(Order, where=lambda o: o.state == State.OPEN)
