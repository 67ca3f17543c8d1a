"""Misuse of a table, one kind on each marked line; never imported.

Both checkers must report the lines marked `misuse`, one of them those marked for it alone, and neither any other line.
"""

from datetime import datetime
from decimal import Decimal

import msgspec

from singletable import (
    GSI,
    Between,
    Nearest,
    Page,
    Radius,
    Since,
    Table,
    ancestors,
    begins_with,
    collection,
    contains,
    count,
    create,
    entity,
    exists,
    field,
    get,
    inverse,
    key,
    on,
    one_of,
    pattern,
    put,
    query,
    update,
    upgrade,
    within,
)
from singletable.consolidation import ShadowReads, old_read
from singletable.testing import measure, objects_of, table_fixture, uses
from tests.typing.accepted import (
    Customer,
    Order,
    OrderItem,
    Parcel,
    Product,
    ProductLine,
    Shop,
    StaffOfStore,
    Store,
    WholeOrder,
)


def calls(shop: Shop, product: Product) -> None:
    shop.orders_of_customer()  # misuse: missing argument
    shop.orders_of_customer(custmer_id="c1")  # misuse: misspelled argument
    shop.customer(7)  # misuse: argument of another type
    shop.customer(None)  # misuse: None as an argument
    shop.orders_of_customer("c1", 20)  # misuse: too many positional arguments
    shop.orders_of_customer("c1", limit="20")  # misuse: option of another type
    shop.customer("c1", consistent=True)  # misuse: option that is not in the signature
    Shop.customer(shop, "c1")  # misuse: instance handed to the class's pattern
    shop.custmer("c1")  # misuse: unknown pattern
    Shop.custmer("c1")  # misuse: unknown pattern of the class
    shop.place(product)  # misuse: write of another entity


def ranges(shop: Shop, moment: datetime) -> None:
    shop.customers_between(Between("2026-01-01", "2026-01-31"))  # misuse: range of another type
    shop.customers_between(Between(moment, "2026-01-31"))  # misuse: range whose ends differ in type
    shop.customers_between(Between(moment))  # misuse: range without an end
    shop.customers_between(Since(moment))  # misuse: another kind of range
    shop.customers_between(moment)  # misuse: value in place of a range
    shop.customer(Between("a", "b"))  # misuse: range in place of a value


def results(shop: Shop, whole: WholeOrder, order: Order) -> None:
    print(shop.customer("c1").name)  # misuse: optional entity used unchecked
    print(shop.whole_order("o1").items)  # misuse: optional collection used unchecked
    print(whole.lines)  # misuse: unknown member of a collection
    print(whole.items[0].total)  # misuse: field of another member
    print(shop.orders_of_customer("c1")[0])  # misuse: page indexed like a list
    shop.orders_of_customer("c1").items.append(order)  # misuse: page changed
    print([order.name for order in shop.orders_of_customer("c1")])  # misuse: unknown field of a page's items
    print(shop.products_named("main", "Te").items)  # misuse: text in place of a prefix


def page_of_another_entity(shop: Shop) -> Page[Customer]:
    return shop.orders_of_customer("c1")  # misuse: page of another entity


def list_of_another_entity(shop: Shop) -> list[Customer]:
    return list(shop.orders_of_customer("c1"))  # misuse: page listed as another entity


def page_as_a_list(shop: Shop) -> list[Order]:
    return shop.orders_of_customer("c1")  # misuse: page in place of a list


def view_as_the_entity(shop: Shop) -> Store | None:
    return shop.staff_of_store("st1")  # misuse: view in place of the entity


async def awaited(shop: Shop) -> None:
    await shop.customer("c1")  # misuse: result awaited


def explanations(shop: Shop, moment: datetime) -> None:
    shop.customer.explain()  # misuse: explain without the argument
    shop.customer.explain(7)  # misuse: explain with another type
    shop.customer.explain(customer_id="c1")  # misuse: explain with an unknown argument
    Shop.customers_between.explain(moment, moment)  # misuse: explain with too many arguments
    shop.customer.explian("c1")  # misuse: unknown method of a pattern
    shop.customer.plan()  # misuse: plan called


class Bodies(Table, entities=[Customer, Order, OrderItem, Product, Store]):
    @pattern()
    def get_of_another_entity(self, id: str) -> Customer | None:
        return get(Order)  # misuse: body reads another entity

    @pattern()
    def get_without_none(self, id: str) -> Customer:
        return get(Customer)  # misuse: get annotated without None

    @pattern()
    def query_of_another_entity(self, sku: str) -> Page[Order]:
        return query(OrderItem)  # misuse: body queries another entity

    @pattern()
    def query_of_one(self, id: str) -> Customer | None:
        return query(Customer)  # misuse: page annotated as one entity

    @pattern()
    def query_of_a_list(self, sku: str) -> list[OrderItem]:
        return query(OrderItem)  # misuse: page annotated as a list

    @pattern()
    def feed_of_fewer_entities(self, id: str) -> Page[Customer]:
        return query(Customer, Order)  # misuse: feed annotated with one of its entities

    @pattern()
    def feed_of_other_entities(self, id: str) -> Page[Customer | Product]:
        return query(Customer, Order)  # misuse: feed annotated with another entity

    @pattern()
    def filtered_feed(self, id: str) -> Page[Customer | Order]:
        return query(Customer, Order, filter=lambda each: True)  # misuse: filter of a feed

    @pattern()
    def query_without_its_view(self, shop: str) -> Page[Product]:
        return query(Product, view=ProductLine)  # misuse: view annotated as the entity

    @pattern()
    def query_of_another_view(self, shop: str) -> Page[ProductLine]:
        return query(Product, view=StaffOfStore)  # misuse: view of another class

    @pattern()
    def get_of_another_view(self, id: str) -> StaffOfStore | None:
        return get(Store, view=ProductLine)  # misuse: get of another view

    @pattern()
    def hydrated_view(self, shop: str) -> Page[ProductLine]:
        return query(Product, view=ProductLine, hydrate=True)  # misuse: view that is hydrated

    @pattern()
    def another_shape(self, order_id: str) -> WholeOrder | None:
        return collection(Order)  # misuse: collection of another shape

    @pattern()
    def page_within(self, shop: str) -> Page[Store]:
        return within(Store)  # misuse: area annotated as a page

    @pattern(fanout=9)
    def ancestors_of_another_entity(self, shop: str, category: tuple[str, ...]) -> list[Product]:
        return ancestors(Order)  # misuse: ancestors of another entity

    @pattern(fanout=9)
    def page_of_ancestors(self, shop: str, category: tuple[str, ...]) -> Page[Product]:
        return ancestors(Product)  # misuse: ancestors annotated as a page

    @pattern()
    def put_of_another_entity(self, order: Order) -> Order:
        return put(Product)  # misuse: body puts another entity

    @pattern()
    def intent_not_returned(self, order: Order) -> Order:  # misuse: body without a result
        create(Order)

    @pattern()
    def update_of_another_entity(self, sku: str) -> Product:
        return update(Product, field(OrderItem, lambda i: i.quantity).set(1))  # misuse: change of another entity

    @pattern()
    def parameter_as_another_type(self, customer_id: str, most: str) -> Page[Order]:
        return query(Order, limit=most)  # misuse: parameter used as another type


def conditions(minimum: str) -> None:
    query(Order, filter=lambda o: o.state == "PAID")  # misuse: unknown field in filter=
    get(Order, where=lambda o: o.order_id == "o1")  # misuse: unknown field in where=
    query(Order, order_by=lambda o: o.date)  # misuse: unknown field in order_by=
    within(Store, filter=lambda s: exists(s.cell))  # misuse: derived value in filter=
    query(Order, filter=lambda o: o.status == "SHIPED")  # misuse: misspelled constant
    query(Order, filter=lambda o: o.customer_id == 7)  # misuse: field equal to another type
    query(Order, filter=lambda o: o.total > "5")  # misuse: field compared with another type
    query(Order, filter=lambda o: o.total > minimum)  # misuse: field compared with a parameter of another type
    query(Order, filter=lambda o: contains(o.total, "5"))  # misuse: contains() on a number
    query(Order, filter=lambda o: begins_with(o.customer_id, b"c"))  # misuse: bytes as a prefix of text
    query(Order, filter=lambda o: o.note)  # misuse: field that is not a condition
    query(Order, filter=exists(Order.note))  # misuse: condition without lambda
    query(Order, newest=True)  # misuse: misspelled option of a body
    query("Order")  # misuse: name in place of the class


def changes() -> None:
    field(Order, lambda o: o.state)  # misuse: unknown field to change
    # pyright infers str for the result of a lambda, even if the field is a Literal.
    field(Order, lambda o: o.status).set("SHIPED")  # mypy alone: misspelled constant set
    field(OrderItem, lambda i: i.quantity).set("2")  # misuse: field set to another type
    field(OrderItem, lambda i: i.quantity).set(None)  # misuse: required field set to None
    field(OrderItem, lambda i: i.quantity).add(Decimal("0.5"))  # misuse: fraction added to a whole number
    field(Order, lambda o: o.total).add("5")  # misuse: text added to a number
    field(Order, lambda o: o.tags).append("urgent")  # misuse: element appended in place of a list
    field(Order, lambda o: o.customer_id).add(1)  # misuse: number added to text
    field(Order, lambda o: o.total).append(Decimal(1))  # misuse: number appended to
    update(Order, field(Order, lambda o: o.status))  # misuse: field without a change
    update(Order, status="SHIPPED")  # misuse: change as a keyword


class Options(Table, entities=[Customer]):
    @pattern(budget_ms="10")  # misuse: option of a pattern of another type
    def slow(self, id: str) -> Customer | None:
        return get(Customer)

    @pattern(frequncy="high")  # misuse: misspelled option of a pattern
    def often(self, id: str) -> Customer | None:
        return get(Customer)

    @pattern(frequency="hihg")  # misuse: misspelled frequency
    def misspelled_word(self, id: str) -> Order | None:
        return get(Order)

    @pattern("high")  # misuse: option of a pattern without its name
    def high(self, id: str) -> Customer | None:
        return get(Customer)

    @pattern(accept=["ST108"])  # misuse: finding accepted without a reason
    def accepted(self, id: str) -> Customer | None:
        return get(Customer)

    @pattern()
    def untyped(self, id) -> Customer | None:  # misuse: parameter without a type
        return get(Customer)

    # pyright infers the result from the body if the signature has no annotation.
    @pattern()
    def without_a_result_type(self, id: str):  # mypy alone: result without a type
        return get(Customer)

    @pattern()
    def range_without_a_type(self, created_at: Between) -> Page[Customer]:  # misuse: range without a type
        return query(Customer)


class NotATable:
    @pattern()
    def customer(self, id: str) -> Customer | None:
        return get(Customer)


NotATable().customer("c1")  # misuse: pattern of a class that is not a table

entity(key=("A#{id}", "B"), schema_version="1")  # misuse: option of an entity of another type
entity(key=("A#{id}", "B"), copies=[Customer])  # misuse: copies that are classes
entity(key=("A#{id}", "B"), schema_versoin=1)  # misuse: misspelled option of an entity, taken for an index
GSI("gsi1", projection="ALL")  # misuse: projection as text


class WithoutEntities(Table):  # misuse: missing entities=
    pass


class Misspelt(Table, entities=[Customer], indices=[]):  # misuse: misspelled class keyword
    pass


class OneEntity(Table, entities=Customer):  # misuse: entities= that is not a sequence
    pass


class ThreeKeys(Table, entities=[Customer], keys=("PK", "SK", "TK")):  # misuse: class keyword of another type
    pass


def batches(shop: Shop, orders: list[Order]) -> list[Customer | None]:
    shop.get_many(["o1", "o2"])  # misuse: texts in place of keys
    shop.get_many(orders)  # misuse: objects in place of keys
    print(shop.get_many([key(Order, id="o1")])[0].total)  # misuse: one of many used unchecked
    shop.put_many(Product)  # misuse: class in place of its objects
    shop.move_subtree(key(Product, sku="s1"), to="tea/green")  # misuse: text in place of a path
    shop.move_subtree(Product, to=("tea",))  # misuse: class in place of the key of a node
    shop.move_subtree(key(Product, sku="s1"), to=("tea",), change=lambda p: p.name)  # misuse: change to another type
    inverse("gsi9", keys=("SK", "PK"))  # misuse: keys of an inverse index
    shop.put_many(orders, progress=lambda so_far: print(so_far.done))  # misuse: unknown part of a progress
    print(shop.put_many(orders).failed[0].value.name)  # misuse: field of another entity in a failure
    shop.scan(Order)  # misuse: scan without a reason
    print([order.name for order in shop.scan(Order, reason="export")])  # misuse: unknown field of a scan's objects
    print([each.total for each in shop.scan(reason="export")])  # misuse: field of an object of any entity
    return shop.get_many([key(Order, id="o1")])  # misuse: many of another entity


def unreadable_items(shop: Shop) -> None:
    Shop.open("memory:", unreadable="ignore")  # misuse: unknown value of unreadable=
    print(shop.orders_of_customer("c1").unreadable[0].total)  # misuse: field of an unreadable item
    shop.orders_of_customer("c1").unreadable.clear()  # misuse: list of unreadable items changed


def single_writes(shop: Shop, order: Order) -> Customer | None:
    print(shop.put(order).name)  # misuse: field of another entity on what was put
    shop.update(key(Order, id="o1"), field(Product, lambda p: p.sku).set(""))  # misuse: field of another entity's
    shop.update(order, field(Order, lambda o: o.total).set("many"))  # misuse: change of another type
    shop.update(key(Order, id="o1"), {"total": 5})  # misuse: changes as a dict
    print(shop.delete(key(Order, id="o1")).total)  # misuse: deleted object used unchecked
    shop.delete(key(Order, id="o1"), where=lambda o: o.name == "x")  # misuse: condition on an unknown field
    shop.edit(key(Order, id="o1"), lambda o: None)  # misuse: edit that makes nothing
    shop.edit(order, lambda o: o)  # misuse: edit of an object in place of its key
    shop.create(order, overwrite=True)  # misuse: option that a write does not have
    return shop.delete(key(Order, id="o1"))  # misuse: what was deleted is another entity


async def awaited_writes(shop: Shop, order: Order) -> None:
    print(shop.aio.put(order).total)  # misuse: write that is not awaited
    await shop.put(order)  # misuse: await of a write that is not awaited
    print((await shop.aio.get(key(Order, id="o1"))).total)  # misuse: awaited object used unchecked


def transactions(shop: Shop, order: Order) -> None:
    with shop.transaction() as tx:
        tx.update(key(Order, id="o1"), field(Product, lambda p: p.stock).set(1))  # misuse: another entity in it
        tx.check(key(Order, id="o1"), where=lambda o: o.name == "x")  # misuse: check of an unknown field
        tx.query(Order)  # misuse: read in a transaction of writes
        print(tx.put(order).total)  # misuse: answer of a write in a transaction
    shop.transaction(7)  # misuse: token of another type


entity(key=("A#{id}", "B"), unique=[1])  # misuse: unique fields that are no names
entity(key=("A#{id}", "B"), counted=[Customer])  # misuse: counters that are classes
count(Customer, by={"id": "customer_id"})  # misuse: counter without its field
count(Customer, by={"id": "customer_id"}, field="orders", where="OPEN")  # misuse: condition of a counter that is a text
count(Customer, by={"id": "customer_id"}, field="orders", where=lambda: True)  # misuse: condition of no item


upgrade(Parcel)  # misuse: upgrade of no version
upgrade(Parcel, from_version="1")  # misuse: version as text
upgrade("Parcel", from_version=1)  # misuse: upgrade of a name


@upgrade(Parcel, from_version=1)  # misuse: upgrade that returns nothing
def upgrade_without_a_result(item: dict[str, str]) -> None:
    item["town"] = ""


@upgrade(Parcel, from_version=1)  # misuse: upgrade that returns an object
def upgrade_to_an_object(item: dict[str, str]) -> Parcel:
    return Parcel(id=item["id"], street="", town="", grams=0)


@upgrade(Parcel, from_version=1)  # misuse: upgrade of two arguments
def upgrade_with_a_table(shop: Shop, item: dict[str, str]) -> dict[str, str]:
    return item


Nearest(52.5, 13.4, 3)  # misuse: nearest places without a bound
Nearest(52.5, 13.4, 3, 2_000)  # misuse: bound that could be the count
Shop.stores_on_a_map.explain(Radius(52.5, 13.4, 500))  # misuse: circle in place of a box


objects_of(Order)  # misuse: objects of no table
objects_of(Shop, "Order")  # misuse: objects of a name
objects_of(Shop, Order, total=5)  # misuse: value in place of a strategy
table_fixture(Order)  # misuse: fixture of an entity
measure(Shop)  # misuse: use of a table that is not open
uses(Shop.open("memory:"), request=1)  # misuse: misspelled promise


@on(Order, "insert")  # misuse: handler of another entity
def of_a_product(old: None, new: Product) -> None: ...


@on(Order, "insert")  # misuse: handler of an insert that needs an old object
def needs_old(old: Order, new: Order) -> None: ...


@on(Order, "insert", "remove")  # misuse: handler of a removal that needs a new object
def needs_new(old: Order | None, new: Order) -> None: ...


@on(Order, "insert", batch=True)  # misuse: batch handler that takes one change
def takes_one(old: None, new: Order) -> None: ...


on(Order, "created")  # misuse: unknown kind of change


class WithoutOn(Table, entities=[Order], handlers=[print]):  # misuse: handler without @on
    """A table whose handler is a plain function."""


class WrongReads(ShadowReads):
    @old_read(Shop.customer)  # misuse: old read with another result
    def customer(self, id: str) -> Order | None:
        return None

    @old_read(Shop.customer)  # misuse: old read with another parameter
    def customer_by_name(self, name: str) -> Customer | None:
        return None

    @old_read(Shop.customer, convert=lambda found: 5)  # misuse: conversion to another result
    def customer_number(self, id: str) -> str:
        return ""

    @old_read(Shop.customer)
    def right(self, id: str) -> Customer | None:
        return None


def shadowed(reads: WrongReads) -> None:
    reads.right(5)  # misuse: shadowed read with an argument of another type
    print(reads.right("c1").name)  # misuse: shadowed read whose None is ignored


# What neither checker reports. Once one does, the line is a surplus here and becomes a misuse.


class Unnoticed(Table, entities=[Order, Product]):
    @pattern()
    def page_of_a_base(self, shop: str) -> Page[msgspec.Struct]:
        return query(Product)  # unnoticed: page of a base class

    @pattern()
    def unknown_parameter(self, order_id: str) -> Order | None:  # unnoticed: parameter that names no field
        return get(Order)

    @pattern()
    async def awaitable(self, id: str) -> Order | None:  # unnoticed: body that is a coroutine
        return get(Order)


def not_detected() -> None:
    query(Order, filter=lambda o: one_of(o.total, "5"))  # unnoticed: choice of another type
    query(Order, filter=lambda o: o.total == "5")  # unnoticed: number equal to text
    query(Order, filter=lambda o: o.status == "PAID" and o.total > 5)  # unnoticed: `and` in place of &
