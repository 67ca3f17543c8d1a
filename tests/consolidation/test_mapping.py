"""Declarations of mappings, and the report of rows that cannot be mapped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from singletable import ArgumentRefused, ItemRefused, Table, copy, count, entity, get, pattern
from singletable.client.request_steps import run
from singletable.consolidation import Consolidation, DynamoDBSource
from singletable.consolidation.consolidation_run import ConsolidationRun, ConsolidationSettings
from singletable.consolidation.mapping_report import MappingReport
from singletable.consolidation.row_mapping import RowMapping
from singletable.engine import Engine
from tests.consolidation.shop_world import Customer, Shop, customer_of, order_of, row_of_customer, table_definition


def nothing_annotated(row):  # type: ignore[no-untyped-def]
    return None


def wrong_class(row: dict[str, Any]) -> Engine:
    raise NotImplementedError


def whole_row(row: dict[str, Any]) -> Customer:
    return Customer(**row)


def wrong_parameter(shop: Shop) -> dict[str, Any]:
    raise NotImplementedError


DECLARATIONS: dict[str, tuple[Any, str]] = {
    "no source": (lambda: Consolidation(Shop), "pass at least one source"),
    "no annotation": (
        lambda: Consolidation(Shop, DynamoDBSource("a", nothing_annotated)),
        "a: nothing_annotated must be annotated with the classes that it returns, got nothing",
    ),
    "wrong class": (lambda: Consolidation(Shop, DynamoDBSource("a", wrong_class)), "got Engine.\n  The table has Cust"),
    "wrong parameter": (
        lambda: Consolidation(Shop, DynamoDBSource("a", customer_of, wrong_parameter)),
        "a: the parameter of wrong_parameter must be annotated with a class that customer_of returns: Customer",
    ),
    "one name": (
        lambda: Consolidation(Shop, DynamoDBSource("a", customer_of), DynamoDBSource("a", order_of)),
        "two sources have the name a",
    ),
    "the table itself": (
        lambda: Consolidation(Shop, DynamoDBSource("Shop", customer_of)),
        "Shop is both the new table and a source",
    ),
    "two row functions": (
        lambda: Consolidation(
            Shop,
            DynamoDBSource("a", customer_of, row_of_customer),
            DynamoDBSource("b", customer_of, row_of_customer),
        ),
        "two sources have a row_of function for Customer",
    ),
}


@pytest.mark.parametrize("name", DECLARATIONS)
def test_the_row_mapping_reports_a_wrong_declaration(name: str) -> None:
    declare, message = DECLARATIONS[name]
    with pytest.raises(ArgumentRefused) as caught:
        declare()
    assert message in str(caught.value)


def mapping(function: Any) -> RowMapping:
    return RowMapping(DynamoDBSource("a", function), Shop.design)


def test_the_attributes_that_a_mapping_reads_are_known() -> None:
    row = {"id": "o1", "customer": "c1", "status": "TEST", "other": 1}
    found = mapping(order_of).mapped(row)
    assert (found.left_out, found.read) == ("a test", frozenset({"status"}))
    assert mapping(order_of).mapped(row | {"status": "OPEN"}).read == frozenset({"status", "id", "customer", "note"})
    person = {"id": "c1", "name": "Ann", "email": "e"}
    assert mapping(customer_of).mapped(person | {"other": 1}).read == frozenset({"id", "name", "email"})

    assert mapping(whole_row).mapped(person).read is None


def test_a_row_mapping_that_fails_names_the_function_and_the_reason() -> None:
    with pytest.raises(ItemRefused, match="order_of raised KeyError: 'status'"):
        mapping(order_of).mapped({})
    with pytest.raises(ItemRefused, match=r"the row is not a CustomerRow: .*missing required field `email`"):
        mapping(customer_of).mapped({"id": "c1", "name": "Ann"})
    nothing = mapping(order_of)
    nothing._function = lambda row: None
    with pytest.raises(ItemRefused, match=r"order_of returned nothing; return LeftOut\(reason\)"):
        nothing.mapped({})
    nothing._function = lambda row: "text"
    with pytest.raises(ItemRefused, match="order_of returned 'text', but its annotation says Note, Order"):
        nothing.mapped({})


@entity(key=("OWNER#{id}", "OWNER"), unique=("email",))
@dataclass
class Owner:
    id: str
    email: str
    pets: int = 0


@entity(
    key=("PET#{id}", "PET"),
    gsi1=("OWNER#{owner}", "{id}"),
    copies=[copy(Owner, by={"id": "owner"}, fields={"email": "email"})],
    counted=[count(Owner, by={"id": "owner"}, field="pets")],
)
@dataclass
class Pet:
    id: str
    owner: str
    email: str = ""


class Pets(Table, entities=[Owner, Pet]):
    @pattern
    def owner(self, id: str) -> Owner | None:
        return get(Owner)


def owner_of(row: dict[str, Any]) -> Owner:
    return Owner(row["id"].lower(), row["email"])


def row_of_owner(owner: Owner) -> dict[str, Any]:
    return {"id": owner.id, "email": owner.email}


def pet_of(row: dict[str, Any]) -> Pet:
    return Pet(row["id"], row["owner"])


PETS = Consolidation(
    Pets, DynamoDBSource("owners", owner_of, row_of_owner), DynamoDBSource("pets", pet_of), clean_time=timedelta(0)
)


def report(rows: dict[str, list[dict[str, str]]]) -> tuple[MappingReport, Engine]:
    """Return the report on some rows."""
    engine = Engine("memory:")
    Pets.open(engine, create=True).close()
    for table, found in rows.items():
        engine.call("CreateTable", table_definition(table))
        for row in found:
            engine.call("PutItem", {"TableName": table, "Item": {name: {"S": value} for name, value in row.items()}})
    with PETS.open(engine) as pets:
        runner = ConsolidationRun(PETS, pets, ConsolidationSettings(wait_seconds=0.0))
        made = run(runner.plan(), pets._opened().session)
        if made.failed:
            assert run(runner.run(), pets._opened().session).failures == tuple(made.failures)
            assert engine.call("Scan", {"TableName": "Pets"})["Items"] == []
        return made, engine


FAULTS: dict[str, tuple[list[dict[str, str]], list[dict[str, str]], str]] = {
    "twice one key": (
        [{"id": "a", "email": "1"}, {"id": "A", "email": "2"}],
        [],
        "it maps to Owner with id='a', as owners",
    ),
    "one unique value": (
        [{"id": "a", "email": "1"}, {"id": "b", "email": "1"}],
        [],
        "has the same unique value as owners",
    ),
    "not restored": ([{"id": "A", "email": "1"}], [], "row_of does not restore id"),
    "missing reference": ([], [{"id": "p", "owner": "x"}], 'it refers to {"PK": {"S": "OWNER#x"}'),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_mapping_report_names_a_fault_before_anything_is_written(fault: str) -> None:
    owners, pets, reason = FAULTS[fault]
    found, _ = report({"owners": owners, "pets": pets})
    assert any(reason in each.reason for each in found.failures), found.failures


def test_the_mapping_report_counts_rows_entities_and_units() -> None:
    owners = [{"id": f"o{number}", "email": f"e{number}"} for number in range(5)]
    found, engine = report({"owners": owners, "pets": [{"id": "p", "owner": "o1"}]})
    assert not found.failed
    assert {name: (each.items, each.written) for name, each in found.sources.items()} == {
        "owners": (5, 5),
        "pets": (1, 1),
    }
    assert found.sources["owners"].entities == {"Owner": 5}
    with PETS.open(engine) as pets:
        done = run(ConsolidationRun(PETS, pets, ConsolidationSettings()).run(), pets._opened().session)
    assert not done.failures
    assert found.write_units == pytest.approx(done.work.write_units, rel=0.3)
