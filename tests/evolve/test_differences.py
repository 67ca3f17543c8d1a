"""Differences between designs: every change is an operation. Applying the operations results in the new design."""

from __future__ import annotations

from dataclasses import make_dataclass
from datetime import datetime
from decimal import Decimal
from itertools import permutations
from typing import Any, Literal

import pytest

from singletable import GSI, KEYS_ONLY, LSI, Table, copy, count, entity, shard, upgrade
from singletable.client.table_metaclass import TableMeta
from singletable.cost.prices import prices_of
from singletable.evolve.change_cost import change_cost
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.differences import differences, needs_migration
from singletable.evolve.operation import Category
from singletable.evolve.snapshot_records import Snapshot

Fields = dict[str, Any]
KEY, BY_CUSTOMER = ("ORDER#{id}", "METADATA"), ("CUST#{customer}", "{placed:seconds}#{id}")
FIELDS: Fields = {"id": str, "customer": str, "status": str, "total": int, "placed": datetime}
NEW_INDEX = GSI("gsi1", name="GSI1_2", keys=("GSI1_2PK", "GSI1_2SK"))
DEFAULT: tuple[Any, ...] = (KEY, {"gsi1": BY_CUSTOMER}, FIELDS, {}, {})


def design(
    key: Any = KEY,
    indexes: Any = None,
    fields: Fields | None = None,
    options: Fields | None = None,
    settings: Fields | None = None,
) -> Snapshot:
    """Return the snapshot of a table with orders and an entity that never changes."""
    members = [(name, *(each if isinstance(each, tuple) else (each,))) for name, each in (fields or FIELDS).items()]
    order = make_dataclass("Order", members, kw_only=True)
    keys = {"gsi1": BY_CUSTOMER} if indexes is None else indexes
    order = entity(key=key, **keys, **{"name": "Order", **(options or {})})(order)
    for version in range(1, (options or {}).get("schema_version", 1)):
        upgrade(order, from_version=version)(lambda item: item)
    user = entity(key=("USER#{id}", "METADATA"))(make_dataclass("User", [("id", str), ("orders", int)]))
    given: Fields = {"entities": [order, user], "name": "Orders", **(settings or {})}
    table = TableMeta("Orders", (Table,), {}, **given)
    return snapshot_of(vars(table)["design"])


def with_field(name: str, declared: Any) -> Fields:
    return {"fields": {**FIELDS, name: declared}}


RENAMED = {name: each for name, each in FIELDS.items() if name != "total"} | {"amount": int}
CASES: dict[str, tuple[Fields, list[tuple[str, Category]]]] = {
    "index added": (
        {"indexes": {"gsi1": BY_CUSTOMER, "gsi2": ("STATUS#{status}", "{id}")}},
        [("index added", Category.IN_PLACE), ("keys added", Category.IN_PLACE)],
    ),
    "index dropped": ({"indexes": {}}, [("keys dropped", Category.IN_PLACE), ("index dropped", Category.IN_PLACE)]),
    "local index added": (
        {"indexes": {"gsi1": BY_CUSTOMER, "lsi1": "{status}"}},
        [("index added", Category.UNSUPPORTED), ("keys added", Category.IN_PLACE)],
    ),
    "keys changed in the same index": (
        {"indexes": {"gsi1": ("CUST#{customer}#{status}", "{id}")}},
        [("keys changed", Category.UNSUPPORTED)],
    ),
    "keys changed with a new index": (
        {"indexes": {"gsi1": ("CUST#{customer}#{status}", "{id}")}, "settings": {"indexes": [NEW_INDEX]}},
        [("index changed", Category.IN_PLACE), ("keys changed", Category.IN_PLACE)],
    ),
    "projection changed in the same index": (
        {"settings": {"indexes": [GSI("gsi1", projection=KEYS_ONLY)]}},
        [("index changed", Category.UNSUPPORTED)],
    ),
    "shards changed": (
        {
            "indexes": {"gsi1": ("CUST#{part}", "{id}")},
            "options": {"derived": {"part": shard("id", of=8)}},
            "settings": {"indexes": [NEW_INDEX]},
        },
        [("index changed", Category.IN_PLACE), ("keys changed", Category.IN_PLACE)],
    ),
    "table key changed": ({"key": ("O#{id}", "METADATA")}, [("key changed", Category.MOVE)]),
    "field added with a default": (with_field("note", (str, "")), [("field added", Category.INSTANT)]),
    "optional field added": (with_field("note", str | None), [("field added", Category.INSTANT)]),
    "required field added": (with_field("note", str), [("field added", Category.UNSUPPORTED)]),
    "field removed": (
        {"fields": {name: each for name, each in FIELDS.items() if name != "total"}},
        [("field removed", Category.INSTANT)],
    ),
    "field renamed without a declaration": (
        {"fields": RENAMED},
        [("field added", Category.UNSUPPORTED), ("field removed", Category.INSTANT)],
    ),
    "field renamed": (
        {"fields": RENAMED, "options": {"renamed_from": {"amount": "total"}}},
        [("field renamed", Category.INSTANT), ("attribute renamed", Category.IN_PLACE)],
    ),
    "field renamed in code only": (
        {
            "fields": RENAMED,
            "options": {"renamed_from": {"amount": "total"}, "attributes": {"amount": "total"}},
        },
        [("field renamed", Category.INSTANT)],
    ),
    "field renamed by an upgrade": (
        {"fields": RENAMED, "options": {"renamed_from": {"amount": "total"}, "schema_version": 2}},
        [("schema version", Category.IN_PLACE), ("field renamed", Category.INSTANT)],
    ),
    "field of a key renamed in code only": (
        {
            "fields": {("buyer" if name == "customer" else name): each for name, each in FIELDS.items()},
            "indexes": {"gsi1": ("CUST#{buyer}", "{placed:seconds}#{id}")},
            "options": {"renamed_from": {"buyer": "customer"}, "attributes": {"buyer": "customer"}},
        },
        [("field renamed", Category.INSTANT)],
    ),
    "type widened": (with_field("total", Decimal), [("field changed", Category.INSTANT)]),
    "type made optional": (with_field("total", (int | None, None)), [("field changed", Category.INSTANT)]),
    "type narrowed": (with_field("status", Literal["OPEN", "PAID"]), [("field changed", Category.IN_PLACE)]),
    "type stored in another form": (with_field("total", str), [("field changed", Category.UNSUPPORTED)]),
    "type converted by an upgrade": (
        {"fields": {**FIELDS, "total": str}, "options": {"schema_version": 2}},
        [("schema version", Category.IN_PLACE), ("field changed", Category.INSTANT)],
    ),
    "type of a key field changed": (
        with_field("customer", int),
        [("field changed", Category.UNSUPPORTED), ("keys changed", Category.UNSUPPORTED)],
    ),
    "stored name changed": (
        {"options": {"attributes": {"total": "t"}}},
        [("attribute renamed", Category.IN_PLACE)],
    ),
    "stored names swapped": (
        {"options": {"attributes": {"total": "status", "status": "total"}}},
        [("attribute renamed", Category.UNSUPPORTED), ("attribute renamed", Category.UNSUPPORTED)],
    ),
    "entity renamed": (
        {"options": {"name": "Purchase"}},
        [("entity renamed", Category.IN_PLACE)],
    ),
    "TTL added": (
        {"fields": {**FIELDS, "expires": (datetime | None, None)}, "options": {"ttl": "expires"}},
        [("TTL changed", Category.IN_PLACE), ("field added", Category.INSTANT), ("TTL field", Category.INSTANT)],
    ),
    "TTL on a stored field": (
        {"options": {"ttl": "placed", "identity": "id"}},
        [
            ("TTL changed", Category.IN_PLACE),
            ("TTL field", Category.UNSUPPORTED),
            ("option changed", Category.INSTANT),
        ],
    ),
    "unique constraint added": (
        {"options": {"unique": ["status"]}},
        [("unique constraint added", Category.IN_PLACE)],
    ),
    "type attribute changed": (
        {"settings": {"type_attribute": "kind"}},
        [("table changed", Category.UNSUPPORTED)],
    ),
    "key attributes changed": ({"settings": {"keys": ("pk", "sk")}}, [("table changed", Category.UNSUPPORTED)]),
    "schema version attribute changed": (
        {"settings": {"schema_version_attribute": "v"}},
        [("table changed", Category.UNSUPPORTED)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_difference_of_two_designs_is_a_list_of_operations(name: str) -> None:
    changes, expected = CASES[name]
    operations = differences(design(), design(**changes))
    assert [(each.kind, each.category) for each in operations] == expected
    assert needs_migration(operations) is any(category is not Category.INSTANT for _, category in expected)
    for each in operations:
        assert (each.remedy is not None) is (each.category is Category.UNSUPPORTED), each
        assert each.items
        assert each.subject in str(each)


def test_applying_the_differences_gives_the_new_design() -> None:
    designs = {"default": design()} | {name: design(**changes) for name, (changes, _) in CASES.items()}
    for one, other in permutations(designs, 2):
        found, after = designs[one], designs[other]
        for each in differences(found, after):
            found = each.apply(found)
        assert found.fingerprint == after.fingerprint, f"{one} -> {other}"


def test_differences_of_an_entity_that_is_added_and_removed_need_no_migration() -> None:
    before = design()
    order, user = before.entities["Order"], before.entities["User"]
    without = type(before)(**{**_members(before), "entities": {"Order": order}})
    added, removed = differences(without, before), differences(before, without)
    assert [(each.kind, each.subject) for each in added] == [("entity added", user.label)]
    assert [(each.kind, each.subject) for each in removed] == [("entity removed", user.label)]
    assert added[0].apply(without) == before
    assert removed[0].apply(before) == without


def _members(snapshot: Snapshot) -> Fields:
    return {name: getattr(snapshot, name) for name in snapshot.__struct_fields__}


def test_differences_include_derived_data_in_another_entity() -> None:
    user = entity(key=("USER#{id}", "METADATA"))(make_dataclass("User", [("id", str), ("name", str), ("orders", int)]))

    def orders(**options: Any) -> Snapshot:
        members = [("id", str), ("user", str), ("name", str)]
        order = entity(key=("O#{id}", "O"), **options)(make_dataclass("Order", members))
        table = TableMeta("Orders", (Table,), {}, entities=[user, order])
        return snapshot_of(vars(table)["design"])

    counted = orders(counted=[count(user, by={"id": "user"}, field="orders")])
    copied = orders(copies=[copy(user, by={"id": "user"}, fields=["name"])])
    for after, kind in ((counted, "counter"), (copied, "copy")):
        assert [each.kind for each in differences(orders(), after)] == [f"{kind} added"]
        assert [each.kind for each in differences(after, orders())] == [f"{kind} dropped"]
    (added,) = differences(orders(), counted)
    assert added.category is Category.UNSUPPORTED, "old code gives the field another meaning"
    assert "new field of User" in (added.remedy or "")


def test_differences_reject_a_dropped_or_changed_local_index() -> None:
    before = design(indexes={"lsi1": "{status}"})
    changed = design(indexes={"lsi1": "{customer}"}, settings={"indexes": [LSI("lsi1", sort="by")]})
    for after in (changed, design(indexes={})):
        found = [each for each in differences(before, after) if "index" in each.kind]
        assert [each.category for each in found] == [Category.UNSUPPORTED]


def test_equal_designs_have_no_differences() -> None:
    assert differences(design(), design()) == ()
    assert differences(design(), design(options={"expected_items": 5})) == ()


def test_the_cost_of_differences_counts_the_passes_and_the_new_index_entries() -> None:
    before, prices = design(options={"expected_items": 1000}), prices_of("us-east-1")
    changes = CASES["keys changed with a new index"][0]
    after = design(**changes)
    cost = change_cost(before, after, differences(before, after), {"User": 10}, prices, rate=100)
    # 1,000 orders below 1 KB: the backfill writes item and index entry, and the last phase the item without its old
    # keys.
    assert (cost.items, cost.written, cost.write_units, cost.seconds) == (1010, 2000, 3000, 30)
    assert cost.dollars > 0
    unknown = change_cost(before, after, differences(before, after), {}, prices)
    assert unknown.unknown == ("User",)
    instant = differences(before, design(**with_field("note", (str, ""))))
    assert change_cost(before, after, instant, {}, prices).write_units == 0
