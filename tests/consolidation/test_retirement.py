"""Retirement: refused until every pattern was clean, then the old tables are backed up and protected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from singletable import ArgumentRefused, ConsolidationRefused, TableDiffers, field, key
from singletable.client.request_steps import run
from singletable.consolidation import (
    Consolidation,
    DynamoDBSource,
    ShadowReads,
    ShadowSettings,
    old_read,
    read_pattern_states,
    switch_mode,
)
from singletable.consolidation.consolidation_run import ConsolidationRun, ConsolidationSettings
from singletable.consolidation.consolidation_state import Stage
from singletable.consolidation.dual_table import DualTable
from singletable.consolidation.retirement import RetiredTable, obstacles, retire
from singletable.engine import Engine
from singletable.errors import RequestRefused
from tests.consolidation.shop_world import (
    CUSTOMERS,
    ORDERS,
    Customer,
    Shop,
    customer_of,
    order_of,
    row_of_customer,
    row_of_note,
    row_of_order,
    table_definition,
)

CONSOLIDATION = Consolidation(
    Shop,
    DynamoDBSource(CUSTOMERS, customer_of, row_of_customer),
    DynamoDBSource(ORDERS, order_of, (row_of_order, row_of_note)),
    clean_time=timedelta(days=2),
    clean_calls=100,
)
NOW, DAY = 1_700_000_000.0, 86_400.0
NAME = field(Customer, lambda c: c.name)


@dataclass(frozen=True)
class Standing:
    mode: str = "done"
    since: float = NOW
    clean_since: float = NOW - 2 * DAY
    clean_calls: int = 100


@pytest.fixture
def engine() -> Engine:
    made = Engine("memory:", now=lambda: NOW)
    for name in (CUSTOMERS, ORDERS):
        made.call("CreateTable", table_definition(name))
    row = {name: {"S": "c1"} for name in ("id", "name", "email")}
    made.call("PutItem", {"TableName": CUSTOMERS, "Item": row})
    Shop.open(made, create=True).close()
    return made


@pytest.fixture
def runner(engine: Engine) -> Iterator[ConsolidationRun]:
    with CONSOLIDATION.open(engine) as shop:
        yield ConsolidationRun(CONSOLIDATION, shop, ConsolidationSettings(wait_seconds=0.0))


def retired(runner: ConsolidationRun, standing: Standing | None) -> list[RetiredTable]:
    standings = {} if standing is None else {"customer": standing}
    return run(retire(runner, standings, now=lambda: NOW + DAY), runner.table.session)


OBSTACLES: dict[str, tuple[Standing | None, str]] = {
    "never compared": (None, "customer: it was never compared with the old implementation"),
    "old": (Standing("new"), "customer: it is in the mode 'new'; switch it to 'done'"),
    "shadow": (Standing("shadow"), "customer: it is in the mode 'shadow'; switch it to 'new'"),
    "new, too few": (Standing("new", clean_calls=99), "99 calls, the plan says 100; leave it in the mode 'new' until"),
    "too short": (
        Standing(clean_since=NOW - DAY),
        "customer: it was clean for 1 days, the plan says 2 days; switch it to 'new' until then",
    ),
    "too few": (Standing(clean_calls=99), "customer: it was clean for 99 calls, the plan says 100"),
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_retirement_is_rejected_until_every_pattern_was_clean(obstacle: str, runner: ConsolidationRun) -> None:
    run(runner.run(), runner.table.session)
    standing, message = OBSTACLES[obstacle]
    with pytest.raises(ConsolidationRefused, match=message):
        retired(runner, standing)
    assert stage(runner) is Stage.DUAL
    assert not obstacles(runner, {"customer": Standing()}, NOW)


def test_retirement_does_not_wait_for_a_pattern_without_an_old_implementation(runner: ConsolidationRun) -> None:
    run(runner.run(), runner.table.session)
    with pytest.raises(ConsolidationRefused, match="has no old implementation, name it in new_patterns"):
        retired(runner, None)
    sources = [mapping.source for mapping in CONSOLIDATION.mappings]
    runner.consolidation = Consolidation(CONSOLIDATION.table, *sources, new_patterns="customer")
    assert len(retired(runner, None)) == 2
    with pytest.raises(ArgumentRefused, match="new_patterns names order, but Shop has the patterns customer"):
        Consolidation(CONSOLIDATION.table, *sources, new_patterns=["order"])


def test_retirement_is_rejected_before_the_rows_are_copied(runner: ConsolidationRun) -> None:
    with pytest.raises(ConsolidationRefused, match="the consolidation is not started"):
        retired(runner, Standing())


def test_retirement_backs_up_and_protects_the_old_tables_and_ends_writes_to_them(
    runner: ConsolidationRun, engine: Engine
) -> None:
    run(runner.run(), runner.table.session)
    tables = retired(runner, Standing())
    assert [each.name for each in tables] == [CUSTOMERS, ORDERS]
    for each in tables:
        described = engine.call("DescribeBackup", {"BackupArn": each.backup})["BackupDescription"]
        assert described["SourceTableDetails"]["TableName"] == each.name
        with pytest.raises(RequestRefused, match="deletion protection"):
            engine.call("DeleteTable", {"TableName": each.name})
    with CONSOLIDATION.open(engine) as shop:
        shop.update(key(Customer, id="c1"), NAME.set("Ann"))
        assert shop.customer("c1") == Customer("c1", "Ann", "c1")
        opened = shop._opened()
        assert isinstance(opened, DualTable)
        request = {"TableName": CUSTOMERS, "Item": {"id": {"S": "c2"}}}
        with pytest.raises(TableDiffers, match="the table customers is retired, so it is not written any more"):
            run(opened.writer_of_both.write("PutItem", request), opened.session)
    assert [each["name"] for each in engine.call("Scan", {"TableName": CUSTOMERS})["Items"]] == [{"S": "c1"}]
    assert retired(runner, None) == tables  # a second call changes nothing
    assert len(engine.call("ListBackups", {})["BackupSummaries"]) == 2
    with pytest.raises(ConsolidationRefused, match="the old tables are retired, so their rows are not copied"):
        run(runner.run(), runner.table.session)


def test_shadow_reads_allow_the_retirement(runner: ConsolidationRun, engine: Engine) -> None:
    session = runner.table.session
    assert not run(runner.run(), session).failures

    class Reads(ShadowReads):
        @old_read(Shop.customer)
        def customer(self, id: str) -> Customer | None:
            row = engine.call("GetItem", {"TableName": CUSTOMERS, "Key": {"id": {"S": id}}}).get("Item")
            return None if row is None else Customer(*(row[name]["S"] for name in ("id", "name", "email")))

    reads = Reads(runner.opened, ShadowSettings(sample=1.0))
    reads.customer("c1")
    reads.drain()
    for mode in ("shadow", "new", "done"):
        with pytest.raises(ConsolidationRefused, match="it is in the mode"):
            run(retire(runner, read_pattern_states(runner.opened), now=lambda: NOW + 9 * DAY), session)
        switch_mode(runner.opened, "customer", mode, calls_min=100)
        reads.refresh()
        for number in range(120):
            if number == 60:  # both sides follow a write in every mode
                runner.opened.update(key(Customer, id="c1"), NAME.set(mode))
            assert reads.customer("c1") is not None
        reads.drain()
    states = read_pattern_states(runner.opened)
    assert (states["customer"].mode, states["customer"].mismatches) == ("done", 0)
    reasons = obstacles(runner, states, NOW + 9 * DAY)
    assert reasons == [
        "customer: it was clean for 0 seconds, the plan says 2 days; switch it to 'new' until then"
    ]  # the clock of the engine stands
    states["customer"] = replace(states["customer"], clean_since=NOW - 3 * DAY)
    assert len(run(retire(runner, states, now=lambda: NOW + DAY), session)) == 2
    reads.close()


def test_retirement_lets_writes_reach_the_old_tables_until_they_are_closed(
    runner: ConsolidationRun, engine: Engine
) -> None:
    run(runner.run(), runner.table.session)
    state = run(runner.items.state(), runner.table.session)
    assert state is not None
    run(runner.items.change(state, replace(state, stage=Stage.CLOSING)), runner.table.session)
    with CONSOLIDATION.open(engine) as shop:
        shop.update(key(Customer, id="c1"), NAME.set("Ann"))
    assert [each["name"] for each in engine.call("Scan", {"TableName": CUSTOMERS})["Items"]] == [{"S": "Ann"}]


def stage(runner: ConsolidationRun) -> Stage | None:
    state = run(runner.items.state(), runner.table.session)
    return None if state is None else state.stage
