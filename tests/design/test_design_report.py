"""The report states what writes need, which copies they update, other designs, and facts that change the design."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

import pytest

from examples.papers.model import Papers
from singletable import Page, Table, entity, field, get, pattern, put, query, ref, update
from singletable.cost.prices import prices_of
from singletable.design.design_report import DesignReport, design_report
from singletable.design.designed_table import design_table
from singletable.design.model_workload import DesignOptions
from singletable.design.redesign import without_keys
from singletable.model.design import Design


def report_of(design: Design) -> DesignReport:
    options = DesignOptions()
    return design_report(design_table(design, options), options, prices_of("us-east-1"))


@entity()
@dataclass
class Customer:
    id: str


@entity(expected_items=10_000, cardinality={"status": 5})
@dataclass
class Order:
    id: str
    customer_id: str
    status: str
    placed_at: datetime


class Shop(Table, entities=[Customer, Order]):
    @pattern(rate=10)
    def customer(self, id: str) -> Customer | None:
        return get(Customer)

    @pattern(rate=10)
    def orders(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern(rate=1)
    def orders_in_status(self, customer_id: str, status: str) -> Page[Order]:
        return query(Order)

    @pattern(rate=200)
    def place(self, order: Order) -> Order:
        return put(Order)

    @pattern(rate=5)
    def set_status(self, customer_id: str, placed_at: datetime, id: str, status: str) -> Order:
        return update(Order, field(Order, lambda order: order.status).set(status))


REPORT = report_of(Shop.design)


def test_the_design_report_lists_the_fields_that_each_write_needs() -> None:
    place, set_status = REPORT.writes
    assert str(place) == "place: give the whole item"
    assert set(set_status.gives) == {"id", "customer_id", "placed_at", "status"}
    assert set_status.moves == ("gsi1",)


def test_the_costs_of_the_patterns_in_the_design_report_add_up_to_the_cost_of_the_month() -> None:
    assert REPORT.dollars == pytest.approx(sum(each.dollars or 0 for each in REPORT.costs))
    assert REPORT.costs[0].pattern == "place"


def test_the_design_report_names_the_pattern_that_one_index_less_does_not_serve() -> None:
    (fewer,) = REPORT.alternatives
    assert (fewer.indexes, fewer.not_served) == (0, ("orders_in_status",))
    assert fewer.differences == ("Order only in the table",)
    assert (fewer.dollars or 0) < (REPORT.dollars or 0)


def test_the_design_report_offers_mirrored_items_if_no_update_changes_their_keys() -> None:
    _, mirrored = report_of(without_keys(Papers.design)).alternatives
    assert mirrored.indexes == 0
    assert not mirrored.not_served
    assert "mirrored items of Membership, Paper and Topic (an estimate)" in str(mirrored)


def test_a_field_of_the_table_key_that_could_change_decides_the_design() -> None:
    texts = [str(each) for each in REPORT.assumptions]
    assert texts[0].startswith("Order.customer_id and Order.placed_at never change. With changes: 2 GSIs instead of 1;")


@entity(references={"customer_id": ref(Customer, changes=False)})
@dataclass
class Note:
    id: str
    customer_id: str


class Notes(Table, entities=[Customer, Note]):
    @pattern()
    def notes(self, customer_id: str) -> Page[Note]:
        return query(Note)


def test_the_design_report_does_not_list_a_declared_reference_as_an_assumption() -> None:

    assert not report_of(Notes.design).assumptions


@entity()
@dataclass
class Job:
    id: str
    worker: str
    status: str


class Jobs(Table, entities=[Job]):
    @pattern()
    def job(self, id: str) -> Job | None:
        return get(Job)

    @pattern()
    def jobs(self, worker: str, status: str) -> Page[Job]:
        return query(Job)

    @pattern()
    def set_status(self, id: str, status: str) -> Job:
        return update(Job, field(Job, lambda job: job.status).set(status))


def test_the_design_report_says_if_another_number_of_values_gives_other_keys() -> None:

    (only,) = report_of(Jobs.design).assumptions
    assert only.assumed == "Job.status has about 10 values, by its name"
    assert only.declare == 'Declare cardinality={"status": ...}.'


@entity(cardinality={"kind": 2})
@dataclass
class Event:
    id: str
    kind: str


class Events(Table, entities=[Event]):
    @pattern()
    def event(self, id: str) -> Event | None:
        return get(Event)

    @pattern()
    def of_kind(self, kind: str) -> Page[Event]:
        return query(Event)

    @pattern(rate=600)
    def report(self, event: Event) -> Event:
        return put(Event)


def test_the_design_report_names_a_partition_with_a_notable_load() -> None:

    (hot,) = report_of(Events.design).hot_keys
    assert "for the most frequent kind" in hot.keys
    assert hot.write_units == pytest.approx(300)


def test_the_design_report_names_the_writes_that_update_copies_and_where_they_find_them() -> None:
    copies = {each.entity: str(each) for each in report_of(without_keys(Papers.design)).copies}
    assert copies["Topic"] == (
        "Topic.title, published and expires_at are copies of Paper; rename and supersede find all copies in the table "
        "and update them in the same transaction, at twice the write units"
    )


def test_the_design_report_as_json_names_what_was_searched() -> None:
    document = json.loads(json.dumps(REPORT.document()))
    assert "It does not cover mirrored items" in document["searched"]
    assert {"writes", "copies", "hot_partitions", "costs", "alternatives", "assumptions"} <= document.keys()
