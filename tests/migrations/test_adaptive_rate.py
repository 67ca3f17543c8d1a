"""Throttling of a migration: its rate halves and recovers, and it finishes; the estimate of the rest of a pass."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import Throttled
from singletable.cli.migrate_run import progress_text
from singletable.client.open_table import transport_for
from singletable.client.request_session import Session
from singletable.client.request_steps import Call, run
from singletable.client.retries import Retries
from singletable.engine.engine import Engine
from singletable.evolve.phases import Phase
from singletable.migrations.adaptive_rate import RATE_MIN, THROTTLED_MAX, AdaptiveRate
from singletable.migrations.item_pass import PassResult
from singletable.migrations.runner import RunResult, run_migration
from tests.engine.traffic.throttled_tables import Clock
from tests.migrations.orders import CONTROL, IndexedOrders, next_run, stored_items, table_with

ORDERS = 120
LIMITS = {"MaxReadRequestUnits": 50, "MaxWriteRequestUnits": 10}
THROTTLED = Throttled("ProvisionedThroughputExceededException", "exceeded")


class ClockSession(Session):
    """A session whose pauses move a clock. It repeats only single requests, such as those of control items."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        super().__init__(transport_for(engine), retries=Retries(attempts=1))
        self.engine_clock, self.throttled = clock, 0

    def wait(self, seconds: float) -> None:
        self.engine_clock.now += seconds

    def send(self, call: Call) -> bytes:
        while True:
            try:
                return super().send(call)
            except Throttled:
                self.wait(1.0)

    def send_each(self, calls: Any, meanwhile: Any = None) -> Any:
        results = super().send_each(calls, meanwhile)
        self.throttled += sum(isinstance(each, Throttled) for each in results)
        return results


def migrate(session: Session, **settings: Any) -> RunResult:
    state = run(CONTROL.state(), session)
    assert state is not None
    return run(run_migration(next_run(session, IndexedOrders, **settings), state), session)


def test_the_adaptive_rate_lets_a_migration_finish_although_dynamodb_throttles_it() -> None:
    clock = Clock()
    with Engine("memory:", now=clock, enforce_capacity=True) as engine:
        table_with(engine, ORDERS)
        session = ClockSession(engine, clock)
        migrate(session, clock=clock, until=Phase.EXPAND)
        session.send(Call("UpdateTable", {"TableName": "Orders", "OnDemandThroughput": LIMITS}))
        assert migrate(session, clock=clock).state.phase is None
        assert session.throttled > 0
        clock.now += 3600
        assert len([each for each in stored_items(session) if "ByStatusPK" in each]) == ORDERS


def test_throttling_halves_the_rate_and_it_recovers_slowly() -> None:
    clock = Clock()
    rate = AdaptiveRate(80.0, clock)
    assert rate.throttle(0.0, THROTTLED) > 0
    assert rate.current == 40.0
    clock.now += 1
    assert rate.pause(80.0) == 1.0  # 80 units at 40 a second, of which one second has passed
    assert rate.current == 42.0
    clock.now += 1.0
    for page in range(100):
        rate.pause(80.0 + page)
    assert (rate.current, rate.is_lowered) == (80.0, False)


def test_throttling_without_a_limit_halves_the_measured_rate() -> None:
    clock = Clock()
    rate = AdaptiveRate(None, clock)
    assert rate.pause(1000.0) == 0.0
    clock.now += 10
    rate.throttle(1000.0, THROTTLED)
    assert rate.current == 50.0
    for _ in range(THROTTLED_MAX - 1):
        rate.throttle(1000.0, THROTTLED)
    assert rate.current == RATE_MIN
    with pytest.raises(Throttled):
        rate.throttle(1000.0, THROTTLED)


def test_the_adaptive_rate_estimates_the_remaining_time_of_a_pass() -> None:
    clock = Clock()
    with Engine("memory:") as engine:
        session = table_with(engine, 3000)
        rests: list[float | None] = []

        def progress(done: PassResult) -> None:
            clock.now += 10.0
            rests.append(done.seconds_left)

        migrate(session, clock=clock, progress=progress, segments=1)
    assert rests[1] == pytest.approx(20.0, abs=0.1)  # two pages in 10 seconds, four pages left
    assert progress_text(PassResult(9, 5, seconds_left=3725.4)) == "  9 items read, 5 written, about 1:02:05 left"
