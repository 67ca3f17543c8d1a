"""Five modelling patterns in one table: one-to-many, many-to-many, time series, tree and geo."""

from datetime import date, datetime
from decimal import Decimal

from pydantic import BaseModel

from singletable import (
    GSI,
    KEYS_ONLY,
    Between,
    Box,
    Children,
    Nearest,
    Page,
    Radius,
    Since,
    Subtree,
    Table,
    ancestors,
    collection,
    depth,
    entity,
    exists,
    geohash,
    get,
    pattern,
    put,
    query,
    shard,
    skewed,
    sparse,
    within,
)


@entity(key=("USER#{id}", "PROFILE"), name="USER", attributes={"created_at": "createdAt"})
class User(BaseModel):
    """One-to-many: the root of a user's item collection."""

    id: str
    name: str
    email: str
    created_at: datetime


@entity(key=("USER#{user_id}", "ADDR#{label}"), name="ADDRESS", expected_per_partition=3)
class Address(BaseModel):
    """One of a user's addresses."""

    user_id: str
    label: str
    line1: str
    city: str
    zip: str


@entity(
    key=("USER#{user_id}", "ORDER#{placed_on}#{id}"),
    gsi1=sparse("STATUS#OPEN", "{open_since}#{id}"),
    name="ORDER",
    expected_per_partition=50,
)
class Order(BaseModel):
    """One of a user's orders, sorted by day; GSI1 contains open orders only."""

    user_id: str
    id: str
    placed_on: date
    total: Decimal
    status: str
    open_since: date | None = None


@entity(
    key=("USER#{user_id}", "GROUP#{group_id}"),
    gsi1=("GROUP#{group_id}", "USER#{user_id}"),
    gsi2=("GROUP#{group_id}", "JOINED#{joined_on}#{user_id}"),
    name="MEMBERSHIP",
    expected_per_partition={"key": 5, "gsi1": 40, "gsi2": 40},
)
class Membership(BaseModel):
    """Many-to-many: one item per membership, read by user, by group (inverse index) and by join date (GSI2)."""

    user_id: str
    group_id: str
    joined_on: date


class WholeUser(BaseModel):
    """The item collection of a user."""

    user: User
    addresses: list[Address]
    orders: list[Order]
    memberships: list[Membership]


@entity(
    key=("DEVICE#{device_id}", "EVT#{at:seconds}#{id}"),
    gsi1=("EVTTYPE#{kind}", "{at:seconds}#{device_id}#{id}"),
    name="EVENT",
    cardinality={"device_id": 20_000, "kind": skewed(6, hottest=0.7)},  # most events are heartbeats
)
class Event(BaseModel):
    """Time series: an event of a device, stored by device and, in GSI1, by event type."""

    device_id: str
    id: str
    at: datetime
    kind: str
    value: Decimal


@entity(
    key=("ORG#{org}", "PATH#{path}"),
    gsi1=("ORG#{org}#depth={level}", "PATH#{path}"),
    derived={"level": depth("path")},
    name="NODE",
    expected_per_partition=500,
)
class Node(BaseModel):
    """Tree: a node with its whole path in the sort key; GSI1 has one partition per level."""

    org: str
    path: tuple[str, ...]
    depth: int
    name: str


@entity(
    key=("SHOP#{id}", "META"),
    gsi1=("GEO#{cell}", "{latitude:number}#{longitude:number}#{id}"),
    derived={"cell": geohash("latitude", "longitude", precision=6)},
    name="SHOP",
    expected_per_partition={"gsi1": 20},
)
class Shop(BaseModel):
    """Geo: a place, indexed by its geohash cell."""

    id: str
    name: str
    latitude: float
    longitude: float


@entity(
    key=("STATION#{id}", "META"),
    gsi1=("GEO2#{cell}", "{latitude:number}#{longitude:number}#{id}"),
    derived={"cell": geohash("latitude", "longitude", precision=2)},
    name="STATION",
    expected_per_partition={"gsi1": 20},
)
class Station(BaseModel):
    """Geo: a research station; stations are rare, so the cells are 600 km high, and 32 cells meet at a pole."""

    id: str
    name: str
    latitude: float
    longitude: float


class Guide(
    Table,
    entities=[User, Address, Order, Membership, Event, Node, Shop, Station],
    name="AppTable",
    type_attribute="Type",
    indexes=[GSI("gsi2", projection=KEYS_ONLY)],
):
    """The access patterns P1 to P10, and the other patterns of the worksheet."""

    @pattern(frequency="very high", budget_ms=10)
    def profile(self, id: str) -> User | None:
        """P1: get user profile by ID."""
        return get(User)

    @pattern(frequency="high", budget_ms=20)
    def addresses(self, user_id: str) -> Page[Address]:
        """P2: get all addresses for a user."""
        return query(Address)

    @pattern(frequency="high", budget_ms=30)
    def latest_orders(self, user_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[Order]:
        """P3: get the latest N orders for a user."""
        return query(Order, newest_first=True)

    @pattern(frequency="high", budget_ms=30)
    def recent_orders(
        self, user_id: str, placed_on: Since[date], *, limit: int = 10, cursor: str | None = None
    ) -> Page[Order]:
        """List a user's last 10 orders of the last 30 days."""
        return query(Order, newest_first=True)

    @pattern(frequency="medium", budget_ms=50)
    def open_orders(self, *, limit: int = 100, cursor: str | None = None) -> Page[Order]:
        """List the open orders of all users, longest waiting first."""
        return query(Order, where=lambda order: exists(order.open_since))

    @pattern(frequency="medium", budget_ms=50)
    def whole_user(self, user_id: str) -> WholeUser | None:
        """Get a user with addresses, orders and groups."""
        return collection(WholeUser)

    @pattern(frequency="medium", budget_ms=30)
    def groups_of_user(self, user_id: str) -> Page[Membership]:
        """P4: list all groups a user belongs to."""
        return query(Membership)

    @pattern(frequency="medium", budget_ms=30)
    def users_in_group(self, group_id: str) -> Page[Membership]:
        """P5: list all users in a group."""
        return query(Membership)

    @pattern(frequency="medium", budget_ms=30, entry="Group")
    def members_by_join_date(self, group_id: str) -> Page[Membership]:
        """Get all members of a group, by join date."""
        return query(Membership, order_by=lambda membership: membership.joined_on)

    @pattern(frequency="medium", budget_ms=30)
    def latest_events(
        self, device_id: str, at: Since[datetime], *, limit: int = 100, cursor: str | None = None
    ) -> Page[Event]:
        """P6: latest events for a given device."""
        return query(Event, newest_first=True)

    @pattern(frequency="low", budget_ms=100)
    def events_of_kind(
        self, kind: str, at: Between[datetime], *, limit: int = 100, cursor: str | None = None
    ) -> Page[Event]:
        """P7: all events of a type within a time range, across devices."""
        return query(Event)

    @pattern(rate=500)
    def report(self, event: Event) -> Event:
        """Store an event of a device."""
        return put(Event)

    @pattern(frequency="low", budget_ms=100, expected_items=12, expected_examined=60)
    def node_with_children(self, org: str, path: Subtree[tuple[str, ...]], deepest: int) -> Page[Node]:
        """P8: get a node and its direct children, by reading the subtree."""
        return query(Node, filter=lambda node: node.depth <= deepest)

    @pattern(frequency="medium", budget_ms=30, expected_items=11)
    def children(self, org: str, path: Children[tuple[str, ...]]) -> Page[Node]:
        """P8: get the direct children of a node, without the grandchildren."""
        return query(Node)

    @pattern(frequency="low", budget_ms=100, expected_items=60)
    def subtree(self, org: str, path: Subtree[tuple[str, ...]]) -> Page[Node]:
        """P9: get an entire subtree."""
        return query(Node)

    @pattern(frequency="medium", budget_ms=30, fanout=12)
    def breadcrumbs(self, org: str, path: tuple[str, ...]) -> list[Node]:
        """Get the nodes from the root down to a node."""
        return ancestors(Node)

    @pattern(frequency="medium", budget_ms=50, entry="Geo", fanout=24)
    def shops_near(self, area: Radius) -> list[Shop]:
        """P10: find points of interest near a place."""
        return within(Shop)

    @pattern(frequency="medium", budget_ms=50, entry="Geo", fanout=24)
    def shops_on_map(self, area: Box) -> list[Shop]:
        """P10 on a screen: find the shops in a part of a map."""
        return within(Shop)

    @pattern(frequency="medium", budget_ms=50, entry="Geo", fanout=40)
    def nearest_shops(self, area: Nearest) -> list[Shop]:
        """P10 by number: find the shops nearest to a place."""
        return within(Shop)

    @pattern(frequency="low", budget_ms=100, entry="Geo", fanout=64)
    def stations_near(self, area: Radius) -> list[Station]:
        """P10 for few places and long distances: find research stations around a place."""
        return within(Station)


@entity(
    key=("DEVICE#{device_id}", "EVT#{at:seconds}#{id}"),
    gsi1=("EVTTYPE#{kind}#{shard}", "{at:seconds}#{device_id}#{id}"),
    derived={"shard": shard("id", of=10)},
    attributes={"expires_at": "expiresAt"},
    ttl="expires_at",
    name="EVENT",
)
class ShardedEvent(BaseModel):
    """An event with a write shard for frequent event types, and with an expiry time."""

    device_id: str
    id: str
    at: datetime
    kind: str
    value: Decimal
    expires_at: int


class Telemetry(Table, entities=[ShardedEvent], type_attribute="Type"):
    """The access patterns P6 and P7, with write shards."""

    @pattern(frequency="medium", budget_ms=30)
    def latest_events(self, device_id: str, *, limit: int = 100, cursor: str | None = None) -> Page[ShardedEvent]:
        """P6: latest events for a given device."""
        return query(ShardedEvent, newest_first=True)

    @pattern(frequency="low", budget_ms=100, fanout=10)
    def events_of_kind(
        self, kind: str, at: Between[datetime], *, limit: int = 100, cursor: str | None = None
    ) -> Page[ShardedEvent]:
        """P7: all events of a type within a time range, from every shard."""
        return query(ShardedEvent)

    @pattern(rate=5000)
    def report(self, event: ShardedEvent) -> ShardedEvent:
        """Store an event of a device."""
        return put(ShardedEvent)
