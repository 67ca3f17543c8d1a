"""Schema versions: older items are upgraded when they are read, and written back as a whole when they are changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import (
    GSI,
    KEYS_ONLY,
    ConditionFailed,
    DesignError,
    ItemRefused,
    NotFound,
    Page,
    Table,
    VersionConflict,
    collection,
    delete,
    entity,
    get,
    key,
    pattern,
    query,
    update,
    upgrade,
)
from singletable import field as of
from singletable.client.tracing import RequestEvent
from singletable.model.update_changes import FieldChange
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.verify.design_check import check

PLACED = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)


@entity(
    key=("ORDER#{id}", "METADATA"),
    gsi1=("CUST#{customer_id}", "ORDER#{placed_at:seconds}#{id}"),
    attributes={"placed_at": "placedAt"},
    schema_version=3,
)
@dataclass
class Order:
    id: str
    customer_id: str
    first: str
    last: str
    placed_at: datetime
    total: Decimal = Decimal(0)
    state: str = "NEW"
    tags: list[str] = field(default_factory=list)
    note: str | None = None


@upgrade(Order, from_version=1)
def rename_customer_and_count_in_units(item: dict[str, Any]) -> dict[str, Any]:
    assert "PK" not in item
    assert "GSI2PK" not in item
    assert "schema_v" not in item
    item["customer_id"] = item.pop("customer")
    item["total"] = Decimal(item.pop("cents")) / 100
    item.pop("legacy", None)
    return item


@upgrade(Order, from_version=2)
def split_the_name(item: dict[str, Any]) -> dict[str, Any]:
    name = item.pop("name")
    first, _, last = name.partition(" ")
    # The value is text again, even if an upgrade has returned a number, because each step receives the stored form.
    placed_at = datetime.fromisoformat(item.pop("placed"))
    state = item.pop("status", "NEW")
    return {**item, "first": first, "last": last, "placed_at": placed_at, "state": state}


@entity(key=("ORDER#{order_id}", "ITEM#{sku}"), gsi2=("SKU#{sku}", "{order_id}"))
@dataclass
class OrderItem:
    order_id: str
    sku: str


@entity(key=("CUST#{id}", "METADATA"), schema_version=2, version="revision")
@dataclass
class Customer:
    id: str
    name: str
    revision: int = 0


@upgrade(Customer, from_version=1)
def begin_to_count(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "revision": 7}


@dataclass
class WholeOrder:
    order: Order
    items: list[OrderItem]


@dataclass
class NameOfOrder:
    id: str
    last: str


class Shop(Table, entities=[Order, OrderItem, Customer]):
    @pattern()
    def order(self, id: str) -> Order | None:
        return get(Order)

    @pattern()
    def name_of_order(self, id: str) -> NameOfOrder | None:
        return get(Order, view=NameOfOrder)

    @pattern()
    def whole_order(self, order_id: str) -> WholeOrder | None:
        return collection(WholeOrder)

    @pattern()
    def orders_of_customer(self, customer_id: str) -> Page[Order]:
        return query(Order)

    @pattern()
    def names_of_customer(self, customer_id: str) -> Page[NameOfOrder]:
        return query(Order, view=NameOfOrder)

    @pattern(rate=1)
    def close_new(self, id: str) -> Order:
        return update(Order, of(Order, lambda o: o.state).set("CLOSED"), where=lambda o: o.state == "NEW")

    @pattern(rate=1)
    def hand_over(self, id: str, customer_id: str) -> Order:
        return update(Order, of(Order, lambda o: o.customer_id).set(customer_id))

    @pattern(rate=1)
    def cancel_new(self, id: str) -> Order | None:
        return delete(Order, where=lambda o: o.state == "NEW")


KEY = {"PK": {"S": "ORDER#o1"}, "SK": {"S": "METADATA"}}
FIRST = {
    **KEY,
    "entity_type": {"S": "Order"},
    "GSI1PK": {"S": "CUST#c1"},
    "GSI1SK": {"S": "ORDER#2026-05-01"},
    "GSI2PK": {"S": "STATUS#NEW"},  # an index that the entity no longer has
    "GSI2SK": {"S": "o1"},
    "id": {"S": "o1"},
    "customer": {"S": "c1"},
    "name": {"S": "Ada Lovelace"},
    "status": {"S": "NEW"},
    "cents": {"N": "1250"},
    "legacy": {"BOOL": True},
    "placed": {"S": "2026-05-01T12:30:00Z"},
}
SECOND = {
    **{name: value for name, value in FIRST.items() if name not in ("customer", "cents", "legacy")},
    "customer_id": {"S": "c1"},
    "total": {"N": "12.5"},
    "schema_v": {"N": "2"},
}
NOW = Order("o1", "c1", "Ada", "Lovelace", PLACED, Decimal("12.5"))
NEWER = {**KEY, "entity_type": {"S": "Order"}, "id": {"S": "o1"}, "schema_v": {"N": "4"}}
OLDER = pytest.mark.parametrize("stored", [FIRST, {**FIRST, "schema_v": {"N": "1"}}, SECOND], ids=["none", "1", "2"])


class Opened(Shop, entities=[Order, OrderItem, Customer], name="Shop"):
    """The shop, with recorded requests."""

    requests: list[str]

    def store(self, item: dict[str, Any]) -> None:
        self.engine.call("PutItem", {"TableName": "Shop", "Item": item})

    def stored(self) -> Any:
        return self.engine.call("GetItem", {"TableName": "Shop", "Key": KEY, "ConsistentRead": True}).get("Item")

    @property
    def engine(self) -> Any:
        return self._opened().session.transport.engine  # type: ignore[attr-defined]  # the tests run on the engine


@pytest.fixture(params=["memory", "file"])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    url = "memory:" if request.param == "memory" else f"file:{tmp_path}/shop.db"
    requests: list[str] = []
    with Opened.open(url, create=True, hook=lambda watched: requests.append(watched.operation)) as opened:
        opened.requests = requests
        requests.clear()
        yield opened


def fresh(value: Order) -> Any:
    with Opened.open("memory:") as shop:
        shop.put(value)
        return shop.stored()


@OLDER
def test_upgrader_reads_an_older_item_as_a_current_object(shop: Opened, stored: dict[str, Any]) -> None:
    shop.store(stored)
    shop.put(OrderItem("o1", "s1"))
    assert shop.order("o1") == shop.get(key(Order, id="o1")) == NOW
    assert list(shop.orders_of_customer("c1")) == list(shop.orders_of_customer.all("c1")) == [NOW]
    assert shop.whole_order("o1") == WholeOrder(NOW, [OrderItem("o1", "s1")])
    assert shop.name_of_order("o1") == NameOfOrder("o1", "Lovelace")
    assert list(shop.names_of_customer("c1")) == [NameOfOrder("o1", "Lovelace")]
    assert asyncio.run(shop.order.aio("o1")) == NOW
    assert shop.stored() == stored, "a read writes nothing"


def test_the_upgrader_needs_no_extra_request_to_update_a_current_item(shop: Opened) -> None:
    shop.put(NOW)
    shop.requests.clear()
    shop.update(key(Order, id="o1"), of(Order, lambda o: o.note).set("x"))
    shop.close_new("o1")
    with pytest.raises(ConditionFailed):
        shop.close_new("o1")
    assert shop.requests == ["UpdateItem"] * 3


@OLDER
def test_the_upgrader_leaves_no_mixture_after_an_update_of_an_older_item(shop: Opened, stored: dict[str, Any]) -> None:
    shop.store({**stored, "unknown": {"S": "kept"}})
    changed = shop.update(key(Order, id="o1"), of(Order, lambda o: o.tags).append(["x"]))
    assert changed == Order("o1", "c1", "Ada", "Lovelace", PLACED, Decimal("12.5"), tags=["x"])
    assert shop.stored() == {**fresh(changed), "unknown": {"S": "kept"}}
    assert shop.requests == ["UpdateItem", "UpdateItem"]
    assert shop.order("o1") == changed


@OLDER
def test_the_upgrader_writes_correct_index_keys_in_an_update_of_an_older_item(
    shop: Opened, stored: dict[str, Any]
) -> None:
    shop.store(stored)
    changed = shop.hand_over("o1", "c2")  # the item has no datetime, which the index key also needs
    assert list(shop.orders_of_customer("c2")) == [changed]
    assert list(shop.orders_of_customer("c1")) == []
    assert shop.stored() == fresh(changed)


@OLDER
def test_the_condition_of_an_update_applies_to_the_item_of_the_upgraded_schema_version(
    shop: Opened, stored: dict[str, Any]
) -> None:
    shop.store({**stored, "status": {"S": "HELD"}})
    with pytest.raises(ConditionFailed) as failed:
        shop.close_new("o1")
    assert failed.value.item.state == "HELD"
    with pytest.raises(ConditionFailed):
        shop.cancel_new("o1")
    assert shop.stored() == {**stored, "status": {"S": "HELD"}}
    shop.store(stored)
    assert shop.close_new("o1").state == "CLOSED"
    shop.store(stored)
    assert shop.cancel_new("o1") == NOW
    assert shop.stored() is None
    with pytest.raises(NotFound):
        shop.close_new("o1")


@OLDER
def test_puts_and_upserts_write_the_current_schema_version_of_the_upgrader(
    shop: Opened, stored: dict[str, Any]
) -> None:
    shop.store(stored)
    shop.put(NOW)
    assert shop.stored() == fresh(NOW)
    shop.store({**stored, "unknown": {"S": "kept"}})
    other = Order("o1", "c2", "A", "L", PLACED)
    assert shop.upsert(other) == other
    assert shop.stored() == {**fresh(other), "unknown": {"S": "kept"}}
    shop.requests.clear()
    assert shop.upsert(NOW) == NOW
    assert shop.requests == ["UpdateItem"]
    shop.delete(NOW)
    assert shop.upsert(NOW) == NOW
    assert shop.stored() == fresh(NOW)


def test_upgrader_rejects_an_item_of_a_newer_schema_version(shop: Opened) -> None:
    shop.store(NEWER)
    words = r"ORDER#o1.*has schema version 4 of Order, but this model supports versions up to 3"
    refused: list[Callable[[], object]] = [
        lambda: shop.order("o1"),
        lambda: shop.name_of_order("o1"),
        lambda: shop.update(key(Order, id="o1"), of(Order, lambda o: o.note).set("x")),
        lambda: shop.hand_over("o1", "c2"),
        lambda: shop.upsert(NOW),
        lambda: shop.cancel_new("o1"),
    ]
    for each in refused:
        with pytest.raises(ItemRefused, match=words):
            each()
    assert shop.stored() == NEWER
    for version in ("0", "1.5", "-1"):
        shop.store({**NEWER, "schema_v": {"N": version}})
        with pytest.raises(ItemRefused, match="the invalid schema version"):
            shop.order("o1")


def test_upgrader_rejects_newer_items_at_schema_version_one_without_upgrades() -> None:
    @entity(key=("A#{id}", "B"), schema_version=1)
    @dataclass
    class Thing:
        id: str
        note: str = ""

    class Things(Opened, entities=[Order, OrderItem, Customer, Thing], name="Shop"):
        pass

    with Things.open("memory:") as things:
        item = {"PK": {"S": "A#1"}, "SK": {"S": "B"}, "id": {"S": "1"}, "entity_type": {"S": "Thing"}}
        change = of(Thing, lambda t: t.note).set("x")
        things.store(item)  # without a schema version
        assert things.update(key(Thing, id="1"), change) == Thing("1", "x")
        things.store({**item, "schema_v": {"N": "2"}})
        with pytest.raises(ItemRefused, match="schema version 2 of Thing"):
            things.get(key(Thing, id="1"))
        with pytest.raises(ItemRefused, match="schema version 2 of Thing"):
            things.update(key(Thing, id="1"), change)


def test_an_upgrade_to_the_schema_version_loses_no_change_between_read_and_write(shop: Opened) -> None:
    """After the read, a process of the old release changes the item, and then a process of the new release."""
    shop.store(FIRST)
    meanwhile: list[Callable[[], object]] = [
        lambda: shop.store({**FIRST, "cents": {"N": "9900"}}),
        lambda: shop.store({**FIRST, "cents": {"N": "9900"}, "note": {"S": "seen"}}),
        lambda: shop.put(Order("o1", "c9", "Grace", "Hopper", PLACED)),
    ]

    def interfere(watched: RequestEvent) -> None:
        if watched.error is not None and meanwhile:
            meanwhile.pop(0)()

    shop._opened().session.hook = interfere
    changed = shop.update(key(Order, id="o1"), of(Order, lambda o: o.state).set("CLOSED"))
    assert not meanwhile
    assert changed == Order("o1", "c9", "Grace", "Hopper", PLACED, state="CLOSED")
    assert shop.stored() == fresh(changed)


def test_schema_versions_compare_object_versions_with_the_upgraded_item(shop: Opened) -> None:
    item = {"PK": {"S": "CUST#c"}, "SK": {"S": "METADATA"}, "entity_type": {"S": "Customer"}, "id": {"S": "c"}}
    shop.store({**item, "name": {"S": "Ada"}})
    read = shop.get(key(Customer, id="c"))
    assert read == Customer("c", "Ada", 7)
    with pytest.raises(VersionConflict):
        shop.put(Customer("c", "Ada L.", 3))
    assert shop.put(Customer("c", "Ada L.", 7)) == Customer("c", "Ada L.", 8)
    shop.store({**item, "name": {"S": "Ada"}})
    assert shop.update(read, of(Customer, lambda c: c.name).set("Countess")) == Customer("c", "Countess", 8)
    shop.store({**item, "name": {"S": "Ada"}})
    with pytest.raises(VersionConflict):
        shop.update(Customer("c", "", 3), of(Customer, lambda c: c.name).set("Countess"))


def read_by(function: Callable[[dict[str, Any]], Any], item: dict[str, Any]) -> Any:
    """Read an item of the first version with this upgrade function."""

    @entity(key=("A#{id}", "B"), schema_version=2, ttl="ends")
    @dataclass
    class Thing:
        id: str
        note: str
        ends: int | None = None

    upgrade(Thing, from_version=1)(function)

    class Things(Opened, entities=[Order, OrderItem, Customer, Thing], name="Shop"):
        pass

    with Things.open("memory:") as things:
        things.store({"PK": {"S": "A#1"}, "SK": {"S": "B"}, "entity_type": {"S": "Thing"}, **item})
        return things.get(key(Thing, id="1"))


def fail(item: dict[str, Any]) -> dict[str, Any]:
    raise LookupError("no rate for that day")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (fail, r"by fail \(.*test_upgrader.py:\d+\): LookupError: no rate for that day"),
        (lambda item: None, "it must return a dict of the next version's fields, got None"),
        (lambda item: {**item, "PK": "A#2"}, "it returned 'PK', but the attribute 'PK' is a key, an internal"),
        (lambda item: {**item, "schema_v": 2}, "it returned 'schema_v'"),
        (lambda item: {**item, "entity_type": "Other"}, "it returned 'entity_type'"),
        (lambda item: {**item, "note": object()}, "it returned note=<object object"),
        (lambda item: {**item, "ends": "soon"}, "it returned ends='soon': Thing.ends must be a datetime"),
        (
            lambda item: {**item, "id": "2"},
            "would have the key .*A#2.* an upgrade must not change the key of an item",
        ),
        (lambda item: {"id": item["id"]}, r"attribute 'note' is missing \(upgraded from schema version 1\)"),
        (lambda item: {**item, "note": 7}, r"note must be str, got {'N': '7'} \(upgraded"),
    ],
)
def test_upgrader_names_the_item_and_the_function_of_a_failing_upgrade(
    function: Callable[[dict[str, Any]], Any], words: str
) -> None:
    with pytest.raises(ItemRefused, match=words) as refused:
        read_by(function, {"note": {"S": "n"}})
    assert "A#1" in str(refused.value)


def test_upgrader_passes_stored_attributes_and_key_fields_to_an_upgrade() -> None:
    seen: list[dict[str, Any]] = []

    def note(item: dict[str, Any]) -> dict[str, Any]:
        seen.append({**item})
        item["list"].append("mine alone")
        return {"note": "n"}

    item = {
        "number": {"N": "1.5"},
        "whole": {"N": "2"},
        "bytes": {"B": "AQ=="},
        "set": {"SS": ["a"]},
        "list": {"L": [{"NULL": True}]},
        "map": {"M": {"a": {"BOOL": True}}},
    }
    thing = read_by(note, item)
    assert (thing.id, thing.note) == ("1", "n")
    (seen_item,) = seen
    assert seen_item == {
        "id": "1",
        "number": Decimal("1.5"),
        "whole": 2,
        "bytes": b"\x01",
        "set": {"a"},
        "list": [None, "mine alone"],
        "map": {"a": True},
    }


def as_it_is(item: dict[str, Any]) -> dict[str, Any]:
    return item


def test_schema_upgrades_with_a_missing_version_are_a_design_error() -> None:
    @entity(key=("A#{id}", "B"), schema_version=4)
    @dataclass
    class Thing:
        id: str

    upgrade(Thing, from_version=2)(as_it_is)
    with pytest.raises(DesignError) as refused:

        class Things(Table, entities=[Thing]):
            pass

    assert [problem.message for problem in refused.value.problems] == [
        "Thing has schema version 4, but no upgrade from version 1",
        "Thing has schema version 4, but no upgrade from version 3",
    ]
    assert all(problem.location and "test_upgrader.py" in problem.location.file for problem in refused.value.problems)
    upgrade(Thing, from_version=1)(as_it_is)
    upgrade(Thing, from_version=3)(as_it_is)

    class Complete(Table, entities=[Thing]):
        pass


@pytest.mark.parametrize(
    ("cls", "version", "words"),
    [
        (Order, 1, "Order has two upgrades from version 1; the other is rename_customer_and_count_in_units"),
        (Order, 3, "from_version=3.*has schema version 3"),
        (Order, 0, "from_version=0.*has schema version 3"),
        (Order, "1", "from_version='1'.*has schema version 3"),
        (OrderItem, 1, "OrderItem has no schema version"),
        (NameOfOrder, 1, "the class is not an entity"),
    ],
)
def test_schema_upgrades_without_a_matching_version_are_rejected_at_their_declaration(
    cls: type, version: Any, words: str
) -> None:
    with pytest.raises(DesignError, match=words) as refused:
        upgrade(cls, from_version=version)(fail)
    (problem,) = refused.value.problems
    assert problem.location is not None
    assert problem.location.file == __file__


def test_a_schema_version_of_the_upgrader_is_a_number() -> None:
    for wrong in (0, -1, "2", True, 1.0):
        with pytest.raises(DesignError, match=r"schema_version must be an int, 1 or greater, not .*"):
            entity(key=("A#{id}", "B"), schema_version=wrong)(NameOfOrder)  # type: ignore[arg-type]  # on purpose


@entity(key=("T#{id}", "B"), thin=("STATE#{state}", "{id}"), schema_version=2)
@dataclass
class Task:
    id: str
    state: str
    title: str


@upgrade(Task, from_version=1)
def title_it(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "title": item.pop("name")}


@dataclass
class IdOfTask:
    id: str


class Tasks(Table, entities=[Task], indexes=[GSI("thin", projection=KEYS_ONLY)]):
    @pattern()
    def tasks(self, state: str) -> Page[Task]:
        return query(Task, hydrate=True)

    @pattern()
    def ids(self, state: str) -> Page[IdOfTask]:
        return query(Task, view=IdOfTask)


def test_schema_upgrades_need_whole_items_from_an_index_with_a_projection() -> None:
    assert isinstance(Tasks.tasks.plan, Plan)
    assert Tasks.tasks.plan.hydrate
    refused = Tasks.ids.plan
    assert isinstance(refused, UnsupportedPattern)
    assert refused.reason == "thin (KEYS_ONLY) projects only part of each Task, but schema upgrades need the whole item"
    (finding,) = [each for each in check(Tasks.design).findings if each.rule.code == "ST115"]
    assert 'Remove projection= from GSI("thin")' in str(finding.remedy)
    assert "Or set hydrate=True in query(...) of ids" in str(finding.remedy)
    with Tasks.open("memory:") as tasks:
        engine = tasks._opened().session.transport.engine  # type: ignore[attr-defined]  # the tests run on the engine
        keys = {"PK": {"S": "T#1"}, "SK": {"S": "B"}, "thinPK": {"S": "STATE#OPEN"}, "thinSK": {"S": "1"}}
        fields = {"id": {"S": "1"}, "state": {"S": "OPEN"}, "name": {"S": "Old"}, "entity_type": {"S": "Task"}}
        engine.call("PutItem", {"TableName": "Tasks", "Item": {**keys, **fields}})
        assert list(tasks.tasks("OPEN")) == [Task("1", "OPEN", "Old")]


def test_an_explained_update_shows_the_schema_version_check_of_the_upgrader() -> None:
    (request,) = Shop.close_new.explain("o1").requests
    shown = request.parameters["ConditionExpression"]
    for placeholder, name in request.parameters["ExpressionAttributeNames"].items():
        shown = shown.replace(placeholder, name)
    for placeholder, value in request.parameters["ExpressionAttributeValues"].items():
        shown = shown.replace(placeholder, str(value))
    assert shown == "attribute_exists(PK) AND state = {'S': 'NEW'} AND schema_v = {'N': '3'}"


CHANGES = st.sampled_from(
    [
        of(Order, lambda o: o.customer_id).set("c1"),
        of(Order, lambda o: o.customer_id).set("c#2"),
        of(Order, lambda o: o.placed_at).set(PLACED.replace(year=2027)),
        of(Order, lambda o: o.state).set("OPEN"),
        of(Order, lambda o: o.total).add(3),
        of(Order, lambda o: o.tags).append(["x"]),
        of(Order, lambda o: o.note).set("x"),
        of(Order, lambda o: o.note).set(None),
    ]
)


@given(st.sampled_from([FIRST, SECOND]), st.lists(st.lists(CHANGES, min_size=1, max_size=3), min_size=1, max_size=5))
def test_any_update_with_the_upgrader_leaves_the_item_of_a_fresh_put(
    stored: dict[str, Any], steps: list[list[FieldChange[Order]]]
) -> None:
    with Opened.open("memory:") as shop, Opened.open("memory:") as current:
        shop.store(stored)
        current.put(NOW)
        for changes in steps:
            named = {str(each.change.path): each for each in changes}  # one per field
            changed = shop.update(key(Order, id="o1"), *named.values())
            assert changed == current.update(key(Order, id="o1"), *named.values())
            assert shop.stored() == current.stored() == fresh(changed)


def test_the_upgrader_supports_every_write_with_asyncio(shop: Opened) -> None:
    async def awaited() -> None:
        shop.store(FIRST)
        changed = await shop.aio.update(NOW, of(Order, lambda o: o.note).set("x"))
        assert shop.stored() == fresh(changed)
        shop.store(FIRST)
        assert (await shop.close_new.aio("o1")).state == "CLOSED"
        shop.store(FIRST)
        assert await shop.aio.upsert(NOW) == NOW
        shop.store(FIRST)
        assert await shop.aio.delete(NOW, where=lambda o: o.state == "NEW") == NOW

    asyncio.run(awaited())
