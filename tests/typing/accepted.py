"""Correct use of a table, with the types that both checkers must infer; imported and type-checked, never called."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypedDict, assert_type

import attrs
import msgspec
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pydantic import BaseModel

from singletable import (
    GSI,
    KEYS_ONLY,
    BatchResult,
    Between,
    Box,
    ChangeEvent,
    ItemRefused,
    Key,
    Nearest,
    Page,
    Prefix,
    Radius,
    Since,
    Subtree,
    Table,
    TransactionCancelled,
    UnreadableItem,
    UnreadableItemWarning,
    Until,
    ancestors,
    begins_with,
    codec,
    collection,
    contains,
    count,
    create,
    delete,
    entity,
    exists,
    field,
    geohash,
    get,
    include,
    inverse,
    key,
    not_,
    on,
    one_of,
    pattern,
    present,
    put,
    query,
    update,
    upgrade,
    within,
)
from singletable.client.pattern import BoundPattern
from singletable.consolidation import ShadowReads, old_read
from singletable.model.design import Design
from singletable.model.type_codecs import TypeCodec
from singletable.model.update_changes import FieldChange, FieldReference
from singletable.planner.explanation import Explanation
from singletable.planner.plan import Outcome
from singletable.streams import lambda_handler
from singletable.testing import (
    OpenTables,
    RecordedUsage,
    StreamRunner,
    items_of,
    measure,
    objects_of,
    table_fixture,
    uses,
    uses_at_most,
)


@entity(key=("CUST#{id}", "METADATA"), gsi1=("CUSTOMER", "{created_at:seconds}#{id}"))
class Customer(BaseModel):
    id: str
    name: str
    created_at: datetime


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "ORDER#{created_at:seconds}#{id}"))
class Order(BaseModel):
    id: str
    customer_id: str
    status: Literal["PENDING", "PAID", "SHIPPED"]
    total: Decimal
    gift: bool
    tags: list[str]
    note: str | None = None
    created_at: datetime


@entity(key=("ORDER#{order_id}", "ITEM#{sku}"), gsi1=("PRODUCT#{sku}", "ORDER#{order_id}"))
@dataclass(frozen=True)
class OrderItem:
    order_id: str
    sku: str
    quantity: int
    price: Decimal


@entity(
    key=("PRODUCT#{sku}", "METADATA"),
    gsi2=("SHOP#{shop}", "{category}"),
    gsi3=("SHOP#{shop}", "{name}#{sku}"),
)
class Product(msgspec.Struct, frozen=True):
    sku: str
    shop: str
    name: str
    category: tuple[str, ...]
    price: Decimal
    stock: int = 0


@entity(
    key=("STORE#{id}", "METADATA"),
    gsi2=("CELL#{cell}", "{id}"),
    derived={"cell": geohash("latitude", "longitude", precision=5)},
)
@attrs.frozen
class Store:
    id: str
    latitude: float
    longitude: float
    staff: int


@entity(key=("PROJECT#{id}", "METADATA"))
@dataclass
class Project:
    id: str
    tickets: int = 0
    open_tickets: int = 0
    urgent_tickets: int = 0


def is_urgent(ticket: "Ticket") -> bool:
    return (ticket.status == "OPEN") & (ticket.points > 5)


@entity(
    key=("PROJECT#{project_id}", "TICKET#{id}"),
    counted=[
        count(Project, by={"id": "project_id"}, field="tickets"),
        count(
            Project,
            by={"id": "project_id"},
            field="open_tickets",
            where=lambda t: (t.status == "OPEN") & exists(t.assignee) & not_(contains(t.tags, "spam")),
        ),
        count(Project, by={"id": "project_id"}, field="urgent_tickets", where=is_urgent),
    ],
)
@dataclass
class Ticket:
    project_id: str
    id: str
    status: Literal["OPEN", "CLOSED"]
    points: int
    tags: list[str]
    assignee: str | None = None


class Desk(Table, entities=[Project, Ticket]):
    @pattern()
    def tickets(self, project_id: str) -> Page[Ticket]:
        return query(Ticket)


@dataclass(frozen=True)
class WholeOrder:
    order: Order
    items: list[OrderItem]


class ProductLine(msgspec.Struct, frozen=True):
    sku: str
    name: str
    price: Decimal


@attrs.frozen
class StaffOfStore:
    id: str
    staff: int


class Shop(
    Table,
    entities=[Customer, Order, OrderItem, Product, Store],
    name="shop",
    keys=("PK", "SK"),
    indexes=[GSI("gsi3", name="by-name", projection=include("price"))],
    accept={"ST110": "an order has a few dozen items"},
):
    @pattern(frequency="very high", budget_ms=10)
    def customer(self, id: str) -> Customer | None:
        """One customer."""
        return get(Customer)

    @pattern(frequency=0.5, expected_items=50)
    def customers_between(self, created_at: Between[datetime]) -> Page[Customer]:
        """The customers who signed up in a period."""
        return query(Customer, order_by=lambda c: c.created_at)

    @pattern(frequency="high", entry=Customer)
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """A customer's orders, newest first."""
        return query(Order, newest_first=True)

    @pattern(entry="Customer", expected_examined=100)
    def orders_since(self, customer_id: str, created_at: Since[datetime], most: int) -> Page[Order]:
        """The orders of a customer since a time."""
        return query(Order, limit=most)

    @pattern()
    def orders_until(self, customer_id: str, created_at: Until[datetime], minimum: Decimal) -> Page[Order]:
        """The large pending orders of a customer."""
        return query(
            Order,
            filter=lambda o: (
                ((o.status == "PENDING") | one_of(o.status, "PAID", "SHIPPED"))
                & (o.total >= minimum)
                & (o.total > 5)
                & (o.total != Decimal(7))
                & (present(o.note) > "a")
                & not_((o.total == 6) & exists(o.note))
                & (exists(o.note) | begins_with(o.note, "urgent") | contains(o.tags, "urgent"))
                & o.gift
            ),
        )

    @pattern()
    def whole_order(self, order_id: str) -> WholeOrder | None:
        """An order with its items."""
        return collection(WholeOrder)

    @pattern()
    def orders_with_product(self, sku: str) -> Page[OrderItem]:
        """The items of a product in all orders."""
        return query(OrderItem)

    @pattern()
    def product(self, sku: str) -> Product | None:
        """One product."""
        return get(Product, consistent=True)

    @pattern()
    def products_below(self, shop: str, category: Subtree[tuple[str, ...]]) -> Page[Product]:
        """The products of a category and of all those below it."""
        return query(Product)

    @pattern()
    def products_named(self, shop: str, name: Prefix[str]) -> Page[ProductLine]:
        """Products whose name starts with a text."""
        return query(Product, view=ProductLine, filter=lambda p: p.price > 1)

    @pattern(fanout=30)
    def stores_near(self, area: Radius) -> list[Store]:
        """The open stores around a location, nearest first."""
        return within(Store, filter=lambda s: s.staff >= 1)

    @pattern(fanout=30)
    def stores_on_a_map(self, area: Box) -> list[Store]:
        """The stores in a part of a map."""
        return within(Store)

    @pattern(fanout=30)
    def nearest_stores(self, area: Nearest) -> list[Store]:
        """The stores nearest to a location."""
        return within(Store)

    @pattern()
    def staff_of_store(self, id: str) -> StaffOfStore | None:
        """The number of employees of a store."""
        return get(Store, view=StaffOfStore)

    @pattern()
    def first_store(self) -> Store | None:
        """The first store."""
        return get(Store, where=lambda s: s.id == "first")

    @pattern(rate=50)
    def place(self, order: Order) -> Order:
        """Write a new order."""
        return create(Order)

    @pattern(rate=1.5)
    def save_product(self, product: Product) -> Product:
        """Create or replace a product."""
        return put(Product)

    @pattern(rate=50)
    def ship(self, id: str, note: str) -> Order:
        """Mark an order as shipped."""
        return update(
            Order,
            field(Order, lambda o: o.status).set("SHIPPED"),
            field(Order, lambda o: o.note).set(note),
            field(Order, lambda o: o.total).add(Decimal("4.50")),
            where=lambda o: (o.status == "PAID") & (o.total > 5),
        )

    @pattern(rate=50)
    def restock(self, sku: str, quantity: int) -> Product:
        """Add to the stock of a product."""
        return update(Product, field(Product, lambda p: p.stock).add(quantity))

    @pattern()
    def remove_product(self, sku: str) -> Product | None:
        """Delete a product that is sold out."""
        return delete(Product, where=lambda p: p.stock == 0)


def decorated_classes_keep_their_type(moment: datetime) -> None:
    assert_type(Customer(id="c1", name="Ada", created_at=moment), Customer)
    assert_type(OrderItem("o1", "s1", 2, Decimal(3)).quantity, int)
    assert_type(Product("s1", "main", "Tea", ("food", "tea"), Decimal(3)).category, tuple[str, ...])
    assert_type(Store(id="st1", latitude=52.5, longitude=13.4, staff=3).staff, int)


def a_get_returns_an_entity_or_none(shop: Shop) -> None:
    assert_type(shop.customer("c1"), Customer | None)
    assert_type(shop.customer(id="c1"), Customer | None)
    assert_type(Shop.customer("c1"), Customer | None)
    assert_type(shop.product("s1"), Product | None)
    assert_type(shop.staff_of_store("st1"), StaffOfStore | None)
    assert_type(shop.first_store(), Store | None)
    customer = shop.customer("c1")
    if customer is not None:
        assert_type(customer.name, str)


def a_query_returns_a_page(shop: Shop) -> None:
    assert_type(shop.orders_of_customer("c1"), Page[Order])
    assert_type(Shop.orders_of_customer("c1"), Page[Order])
    assert_type(shop.orders_of_customer("c1", limit=5), Page[Order])
    page = shop.orders_of_customer(customer_id="c1", limit=5, cursor=None)
    assert_type(page.cursor, str | None)
    assert_type(page.previous, str | None)
    assert_type(shop.orders_of_customer("c1", cursor=page.cursor), Page[Order])
    assert_type(page.items[0], Order)
    assert_type([order.total for order in page], list[Decimal])
    assert_type(len(page), int)
    for order in Shop.orders_of_customer("c1"):
        assert_type(order, Order)
    for item in shop.orders_with_product("s1"):
        assert_type(item, OrderItem)


def a_page_of_a_subclass_is_a_page_of_its_base(shop: Shop) -> Page[BaseModel]:
    return shop.orders_of_customer("c1")


def ranges_are_passed_as_arguments(shop: Shop, moment: datetime) -> None:
    assert_type(shop.customers_between(Between(moment, moment)), Page[Customer])
    assert_type(shop.customers_between(created_at=Between[datetime](low=moment, high=moment)), Page[Customer])
    assert_type(shop.orders_since("c1", Since(moment), 10), Page[Order])
    assert_type(shop.orders_until("c1", Until(moment), minimum=Decimal(100)), Page[Order])
    assert_type(shop.products_below("main", Subtree(("food", "tea"))), Page[Product])
    assert_type(shop.products_named("main", Prefix("Te")), Page[ProductLine])
    assert_type(shop.stores_near(Radius(52.5, 13.4, meters=2_000)), list[Store])
    assert_type(shop.stores_on_a_map(Box(52.4, 13.3, north=52.6, east=13.5)), list[Store])
    assert_type(shop.nearest_stores(Nearest(52.5, 13.4, 3, meters=2_000)), list[Store])


def a_collection_returns_its_shape(shop: Shop) -> None:
    assert_type(shop.whole_order("o1"), WholeOrder | None)
    whole = Shop.whole_order(order_id="o1")
    if whole is not None:
        assert_type(whole.order, Order)
        assert_type(whole.items, list[OrderItem])


def a_write_returns_its_entity(shop: Shop, order: Order, product: Product) -> None:
    assert_type(shop.place(order), Order)
    assert_type(Shop.save_product(product=product), Product)
    assert_type(shop.ship("o1", note="left at the door"), Order)
    assert_type(shop.restock("s1", 12), Product)
    assert_type(shop.remove_product("s1"), Product | None)


def single_writes_return_objects(shop: Shop, order: Order) -> None:
    assert_type(shop.put(order), Order)
    assert_type(shop.update(key(Order, id="o1"), field(Order, lambda o: o.total).add(5)), Order)
    assert_type(shop.update(order, field(Order, lambda o: o.note).set(None), where=lambda o: o.total > 5), Order)
    assert_type(shop.delete(key(Order, id="o1"), where=lambda o: o.total > 5), Order | None)
    assert_type(shop.delete(order), Order | None)
    assert_type(shop.move(order, order), Order)
    assert_type(shop.move_subtree(key(Product, sku="s1"), to=("tea", "green")), int)
    shop.move_subtree(
        key(Product, sku="s1"),
        to=("tea",),
        change=lambda p: Product(p.sku, p.shop, p.name, p.category, p.price),
        progress=lambda so_far: print(so_far.written),
    )
    assert_type(inverse("gsi9", name="edges", projection=KEYS_ONLY), GSI)
    assert_type(shop.edit(key(Order, id="o1"), lambda o: o), Order)


async def transactions_take_writes(shop: Shop, order: Order) -> None:
    with shop.transaction(token="t") as tx:
        tx.put(order)
        tx.update(key(Order, id="o1"), field(Order, lambda o: o.total).add(5), where=lambda o: o.total > 5)
        tx.delete(order)
        tx.check(key(Order, id="o2"), where=lambda o: o.total > 5)
        tx.move(order, order)
    async with shop.aio.transaction() as awaited:
        awaited.create(order)
    try:
        pass
    except TransactionCancelled as cancelled:
        assert_type(cancelled.reasons[0].error, Exception | None)


def explain_takes_the_arguments_of_its_pattern(shop: Shop, order: Order, moment: datetime) -> None:
    assert_type(shop.customer.explain("c1"), Explanation)
    assert_type(Shop.orders_of_customer.explain("c1", limit=5, cursor=None), Explanation)
    assert_type(Shop.customers_between.explain(created_at=Between(moment, moment)), Explanation)
    assert_type(Shop.place.explain(order), Explanation)
    assert_type(Shop.stores_near.plan, Outcome)
    assert_type(Shop.design, Design)
    by_id: BoundPattern[[str], Customer | None] = shop.customer
    assert_type(by_id("c1"), Customer | None)


def a_field_has_the_type_of_its_entity_and_value() -> None:
    assert_type(field(Order, lambda o: o.total), FieldReference[Order, Decimal])
    assert_type(field(Order, lambda o: o.total).add(Decimal("4.50")), FieldChange[Order])
    assert_type(field(Order, lambda o: o.total).add(5), FieldChange[Order])
    assert_type(field(Product, lambda p: p.stock).add(1), FieldChange[Product])
    assert_type(field(OrderItem, lambda i: i.price).set(Decimal(2)), FieldChange[OrderItem])
    assert_type(field(Store, lambda s: s.latitude).add(1), FieldChange[Store])
    assert_type(field(Order, lambda o: o.note).set(None), FieldChange[Order])
    assert_type(field(Order, lambda o: o.note).remove(), FieldChange[Order])
    assert_type(field(Order, lambda o: o.tags).append(["urgent"]), FieldChange[Order])


def a_body_has_the_type_of_its_result() -> None:
    assert_type(get(Customer), Customer | None)
    assert_type(query(Product, where=lambda p: (p.shop == "main") & (p.sku == "s1")), Page[Product])
    assert_type(query(Order, hydrate=True, filter=lambda o: o.total > o.total), Page[Order])
    assert_type(query(Product, view=ProductLine, limit=3), Page[ProductLine])
    assert_type(collection(WholeOrder, newest_first=True, limit=10), WholeOrder | None)
    assert_type(within(Store), list[Store])
    assert_type(ancestors(Product, consistent=True), list[Product])
    assert_type(put(OrderItem), OrderItem)
    assert_type(create(Store), Store)
    assert_type(update(Store, field(Store, lambda s: s.staff).set(0)), Store)
    assert_type(delete(OrderItem), OrderItem | None)


def get_many_keeps_the_order_of_keys(shop: Shop) -> None:
    assert_type(shop.get_many([key(Order, id="o1"), key(Order, id="o2")]), list[Order | None])
    assert_type(shop.get_many((key(Order, id=id) for id in "ab"), transaction=True), list[Order | None])
    mixed: list[Key[Order | Customer]] = [key(Order, id="o1"), key(Customer, id="c1")]
    assert_type(shop.get_many(mixed, consistent=True), list[Order | Customer | None])


def batches_report_failures(shop: Shop, orders: list[Order], items: Iterator[OrderItem]) -> None:
    result = shop.put_many(orders, progress=lambda so_far: print(so_far.written))
    assert_type(result, BatchResult[Order])
    assert_type([failure.value.total for failure in result.failed], list[Decimal])
    assert_type(shop.put_many(items).written, int)
    mixed: list[Order | OrderItem] = [*orders, *items]
    assert_type(shop.put_many(mixed), BatchResult[Order | OrderItem])
    targets: list[Order | Key[Order]] = [*orders, key(Order, id="o1")]
    assert_type(shop.delete_many(targets), BatchResult[Order | Key[Order]])
    assert_type(shop.delete_many(shop.orders_of_customer.all("c1")).written, int)


def a_scan_yields_objects(shop: Shop) -> None:
    assert_type([order.total for order in shop.scan(Order, reason="export", segments=4)], list[Decimal])
    for each in shop.scan(reason="export"):
        assert_type(each, object)
        if isinstance(each, Order):
            assert_type(each.total, Decimal)


def unreadable_items_are_typed() -> None:
    shop = Shop.open("memory:", unreadable="report")
    page = shop.orders_of_customer("c1")
    assert_type(page.items, Sequence[Order])
    assert_type(page.unreadable, tuple[UnreadableItem, ...])
    for each in page.unreadable:
        assert_type(each.key, Mapping[str, Any])
        assert_type(each.item, Mapping[str, Any])
        assert_type(each.error, ItemRefused)
        assert_type(each.reason, str)
    assert_type(UnreadableItemWarning("left out").unreadable, UnreadableItem | None)
    assert_type(Shop.open("memory:", unreadable="raise"), Shop)


async def batches_can_be_awaited(shop: Shop) -> None:
    assert_type([order.total async for order in shop.scan(Order, reason="export")], list[Decimal])
    assert_type(await shop.aio.move_subtree(key(Product, sku="s1"), to=("tea",)), int)
    assert_type(await shop.aio.put_many([Product("s1", "main", "Tea", (), Decimal(3))]), BatchResult[Product])
    assert_type((await shop.aio.delete_many([key(Order, id="o1")])).written, int)
    assert_type(await shop.aio.get_many([key(Order, id="o1")]), list[Order | None])


@dataclass
class Rank:
    level: int

    def __str__(self) -> str:
        return str(self.level)

    @classmethod
    def parse(cls, text: str) -> "Rank":
        """Return the rank that a text describes."""
        return cls(int(text))


@entity(key=("WALL#{wall}", "{at}#POST"), codecs=[codec(Rank, to=str, of=Rank.parse)])
class Post(BaseModel):
    wall: str
    at: datetime
    rank: Rank


@entity(key=("WALL#{wall}", "{at}#PHOTO"))
class Photo(BaseModel):
    wall: str
    at: datetime


class Walls(Table, entities=[Post, Photo]):
    @pattern
    def feed(self, wall: str, *, limit: int = 20) -> Page[Post | Photo]:
        """The feed of a wall."""
        return query(Post, Photo, newest_first=True)


def a_feed_has_the_types_of_its_entities(walls: Walls) -> None:
    assert_type(walls.feed("w"), Page[Post | Photo])
    for each in walls.feed.all("w"):
        assert_type(each, Post | Photo)
    assert_type(codec(Rank, to=lambda rank: rank.level, of=Rank, stored=int), TypeCodec[Rank, int])


@entity(key=("PARCEL#{id}", "METADATA"), schema_version=4)
class Parcel(BaseModel):
    id: str
    street: str
    town: str
    grams: int


class FirstParcel(TypedDict):
    id: str
    address: str
    weight: str


class SecondParcel(TypedDict):
    id: str
    address: str
    grams: int


@upgrade(Parcel, from_version=1)
def weigh_in_grams(item: FirstParcel) -> SecondParcel:
    return {"id": item["id"], "address": item["address"], "grams": int(item["weight"]) * 1000}


@upgrade(Parcel, from_version=2)
def split_the_address(item: dict[str, Any]) -> dict[str, Any]:
    item["street"], _, item["town"] = item.pop("address").partition(", ")
    return item


@upgrade(Parcel, from_version=3)
def shout(item: dict[str, str]) -> dict[str, str | int]:
    return {**item, "town": item["town"].upper(), "grams": 1}


def an_upgrade_keeps_its_type(first: FirstParcel) -> None:
    assert_type(weigh_in_grams(first), SecondParcel)
    assert_type(split_the_address({"address": "Main St, Town"}), dict[str, Any])


stocked_shop = table_fixture(Shop, items=lambda: [Customer.model_validate({})], url="memory:", scope="module")


def a_test_fixture_opens_typed_tables(open_table: OpenTables, customer: Customer) -> None:
    assert_type(open_table(Shop), Shop)
    assert_type(open_table(Shop, items=[customer], url="file:shop.db"), Shop)


def strategies_generate_typed_objects() -> None:
    assert_type(objects_of(Shop, Customer), SearchStrategy[Customer])
    assert_type(objects_of(Shop, Order, total=st.just(Decimal(5))), SearchStrategy[Order])
    assert_type(items_of(Shop, max_size=5), SearchStrategy[list[Any]])


async def used_by_is_typed(shop: Shop) -> None:
    with uses(shop, requests=1, read_units=0.5):
        await shop.customer.aio("c1")
    with uses_at_most(shop, write_units=4) as used:
        shop.customer("c1")
    assert_type(used, RecordedUsage)
    with measure(shop) as counted:
        shop.customer("c1")
    assert_type(counted.requests, int)
    assert_type(counted.read_units, float)
    assert_type(counted.operations, list[str])


@on(Order, "insert")
def placed(old: None, new: Order) -> str:
    return new.id


@on(Order, "modify", where=lambda event: "status" in event.changed)
async def changed(old: Order, new: Order, event: ChangeEvent[Order]) -> None:
    assert_type(event.old, Order | None)
    assert_type(event.changed, frozenset[str])
    assert_type(event.table(Shop), Shop)
    async with event.transaction() as tx:
        tx.put(new)


@on(Order, "remove", "expire")
def gone(old: Order, new: None) -> None: ...


@on(Order, Customer, "insert", "modify", "remove")
def any_change(old: Order | Customer | None, new: Order | Customer | None) -> None: ...


@on(Order, "insert", "expire", batch=True)
def counted(events: Sequence[ChangeEvent[Order]]) -> int:
    assert_type(events[0].new, Order | None)
    return len(events)


class StreamedShop(Table, entities=[Customer, Order], handlers=[placed, changed, gone, any_change, counted]):
    """A table with stream handlers."""


def handlers_keep_their_types(order: Order) -> None:
    assert_type(placed(None, order), str)
    assert_type(lambda_handler(StreamedShop)({"Records": []}, None), dict[str, Any])
    with StreamedShop.open("memory:") as shop:
        assert_type(StreamRunner(shop, shard_records=5).run().delivered, int)


class ShopReads(ShadowReads):
    """Old implementations that return objects, rows, and objects with asyncio."""

    @old_read(Shop.customer)
    def customer(self, id: str) -> Customer | None:
        return None

    @old_read(Shop.customer, convert=lambda found: None if found is None else found.name)
    def customer_name(self, id: str) -> str | None:
        return None

    @old_read(Shop.customer, mask=["name"], sample=0.5)
    async def customer_async(self, id: str) -> Customer | None:
        return None

    @old_read(Shop.customers_between)
    def customers_between(self, created_at: Between[datetime]) -> Page[Customer]:
        return Page([])


async def shadowed_reads_keep_their_types(shop: Shop) -> None:
    with ShopReads(shop) as reads:
        assert_type(reads.customer("c1"), Customer | None)
        assert_type(reads.customer(id="c1"), Customer | None)
        assert_type(reads.customer_name("c1"), str | None)
        assert_type(await reads.customer_async("c1"), Customer | None)
        assert_type(reads.drain(), bool)
