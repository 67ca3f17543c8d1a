"""Migrations that change the keys of the table: forward and back, with the units that the plan counts."""

from __future__ import annotations

import pytest

from singletable.client.request_steps import run
from singletable.engine.engine import Engine
from singletable.evolve.phases import Phase
from singletable.migrations.migration_plan import plan_migration
from singletable.migrations.runner import undo_migration
from tests.migrations.shop_designs import MOVES, next_run, shop
from tests.migrations.test_derived_data import filled, items_of, migrate, state_of

KEPT = ("unique", "counter", "copy", "mirror")
CASES: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    *(((), (each,)) for each in MOVES if each != "mirror_key"),
    *((KEPT, (*KEPT, each)) for each in MOVES),
    (("sharded",), ("resharded",)),
    (KEPT, (*KEPT, "customer_key", "order_key", "member_key", "mirror_key")),
]
IDS = ["+".join(after) + " after " + "+".join(before) for before, after in CASES]


@pytest.mark.parametrize(("kept", "features"), CASES, ids=IDS)
def test_items_move_as_if_new_code_had_written_every_item(kept: tuple[str, ...], features: tuple[str, ...]) -> None:
    before, after = shop(*kept), shop(*features)
    session, fresh = filled(before, Engine("memory:")), filled(after, Engine("memory:"))
    old = items_of(session)
    plan = run(plan_migration(next_run(session, before, after), state_of(session)), session)
    assert items_of(session) == old, "a plan writes nothing"
    result = migrate(session, before, after)
    assert (result.failures, result.work.conflicts) == ((), 0)
    assert items_of(session) == items_of(fresh)
    assert (plan.failed, plan.write_units) == (0, result.work.write_units)
    back = migrate(session, before, after, before)
    assert back.failures == ()
    assert items_of(session) == old


@pytest.mark.parametrize(("kept", "features"), CASES, ids=IDS)
@pytest.mark.parametrize("until", [Phase.EXPAND, Phase.BACKFILL, Phase.VERIFY, Phase.SWITCH])
def test_an_undo_moves_the_items_back(kept: tuple[str, ...], features: tuple[str, ...], until: Phase) -> None:
    before, after = shop(*kept), shop(*features)
    session = filled(before, Engine("memory:"))
    old = items_of(session)
    migrate(session, before, after, until=until)
    result = run(undo_migration(next_run(session, before, after), state_of(session)), session)
    assert (result.failures, result.state.phase) == ((), Phase.PENDING)
    assert items_of(session) == old
    assert migrate(session, before, after).failures == ()
