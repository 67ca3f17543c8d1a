"""Dual designs: the keys of new code during a migration are those of the old code and those of the new code."""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import GSI, KEYS_ONLY, Page, Table, derive, entity, pattern, query, shard, sparse, upgrade
from singletable.client.table_metaclass import TableMeta
from singletable.client.write.item_encoder import Encoder
from singletable.evolve.design_snapshot import snapshot_of
from singletable.evolve.dual_designs import NotDual, dual_designs
from singletable.model.design import Design
from singletable.planner.plan import Plan
from singletable.planner.planner import plan
from singletable.planner.stored_items import values_of

Options = dict[str, Any]
KEY, BY_CUSTOMER = ("ORDER#{id}", "METADATA"), ("CUST#{customer}", "{id}")
OTHER = GSI("gsi1", name="Other", keys=("OtherPK", "OtherSK"))


def region(customer: str) -> str:
    return customer[:1] or "-"


def area(customer: str) -> str:
    return customer[-1:] or "-"


def design(names: str = "id customer status note", *, indexes: Any = (), **options: Any) -> Design:
    """Return a table with orders that have these fields."""
    types: dict[str, Any] = {"note": str | None, "total": int | None}
    members = [(name, types.get(name, str), None) if name in types else (name, str) for name in sorted(names.split())]
    made = make_dataclass("Order", members, kw_only=True)
    version = options.get("schema_version") or 1
    order: Any = entity(**{"key": KEY, "name": "Order", **options})(made)
    for each in range(1, version):
        upgrade(order, from_version=each)(lambda item: item)
    table = TableMeta("Orders", (Table,), {}, entities=[order], name="Orders", indexes=indexes)
    found: Design = vars(table)["design"]
    return found


OLD = design(gsi1=BY_CUSTOMER)
SHARDED: Options = {"derived": {"part": shard("id", of=4)}}
CASES: dict[str, tuple[Design, Design]] = {
    "index added": (OLD, design(gsi1=BY_CUSTOMER, gsi2=("STATUS#{status}", "{id}"))),
    "index dropped": (OLD, design()),
    "keys changed": (OLD, design(gsi1=("CUST#{customer}#{status}", "{id}"), indexes=[OTHER])),
    "sparse keys": (design(gsi1=sparse("NOTE#{note}", "{id}")), design(gsi1=("{status}", "{id}"), indexes=[OTHER])),
    "projection": (OLD, design(gsi1=BY_CUSTOMER, indexes=[GSI("gsi1", "Other", ("OtherPK", "OtherSK"), KEYS_ONLY)])),
    "alias": (OLD, design(by_customer=BY_CUSTOMER, indexes=[GSI("by_customer", "GSI1", ("GSI1PK", "GSI1SK"))])),
    "shards": (
        design(gsi1=("PART#{part}", "{id}"), **SHARDED),
        design(gsi1=("PART#{part}", "{id}"), derived={"part": shard("id", of=8)}, indexes=[OTHER]),
    ),
    "function": (
        design(gsi1=("IN#{place}", "{id}"), derived={"place": derive(region, "customer")}),
        design(gsi1=("{place}#{status}", "{id}"), derived={"place": derive(region, "customer")}, indexes=[OTHER]),
    ),
    "local index": (design(lsi1="{status}", gsi1=BY_CUSTOMER), design(lsi1="{status}")),
    "field added": (OLD, design("id customer status note total", gsi2=("STATUS#{status}", "{id}"))),
}
TEXT = st.text("ab#1", min_size=1, max_size=4)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=10)
@given(st.data())
def test_the_keys_of_both_designs_are_those_of_the_old_and_of_the_new_one(case: str, data: st.DataObject) -> None:
    before, after = CASES[case]
    dual = dual_designs(after, snapshot_of(before))
    values: Options = {name: data.draw(TEXT) for name in ("id", "customer", "status")}
    values["note"] = data.draw(st.none() | TEXT)

    def keys(one: Design) -> dict[str, Any]:
        (order,) = one.entities
        item = Encoder(one, order).item(values_of(order, order.cls(**values)))
        fields = {*order.attributes.values(), "entity_type"}
        return {name: each for name, each in item.items() if name not in fields}

    assert keys(dual.old) == keys(before)
    assert keys(dual.new) == keys(after)
    assert keys(dual.both) == keys(before) | keys(after)


@entity(name="Order", key=KEY, gsi1=("CUST#{customer}#{status}", "{id}"), expected_per_partition={"gsi1": 5})
@dataclass
class Purchase:
    id: str
    customer: str
    status: str
    note: str | None = None


class Purchases(Table, entities=[Purchase], indexes=[OTHER]):
    @pattern(expected_items=5)
    def of(self, customer: str, status: str) -> Page[Purchase]:
        """Orders of a customer in a status."""
        return query(Purchase)


def test_the_old_design_has_the_indexes_of_the_old_code_and_plans_patterns_on_them() -> None:
    before = design(gsi1=("{status}#{customer}", "{id}"))
    dual = dual_designs(Purchases.design, snapshot_of(before))
    (declared,) = Purchases.design.patterns
    plans = [plan(each, declared) for each in (dual.old, dual.new)]
    assert [each.index.name for each in plans if isinstance(each, Plan)] == ["GSI1", "Other"]
    assert {each.name for each in dual.both.indexes.values()} == {"Purchases", "GSI1", "Other"}


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (OLD, design(gsi1=BY_CUSTOMER, schema_version=2), "new code cannot write items that old code reads: schema"),
        (OLD, design("id status note", gsi2=("STATUS#{status}", "{id}")), "new code cannot compute the old form: "),
        (
            design(gsi1=("IN#{place}", "{id}"), derived={"place": derive(area, "customer")}),
            design(gsi1=("IN#{place}", "{id}"), derived={"place": derive(region, "customer")}, indexes=[OTHER]),
            "the old keys of Order contain place, which needs the function area",
        ),
    ],
    ids=["schema version", "field removed", "function"],
)
def test_new_code_that_cannot_compute_the_old_keys_has_no_dual_designs(before: Design, after: Design, why: str) -> None:
    with pytest.raises(NotDual, match=why):
        dual_designs(after, snapshot_of(before))
