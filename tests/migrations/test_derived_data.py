"""Migrations that add or drop derived data: forward and back, with the units that the plan counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from singletable.client.design_state import DesignState
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.engine.engine import Engine
from singletable.evolve.phases import Phase
from singletable.migrations.migration_plan import plan_migration
from singletable.migrations.runner import RunResult, run_migration, undo_migration
from tests.migrations.orders import session_of
from tests.migrations.shop_designs import FEATURES, Shop, next_run, record, shop

ORDERS = 30


def filled(before: Shop, engine: Engine) -> Session:
    """Create a shop with customers, orders and members, and record its design."""
    with before.table.open(engine, create=True) as table:
        table.put_many([before.Customer(f"c{number}", f"Name {number}") for number in range(4)])
        orders = [
            before.Order(f"o{n}", f"c{n % 4}", "OPEN" if n % 3 else "PAID", f"k{n}" if n % 5 else None)
            for n in range(ORDERS)
        ]
        for each in orders:
            table.put(each)
        table.put_many([before.Member(f"g{n % 3}", f"u{n}", "admin") for n in range(6)])
    session = session_of(engine)
    record(session, before)
    return session


def state_of(session: Session) -> DesignState:
    state: DesignState | None = run(shop().control.state(), session)
    assert state is not None
    return state


def items_of(session: Session) -> list[dict[str, Any]]:
    items = json.loads(session.send(Call("Scan", {"TableName": "Shop"})))["Items"]
    return sorted((each for each in items if "$singletable" not in each), key=lambda each: json.dumps(each["PK"]))


def migrate(session: Session, *shops: Shop, **settings: Any) -> RunResult:
    return run(run_migration(next_run(session, *shops, **settings), state_of(session)), session)


def fresh(after: Shop) -> list[dict[str, Any]]:
    """Return the items of a table to which the new code has written everything."""
    engine = Engine("memory:")
    with after.table.open(engine, create=True) as table:
        for number in range(4):
            table.put(after.Customer(f"c{number}", f"Name {number}"))
        for n in range(ORDERS):
            name = f"Name {n % 4}" if "copy" in after.features else ""
            code = f"k{n}" if n % 5 else None
            table.put(after.Order(f"o{n}", f"c{n % 4}", "OPEN" if n % 3 else "PAID", code, name))
        for n in range(6):
            table.put(after.Member(f"g{n % 3}", f"u{n}", "admin"))
    return items_of(session_of(engine))


CASES = [(each,) for each in FEATURES] + [("unique", "counter", "copy", "rename", "rename_source"), FEATURES]


@pytest.mark.parametrize("features", CASES, ids="+".join)
def test_derived_data_is_added_and_dropped_as_if_new_code_had_written_every_item(features: tuple[str, ...]) -> None:
    before, after = shop(), shop(*features)
    session = filled(before, Engine("memory:"))
    old = items_of(session)
    plan = run(plan_migration(next_run(session, before, after), state_of(session)), session)
    assert items_of(session) == old, "a plan writes nothing"
    result = migrate(session, before, after)
    assert (result.failures, result.work.conflicts) == ((), 0)
    assert items_of(session) == fresh(after)
    assert (plan.failed, plan.write_units) == (0, result.work.write_units)
    back = migrate(session, before, after, before)
    assert back.failures == ()
    kept = {"customer_name", "order_count", "open_count"}  # fields of the user keep their last values
    cleaned = [{name: value for name, value in each.items() if name not in kept} for each in items_of(session)]
    assert cleaned == [{name: value for name, value in each.items() if name not in kept} for each in old]


@pytest.mark.parametrize("features", CASES, ids="+".join)
@pytest.mark.parametrize("until", [Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH])
def test_the_undo_of_a_derived_data_migration_restores_the_items(features: tuple[str, ...], until: Phase) -> None:
    before, after = shop(), shop(*features)
    session = filled(before, Engine("memory:"))
    old = items_of(session)
    migrate(session, before, after, until=until)
    run(undo_migration(next_run(session, before, after), state_of(session)), session)
    restored = [{name: value for name, value in each.items() if name != "customer_name"} for each in items_of(session)]
    assert restored == [{name: value for name, value in each.items() if name != "customer_name"} for each in old]
    assert migrate(session, before, after).failures == ()
    assert items_of(session) == fresh(after)
