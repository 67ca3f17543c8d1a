"""The reserved items of shadow reads: invisible to the application, and allowed by exported IAM policies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from examples.shop.model import Customer, Shop
from examples.shop_tables import tables
from examples.shop_tables.old_shop_reads import ShopReads
from singletable import ConsolidationRefused, Page, Table, entity, get, native, on, pattern, query
from singletable.consolidation import ShadowReads, old_read, read_pattern_states, switch_mode
from singletable.engine import Engine
from singletable.engine.access.policy_document import parse_policies
from singletable.engine.access.principal import Principal
from singletable.export.exported_table import exported_table
from singletable.export.iam_policies import AwsScope, Scope, allow_shadow_reads, policies_of
from singletable.streams.stream_worker import StreamWorker
from tests.cli.program import singletable
from tests.consolidation.shop_reads import EVERY, ROWS, TwoShops, objects, start, two_shops

CUSTOMER = "c000001"


@pytest.fixture
def shops() -> Iterator[TwoShops]:
    with two_shops() as found:
        yield found


def use(reads: ShopReads, shops: TwoShops) -> None:
    """Compare calls with and without a difference, so that every reserved item exists."""
    start(reads, "customer")
    late = {**(shops.old.customer(CUSTOMER) or {}), "id": "late"}
    shops.put_row(tables.CUSTOMERS, late)
    for id in (CUSTOMER, "late"):
        reads.customer(id)
    assert reads.drain()
    assert read_pattern_states(shops.new)["customer"].mismatches == 1


def reserved_keys(shops: TwoShops) -> set[str]:
    found = shops.client.scan(TableName="Shop")["Items"]
    return {item["PK"]["S"] for item in found if item["PK"]["S"].startswith("$singletable#consolidation#")}


def test_scans_and_indexes_do_not_contain_reserved_items(shops: TwoShops) -> None:
    use(shops.reads(), shops)
    assert len(reserved_keys(shops)) == 1 + 2 * 4
    assert len(list(shops.new.scan(reason="test"))) == ROWS
    assert not [
        item
        for item in shops.client.scan(TableName="Shop", IndexName="GSI1")["Items"]
        if item["PK"]["S"].startswith("$singletable")
    ]


def test_stream_handlers_do_not_receive_reserved_items() -> None:
    seen: list[str] = []

    @on(Customer, "insert", "modify", "remove")
    def note(old: Customer | None, new: Customer | None) -> None:
        seen.append("" if new is None else new.id)

    class Streamed(Table, entities=[Customer], name="Streamed", handlers=[note]):
        @pattern()
        def customer(self, id: str) -> Customer | None:
            """Get customer by ID."""
            return get(Customer)

    class Reads(ShadowReads):
        @old_read(Streamed.customer)
        def customer(self, id: str) -> Customer | None:
            return None

    with Streamed.open(Engine("memory:"), create=True) as table:
        first = next(each for each in objects() if isinstance(each, Customer))
        table.put(first)
        reads = Reads(table, EVERY)
        reads.customer(first.id)
        assert reads.drain()
        switch_mode(table, "customer", "shadow")
        assert reads.refresh()
        reads.customer(first.id)
        assert reads.drain()
        report = StreamWorker(table).drain()
        assert seen == [first.id]
        assert (report.delivered, report.unknown) == (1, {})
        assert report.internal >= 5


@pytest.mark.parametrize("scope", ["application", "entity", "pattern"])
def test_exported_policies_allow_the_reserved_items_of_shadow_reads(shops: TwoShops, scope: Scope) -> None:
    exported = exported_table(Shop.design)
    policies = [allow_shadow_reads(each, exported, AwsScope()) for each in policies_of(exported, scope, AwsScope())]
    reading = [each for each in policies if not each.name.endswith("ReadWrite")]
    documents = [document for each in reading for document in parse_policies(each.entry, each.name)]
    limited = shops.engine.as_principal(Principal("arn:aws:iam::000000000000:role/reads", tuple(documents), {}))
    with Shop.open(limited) as table:
        use(ShopReads(table, shops.old, EVERY), shops)


def test_policies_without_shadow_reads_allow_only_reads_of_the_pattern_modes(
    shops: TwoShops, caplog: pytest.LogCaptureFixture
) -> None:
    start(shops.reads(), "customer")
    exported = exported_table(Shop.design)
    documents = [
        document
        for each in policies_of(exported, "entity", AwsScope())
        for document in parse_policies(each.entry, each.name)
    ]
    limited = shops.engine.as_principal(Principal("arn:aws:iam::000000000000:role/reads", tuple(documents), {}))
    with Shop.open(limited) as table:
        reads = ShopReads(table, shops.old, replace(EVERY, flush_seconds=1000.0, refresh_seconds=1000.0))
        assert reads.customer(CUSTOMER) is not None
        assert reads.modes["customer"] == "shadow"
        assert not reads.drain()
    assert "needs GetItem, PutItem and UpdateItem on the items $singletable#consolidation#*" in caplog.text


def test_the_iam_export_adds_shadow_reads_by_an_option() -> None:
    words = ("export", "iam", "examples/shop/model.py", "--by", "pattern", "--policy", "ShopCustomer")
    plain, allowed = (json.loads(singletable(*words, *more).stdout) for more in ((), ("--shadow-reads",)))
    assert allowed["Statement"][:-1] == plain["Statement"]
    assert allowed["Statement"][-1]["Action"] == ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]


@entity(key=(native("number"), native("at")))
@dataclass
class Reading:
    number: int
    at: int


class Readings(Table, entities=[Reading], keys=("number", "at")):
    """A table whose keys are numbers."""

    @pattern()
    def of_number(self, number: int) -> Page[Reading]:
        """Readings of a number."""
        return query(Reading)


class ReadingReads(ShadowReads):
    @old_read(Readings.of_number)
    def of_number(self, number: int) -> Page[Reading]:
        return Page([])


def test_a_table_with_numbers_as_keys_cannot_contain_pattern_modes() -> None:
    with (
        Readings.open(Engine("memory:"), create=True) as table,
        pytest.raises(ConsolidationRefused, match="Readings: the keys of the table are not strings"),
    ):
        ReadingReads(table)
