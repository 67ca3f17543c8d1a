"""Trees, areas, hot partitions and copies: keys with a derived value, shards, and copies that can be kept in sync."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from singletable import (
    Between,
    Children,
    Page,
    Radius,
    Subtree,
    Table,
    ancestors,
    copy,
    entity,
    field,
    geohash,
    get,
    pattern,
    put,
    query,
    ref,
    skewed,
    update,
    within,
)
from singletable.design.designed_table import DesignedTable, design_table
from singletable.design.model_workload import DesignOptions
from singletable.model.design import Design, compile_declarations
from singletable.model.references import Reference
from singletable.planner.plan import Plan
from singletable.verify.design_check import check


@entity(identity=("org", "path"))
@dataclass
class Node:
    org: str
    path: tuple[str, ...]


class Tree(Table, entities=[Node]):
    @pattern()
    def children(self, org: str, path: Children[tuple[str, ...]]) -> Page[Node]:
        return query(Node)

    @pattern()
    def subtree(self, org: str, path: Subtree[tuple[str, ...]]) -> Page[Node]:
        return query(Node)

    @pattern(fanout=12)
    def breadcrumbs(self, org: str, path: tuple[str, ...]) -> list[Node]:
        return ancestors(Node)


def served(table: DesignedTable) -> set[str]:
    plans = [each for each in table.outcomes if isinstance(each, Plan) and each.verdict.is_served]
    return {each.pattern.name for each in plans if not each.other_entities}


def test_chosen_keys_for_children_are_an_index_by_depth() -> None:
    table = design_table(Tree.design)
    assert table.keys["Node"] == {
        "key": ("ORG#{org}", "NODE#{path}"),
        "gsi1": ("ORG#{org}#LEVEL#{level}", "NODE#{path}"),
    }
    assert [(each.name, each.source) for each in table.added["Node"]] == [("level", 'depth("path")')]
    assert served(table) == {"children", "subtree", "breadcrumbs"}


@entity(derived={"cell": geohash("latitude", "longitude", precision=6)})
@dataclass
class Shop:
    id: str
    latitude: float
    longitude: float


class Places(Table, entities=[Shop]):
    @pattern()
    def shop(self, id: str) -> Shop | None:
        return get(Shop)

    @pattern()
    def shops_near(self, area: Radius) -> list[Shop]:
        return within(Shop)


def test_chosen_keys_for_an_area_have_a_partition_per_cell_and_a_declared_fan_out() -> None:
    table = design_table(Places.design)
    assert table.keys["Shop"] == {"key": ("SHOP#{id}", "SHOP"), "gsi1": ("CELL#{cell}", "SHOP#{id}")}
    assert table.fanouts == {"shops_near": 12}
    assert served(table) == {"shop", "shops_near"}


@entity(cardinality={"kind": skewed(6, hottest=0.7)}, identity=("device_id", "id"))
@dataclass
class Event:
    device_id: str
    id: str
    at: datetime
    kind: str


class Telemetry(Table, entities=[Event]):
    @pattern()
    def latest(self, device_id: str, *, limit: int = 100, cursor: str | None = None) -> Page[Event]:
        return query(Event, newest_first=True)

    @pattern()
    def of_kind(self, kind: str, at: Between[datetime], *, limit: int = 100, cursor: str | None = None) -> Page[Event]:
        return query(Event)

    @pattern(rate=5000)
    def report(self, event: Event) -> Event:
        return put(Event)


def test_chosen_keys_without_shards_serve_no_read_from_a_partition_with_too_many_writes() -> None:
    table = design_table(Telemetry.design)
    (missing,) = table.not_served
    assert (missing.pattern, table.solution.indexes) == ("of_kind", 0)
    assert missing.reason == (
        "the hottest partition by kind gets 3,500 write units per second, but DynamoDB serves 1,000"
    )
    assert missing.remedy == "Allow 4 Queries for a read, one for each shard, with --allow-fan-out."


def test_chosen_keys_with_shards_split_the_hot_partition_and_declare_the_queries() -> None:
    table = design_table(Telemetry.design, DesignOptions(fan_out=True))
    assert table.keys["Event"]["key"][0] == "DEVICE#{device_id}"
    assert table.keys["Event"]["gsi1"][0] == "KIND#{kind}#{shard}"
    assert table.fanouts == {"of_kind": 4}
    assert served(table) == {"latest", "of_kind", "report"}
    assert "ST122" not in {each.code for each in check(table.after).findings}


@entity()
@dataclass
class Customer:
    id: str
    region: str


@entity(copies=[copy(Customer, by={"id": "customer_id"}, fields={"region": "customer_region"})])
@dataclass
class Order:
    id: str
    customer_id: str
    customer_region: str


class Sales(Table, entities=[Customer, Order]):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        return get(Customer)

    @pattern()
    def change_region(self, id: str, region: str) -> Customer:
        return update(Customer, field(Customer, lambda customer: customer.region).set(region))

    @pattern()
    def order(self, id: str) -> Order | None:
        return get(Order)

    @pattern()
    def orders_in_region(self, customer_region: str) -> Page[Order]:
        return query(Order)


def with_reference(references: Mapping[str, Reference]) -> Design:
    design = Sales.design
    declarations = [
        replace(each.declaration, references=references) if each.cls is Order else each.declaration
        for each in design.all_entities
    ]
    return compile_declarations(design.settings, declarations, design.patterns)


def test_chosen_keys_let_the_table_find_every_copy_of_a_changed_item() -> None:
    table = design_table(Sales.design)
    assert table.keys["Order"]["key"] == ("CUSTOMER#{customer_id}", "ORDER#{id}")
    assert set(table.keys["Order"]) == {"key", "gsi1", "gsi2"}
    assert not table.not_served


def test_the_model_workload_assumes_a_number_of_copies_without_a_maximum_and_reports_it() -> None:
    (guess,) = [each for each in design_table(Sales.design).model.guesses if "copy" in each]
    assert guess == (
        "At most 99 Order items copy fields of one Customer, because one transaction updates them. "
        'Declare the maximum: references={"customer_id": ref(Customer, max=...)}.'
    )
    declared = design_table(with_reference({"customer_id": ref(Customer, max=50)}))
    assert not [each for each in declared.model.guesses if "copy" in each]


def test_the_model_workload_leaves_out_copies_that_a_transaction_cannot_update() -> None:
    table = design_table(with_reference({"customer_id": ref(Customer, max=5_000)}))
    (missing,) = table.not_served
    assert missing.pattern == "orders_in_region"
    assert "changes in up to 5,000 items at once, and a transaction writes at most 100" in missing.reason
    assert missing.remedy == "Declare copy(..., in_parts=True)."


def test_the_model_workload_without_copies_does_not_serve_the_pattern_and_names_the_copy() -> None:
    (missing,) = design_table(Sales.design, DesignOptions(copies=False)).not_served
    assert missing.reason == "customer_region is a copy of Customer.region, and --no-copies keeps copies out of keys"


def test_the_model_workload_keeps_references_that_change_out_of_the_table_key() -> None:
    fixed, changing = (
        design_table(with_reference({"customer_id": ref(Customer, changes=each)})) for each in (False, True)
    )
    assert "{customer_id}" in fixed.keys["Order"]["key"][0]
    assert "{customer_id}" not in changing.keys["Order"]["key"][0]
