"""Keys proposed for entities without one: they load, identify every item, and keep the items of a list together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from singletable import (
    Between,
    DesignError,
    Page,
    Table,
    collection,
    copy,
    create,
    entity,
    get,
    pattern,
    query,
)
from singletable.cost.cost_report import cost_report
from singletable.cost.prices import prices_of
from singletable.document.model_document import Subject, model_document
from singletable.export.exported_table import exported_table
from singletable.heat.heat_report import heat_report
from singletable.importers.workbench.design_draft import DesignExport, design_draft
from singletable.model.design import Design, compile_declarations
from singletable.model.entity import Entity
from singletable.planner.key_source import keys_source
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_all
from singletable.planner.primary_key_proposals import propose_key
from singletable.sample_rows.generate_rows import sample_rows
from singletable.testing import items_of, objects_of
from singletable.verify.design_check import check
from tests.planner.test_witness import tables


@entity()
@dataclass
class Customer:
    id: str
    name: str


@entity(copies=[copy(Customer, by={"id": "customer_id"}, fields={"name": "customer_name"})])
@dataclass
class Order:
    id: str
    customer_id: str
    customer_name: str
    total: Decimal
    placed_at: datetime


@entity(identity=("order_id", "line"))
@dataclass
class OrderLine:
    order_id: str
    line: int


@entity(identity=())
@dataclass
class Settings:
    currency: str


@entity()
@dataclass
class Note:
    text: str


@entity()
@dataclass
class Device:
    serial: str
    site: str


@entity(
    key=("INVOICE#{id}", "METADATA"),
    copies=[copy(Customer, by={"id": "customer_id"}, fields={"name": "customer_name"})],
)
@dataclass
class Invoice:
    id: str
    customer_id: str
    customer_name: str


@dataclass
class WholeOrder:
    order: Order
    lines: list[OrderLine]


class Shop(Table, entities=[Customer, Order, OrderLine, Settings, Note, Device, Invoice]):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        """Get a customer."""
        return get(Customer)

    @pattern()
    def orders(self, customer_id: str, placed_at: Between[datetime]) -> Page[Order]:
        """List the orders of a customer."""
        return query(Order)

    @pattern()
    def whole_order(self, order_id: str) -> WholeOrder | None:
        """Get an order with its lines."""
        return collection(WholeOrder)

    @pattern()
    def device(self, serial: str) -> Device | None:
        """Get a device by its serial number."""
        return get(Device)

    @pattern()
    def devices(self, site: str) -> Page[Device]:
        """List the devices of a site."""
        return query(Device)

    @pattern()
    def invoice(self, id: str) -> Invoice | None:
        """Get an invoice."""
        return get(Invoice)

    @pattern(rate=1)
    def write_invoice(self, invoice: Invoice) -> Invoice:
        """Write an invoice."""
        return create(Invoice)


def source_for(design: Design, cls: type) -> str | None:
    proposal = propose_key(design, design.entity_of(cls))
    return keys_source(proposal.value) if proposal is not None else None


@pytest.mark.parametrize(
    ("cls", "source"),
    [
        (Customer, '("CUSTOMER#{id}", "METADATA")'),
        (Order, '("CUSTOMER#{customer_id}", "ORDER#{placed_at}#{id}")'),
        (OrderLine, '("ORDER#{order_id}", "ORDER_LINE#{line:number}")'),
        (Settings, '("SETTINGS", "METADATA")'),
        (Device, '("DEVICE#{serial}", "METADATA")'),
        (Note, None),
    ],
)
def test_primary_key_proposals_follow_the_identity_and_the_patterns(cls: type, source: str | None) -> None:
    assert source_for(Shop.design, cls) == source


def test_primary_key_proposals_have_no_sort_key_in_a_table_without_one() -> None:
    class Customers(Table, entities=[Customer], keys=("id_key",)):
        pass

    assert source_for(Customers.design, Customer) == '"CUSTOMER#{id}"'


def test_primary_key_proposals_use_the_delimiter_of_the_table() -> None:
    class Customers(Table, entities=[Customer], delimiter="|"):
        pass

    assert source_for(Customers.design, Customer) == '("CUSTOMER|{id}", "METADATA")'


def test_primary_key_proposals_are_not_made_for_a_table_with_numbers_as_keys() -> None:
    from singletable import native

    @entity(key=(native("number"), native("part")), identity=("number", "part"))
    @dataclass
    class Counter:
        number: int
        part: int

    class Counters(Table, entities=[Counter, Customer], keys=("number", "part")):
        pass

    assert source_for(Counters.design, Customer) is None


def test_patterns_of_entities_with_keys_are_planned_while_others_wait() -> None:
    planned = {each.pattern.name for each in plan_all(Shop.design) if isinstance(each, Plan)}
    assert planned == {"invoice", "write_invoice"}


def test_check_has_one_error_per_entity_without_a_key_which_nobody_can_accept() -> None:
    @entity(accept={"ST004": "later"})
    @dataclass
    class Draft:
        id: str

    class Drafts(Table, entities=[Draft]):
        pass

    findings = check(Shop.design).findings
    assert [each.subject for each in findings] == ["Customer", "Order", "OrderLine", "Settings", "Note", "Device"]
    assert {each.code for each in findings} == {"ST004"}
    assert not check(Drafts.design).passes


def without_keys(design: Design) -> Design:
    declarations = [replace(each.declaration, keys={}, expected_per_partition={}) for each in design.all_entities]
    return compile_declarations(replace(design.settings, indexes=()), declarations, design.patterns)


@pytest.mark.parametrize("table", [*tables(), Shop], ids=lambda table: table.__name__)
def test_primary_key_proposals_identify_every_item_and_overlap_with_no_other_key(table: type[Table]) -> None:
    design = without_keys(table.design)
    assert design.entities == ()
    proposals = {each.name: found.value for each in design.keyless if (found := propose_key(design, each))}
    declarations = [
        replace(each.declaration, keys={"key": proposals[each.name]}, copies=(), counted=(), mirror_of=None)
        for each in design.keyless
        if each.name in proposals
    ]
    proposed = compile_declarations(design.settings, declarations, ())
    assert [each for each in check(proposed).findings if each.code in ("ST101", "ST102", "ST106")] == []


Call = Callable[[], Any]


@pytest.mark.parametrize(
    ("call", "purpose"),
    [
        (lambda: Shop.open("memory:"), "open()"),
        (lambda: cost_report(Shop.design, prices_of("us-east-1")), "the cost"),
        (lambda: heat_report(Shop.design, prices_of("us-east-1"), ()), "the heat report"),
        (lambda: model_document([Subject(Shop.design, "")], prices_of("us-east-1")), "the document"),
        (lambda: exported_table(Shop.design), "an export"),
        (lambda: design_draft([DesignExport(Shop.design, "Shop")]), "an export"),
        (lambda: sample_rows(Shop.design), "a set of sample rows"),
        (lambda: objects_of(Shop, Order), "objects_of(Shop, Order)"),
        (lambda: items_of(Shop), "items_of(Shop)"),
    ],
)
def test_everything_that_needs_keys_names_the_entities_without_one(call: Call, purpose: str) -> None:
    with pytest.raises(DesignError) as error:
        call()
    assert f"Shop: {purpose} needs the key of every entity, but Customer, Order, " in str(error.value)
    assert "`singletable check` proposes a key" in str(error.value)


def test_explain_proposes_the_key_that_a_pattern_waits_for(capsys: pytest.CaptureFixture[str]) -> None:
    from singletable.cli.main import main

    main(["explain", f"{Path(__file__)}:Shop", "whole_order"])
    shown = capsys.readouterr().out
    assert "not supported: Order and OrderLine have no key yet" in shown
    assert '; set key=("ORDER#{order_id}", "ORDER_LINE#{line:number}") in @entity of OrderLine.' in shown


def test_objects_of_an_entity_with_a_key_do_not_need_the_others() -> None:
    assert objects_of(Shop, Invoice) is not None


def test_index_keys_without_a_table_key_are_an_error() -> None:
    with pytest.raises(DesignError, match="gsi1 is declared, but key= is missing"):

        @entity(gsi1=("A#{id}", "B"))
        @dataclass
        class Lost:
            id: str


def test_an_entity_without_a_key_has_no_placements() -> None:
    compiled: Entity = Shop.design.entity_of(Order)
    assert compiled.placements == {}
    assert Shop.design.table.key_attributes == ("PK", "SK")
