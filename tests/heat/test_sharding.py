"""The shards that heat proposes carry the traffic: planned, priced and simulated again."""

from __future__ import annotations

import pytest

from singletable import Table
from singletable.cost.call_costs import call_costs
from singletable.heat.hot_partitions import HotPartition, hot_partitions
from singletable.heat.sharding import Sharding, sharding_for
from singletable.heat.simulation import Growth, simulate_partition
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Plan, Verdict
from singletable.planner.planner import plan_all
from tests.heat.models import (
    Alarms,
    Dailies,
    Events,
    Flood,
    Forums,
    Ledgers,
    Members,
    Notes,
    Pages,
    SpreadEvents,
    SpreadReadings,
    Tasks,
    Tickers,
)


def _hottest(table: type[Table]) -> HotPartition:
    return hot_partitions(table.design, call_costs(table.design, ItemSizes(table.design)))[0]


@pytest.mark.parametrize("times", [10, 100])
def test_sharding_removes_the_throttling_of_the_hot_event_type(times: float) -> None:
    hot, growth = _hottest(Events), Growth(times)
    assert simulate_partition(hot.demand, growth, can_split=False).share > 0.5
    found = sharding_for(Events.design, hot, growth)
    assert isinstance(found, Sharding)
    assert found.course.share == 0
    assert found.partition == "EVTTYPE#{kind}#{shard}"
    assert found.shards == pytest.approx(350 * times / 1000 / 0.7, rel=0.2)


def test_sharding_gives_the_reads_of_an_index_a_declared_fan_out() -> None:
    found = sharding_for(Events.design, _hottest(Events), Growth(10))
    assert isinstance(found, Sharding)
    assert found.fanned == ("of_kind",)
    outcomes = plan_all(found.design)
    assert all(isinstance(outcome, Plan) for outcome in outcomes)
    assert {outcome.pattern.name: outcome.verdict for outcome in outcomes} == {
        "of_kind": Verdict.DECLARED_FANOUT,
        "report": Verdict.ONE_REQUEST,
    }
    assert str(found) == (
        f'Add derived={{"shard": shard("id", of={found.shards})}} and gsi1=("EVTTYPE#{{kind}}#{{shard}}", ...) to Event'
        f", and declare @pattern(fanout={found.shards}) on of_kind, because it reads every shard."
    )


def test_sharding_includes_the_additional_reads_of_a_fan_out_in_the_price() -> None:
    found = sharding_for(Events.design, _hottest(Events), Growth(100))
    assert isinstance(found, Sharding)
    before = {call.name: call.estimate.units for call in call_costs(Events.design, ItemSizes(Events.design))}
    after = {call.name: call.estimate.units for call in found.calls}
    assert after["of_kind"] > before["of_kind"]
    assert after["report"] == before["report"]


def test_sharding_adds_shards_to_an_already_sharded_key() -> None:
    found = sharding_for(SpreadEvents.design, _hottest(SpreadEvents), Growth(100))
    assert isinstance(found, Sharding)
    assert (found.partition, found.before, found.shards) == ("EVTTYPE#{kind}#{part}", 10, 50)
    assert found.course.share == 0
    assert str(found) == 'Use derived={"part": shard("id", of=50)} instead of 10 shards in SpreadEvent.'


def test_sharding_is_impossible_for_one_item() -> None:
    assert "one item" in str(sharding_for(Pages.design, _hottest(Pages), Growth(10)))


def test_sharding_applies_to_a_table_key_when_reads_know_the_whole_key() -> None:
    found = sharding_for(Notes.design, _hottest(Notes), Growth(10))
    assert isinstance(found, Sharding)
    assert found.partition == "PAGE#{page_id}#{shard}"
    assert found.fanned == ()


def test_sharding_divides_expected_items_evenly_among_shards() -> None:
    found = sharding_for(Members.design, _hottest(Members), Growth(100))
    assert isinstance(found, Sharding)
    (before,) = call_costs(Members.design, ItemSizes(Members.design))
    (after,) = found.calls
    assert found.course.share == 0
    assert found.shards == 6
    assert after.estimate.items == pytest.approx(before.estimate.items, abs=found.shards)
    assert after.estimate.units == pytest.approx(before.estimate.units, abs=found.shards)  # each rounds by itself


def test_sharding_does_not_help_patterns_that_read_every_shard() -> None:
    said = sharding_for(Members.design, _hottest(Members), Growth(8_000))
    assert said == (
        "More shards do not help, because by_signup would read every shard: cache the result, or read less per call."
    )


@pytest.mark.parametrize("times", [10, 1_000_000])
def test_sharding_is_impossible_for_a_native_partition_key(times: float) -> None:
    assert "only a key template can contain a shard" in str(
        sharding_for(Tickers.design, _hottest(Tickers), Growth(times))
    )


def test_sharding_divides_a_call_that_is_too_large_for_one_partition() -> None:
    found = sharding_for(Ledgers.design, _hottest(Ledgers), Growth(1))
    assert isinstance(found, Sharding)
    assert found.shards == 3  # 4,883 units at once, of which a partition at 70 % gives 2,100
    assert found.course.share == 0
    assert found.fanned == ("whole_ledger",)


def test_sharding_leaves_room_for_a_burst_and_steady_traffic() -> None:
    found = sharding_for(Ledgers.design, _hottest(Ledgers), Growth(100))
    assert isinstance(found, Sharding)
    assert found.course.share == 0
    whole = next(call for call in found.calls if call.name == "whole_ledger")
    steady = 100 * 400 * 0.5 / 4 / found.shards
    assert steady + whole.estimate.units / found.shards <= 3_000


def test_sharding_advice_differs_for_a_hot_counter_and_a_hot_read() -> None:
    said = sharding_for(Forums.design, _hottest(Forums), Growth(1))
    assert (
        said
        == "All writes go to one item, which sharding cannot spread: count with a stream consumer, or in several items."
    )


def test_sharding_in_buckets_raises_the_fan_out_that_was_declared() -> None:
    found = sharding_for(Dailies.design, _hottest(Dailies), Growth(10))
    assert isinstance(found, Sharding)
    assert found.fanouts == {"week": 7 * found.shards}
    assert f"@pattern(fanout={7 * found.shards}) on week, because it reads every shard" in str(found)
    assert all(outcome.verdict is not Verdict.UNDECLARED_FANOUT for outcome in plan_all(found.design))


def test_sharding_reads_every_shard_once_per_value_of_a_literal() -> None:
    found = sharding_for(Tasks.design, _hottest(Tasks), Growth(10))
    assert isinstance(found, Sharding)
    assert found.fanouts == {"in_any_state": 3 * found.shards, "in_state": found.shards}
    assert all(outcome.verdict is not Verdict.UNDECLARED_FANOUT for outcome in plan_all(found.design))


def test_sharding_treats_a_fan_out_smaller_than_the_number_of_shards_as_undeclared() -> None:
    verdicts = {outcome.pattern.name: outcome.verdict for outcome in plan_all(SpreadReadings.design)}
    assert verdicts == {"week": Verdict.DECLARED_FANOUT, "hopeless": Verdict.UNDECLARED_FANOUT}


def test_sharding_tries_the_maximum_number_of_shards() -> None:
    found = sharding_for(Flood.design, _hottest(Flood), Growth(1))
    assert isinstance(found, Sharding)
    assert found.shards == 1_000
    assert found.course.share == 0


def test_sharding_of_a_keys_only_index_includes_the_batches_in_the_fan_out() -> None:
    found = sharding_for(Alarms.design, _hottest(Alarms), Growth(10))
    assert isinstance(found, Sharding)
    assert found.course.share == 0
    # A hundred keys are one batch, by the limit that a caller gets; 250 that are expected are three.
    assert found.fanouts == {"of_kind": found.shards + 1, "all_of_kind": found.shards + 3}
    assert all(outcome.verdict is not Verdict.UNDECLARED_FANOUT for outcome in plan_all(found.design))
