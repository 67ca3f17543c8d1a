"""The shards that heat proposes carry the traffic: planned, priced and simulated again."""

from __future__ import annotations

import pytest

from singletable import Table
from singletable.cost.calls import call_costs
from singletable.heat.partitions import HotPartition, hot_partitions
from singletable.heat.sharding import Sharding, sharding_for
from singletable.heat.simulation import Growth, partition_course
from singletable.planner.item_sizes import Sizes
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
    return hot_partitions(table.design, call_costs(table.design, Sizes(table.design)))[0]


@pytest.mark.parametrize("times", [10, 100])
def test_shards_remove_the_throttling_of_the_hot_event_type(times: float) -> None:
    hot, growth = _hottest(Events), Growth(times)
    assert partition_course(hot.demand, growth, can_split=False).share > 0.5
    found = sharding_for(Events.design, hot, growth)
    assert isinstance(found, Sharding)
    assert found.course.share == 0
    assert found.partition == "EVTTYPE#{kind}#{shard}"
    assert found.shards == pytest.approx(350 * times / 1000 / 0.7, rel=0.2)


def test_the_reads_of_a_sharded_index_are_planned_again_with_their_fan_out() -> None:
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
        f'Give Event derived={{"shard": shard("id", of={found.shards})}} and gsi1=("EVTTYPE#{{kind}}#{{shard}}", ...), '
        f"and of_kind @pattern(fanout={found.shards}), since it reads every shard."
    )


def test_fan_out_costs_more_reads_and_the_price_says_so() -> None:
    found = sharding_for(Events.design, _hottest(Events), Growth(100))
    assert isinstance(found, Sharding)
    before = {call.name: call.estimate.units for call in call_costs(Events.design, Sizes(Events.design))}
    after = {call.name: call.estimate.units for call in found.calls}
    assert after["of_kind"] > before["of_kind"]
    assert after["report"] == before["report"]


def test_a_key_that_has_shards_already_is_given_more_of_them() -> None:
    found = sharding_for(SpreadEvents.design, _hottest(SpreadEvents), Growth(100))
    assert isinstance(found, Sharding)
    assert (found.partition, found.before, found.shards) == ("EVTTYPE#{kind}#{part}", 10, 50)
    assert found.course.share == 0
    assert str(found) == 'Give SpreadEvent derived={"part": shard("id", of=50)} instead of 10.'


def test_one_item_cannot_be_sharded() -> None:
    assert "one item" in str(sharding_for(Pages.design, _hottest(Pages), Growth(10)))


def test_a_table_is_sharded_where_its_key_is_known_whole() -> None:
    found = sharding_for(Notes.design, _hottest(Notes), Growth(10))
    assert isinstance(found, Sharding)
    assert found.partition == "PAGE#{page_id}#{shard}"
    assert found.fanned == ()


def test_each_shard_holds_its_part_of_what_the_partition_held() -> None:
    found = sharding_for(Members.design, _hottest(Members), Growth(100))
    assert isinstance(found, Sharding)
    (before,) = call_costs(Members.design, Sizes(Members.design))
    (after,) = found.calls
    assert found.course.share == 0
    assert found.shards == 6
    assert after.estimate.items == pytest.approx(before.estimate.items, abs=found.shards)
    assert after.estimate.units == pytest.approx(before.estimate.units, abs=found.shards)  # each rounds by itself


def test_reads_of_every_shard_are_carried_by_no_number_of_them_and_are_named() -> None:
    said = sharding_for(Members.design, _hottest(Members), Growth(8_000))
    assert said == (
        "No number of shards carries it, since by_signup would read every one of them: "
        "cache what is read, or ask for less of it in one call."
    )


@pytest.mark.parametrize("times", [10, 1_000_000])
def test_a_key_that_is_an_attribute_is_the_reason_however_many_shards_it_would_take(times: float) -> None:
    assert "only a template can be given a shard" in str(sharding_for(Tickers.design, _hottest(Tickers), Growth(times)))


def test_shards_divide_a_call_that_is_too_large_for_one_partition() -> None:
    found = sharding_for(Ledgers.design, _hottest(Ledgers), Growth(1))
    assert isinstance(found, Sharding)
    assert found.shards == 3  # 4,883 units at once, of which a partition at 70 % gives 2,100
    assert found.course.share == 0
    assert found.fanned == ("whole_ledger",)


def test_shards_leave_room_for_a_large_call_beside_the_traffic_of_every_second() -> None:
    found = sharding_for(Ledgers.design, _hottest(Ledgers), Growth(100))
    assert isinstance(found, Sharding)
    assert found.course.share == 0
    whole = next(call for call in found.calls if call.name == "whole_ledger")
    steady = 100 * 400 * 0.5 / 4 / found.shards
    assert steady + whole.estimate.units / found.shards <= 3_000


def test_a_counter_that_is_written_too_often_is_told_apart_from_an_item_that_is_read() -> None:
    said = sharding_for(Forums.design, _hottest(Forums), Growth(1))
    assert said == "All of it writes one item, which no key can spread: count from the stream, or in several items."


def test_shards_in_buckets_raise_the_fan_out_that_was_declared() -> None:
    found = sharding_for(Dailies.design, _hottest(Dailies), Growth(10))
    assert isinstance(found, Sharding)
    assert found.fanouts == {"week": 7 * found.shards}
    assert f"week @pattern(fanout={7 * found.shards}), since it reads every shard" in str(found)
    assert all(outcome.verdict is not Verdict.UNDECLARED_FANOUT for outcome in plan_all(found.design))


def test_shards_in_a_closed_set_are_read_for_each_of_its_values() -> None:
    found = sharding_for(Tasks.design, _hottest(Tasks), Growth(10))
    assert isinstance(found, Sharding)
    assert found.fanouts == {"in_any_state": 3 * found.shards, "in_state": found.shards}
    assert all(outcome.verdict is not Verdict.UNDECLARED_FANOUT for outcome in plan_all(found.design))


def test_a_fan_out_that_not_even_one_bucket_keeps_to_is_undeclared() -> None:
    verdicts = {outcome.pattern.name: outcome.verdict for outcome in plan_all(SpreadReadings.design)}
    assert verdicts == {"week": Verdict.DECLARED_FANOUT, "hopeless": Verdict.UNDECLARED_FANOUT}


def test_as_many_shards_as_are_ever_proposed_are_tried() -> None:
    found = sharding_for(Flood.design, _hottest(Flood), Growth(1))
    assert isinstance(found, Sharding)
    assert found.shards == 1_000
    assert found.course.share == 0


def test_shards_of_a_thin_index_are_read_with_the_batches_that_fetch_a_usual_answer() -> None:
    found = sharding_for(Alarms.design, _hottest(Alarms), Growth(10))
    assert isinstance(found, Sharding)
    assert found.course.share == 0
    # A hundred keys are one batch, by the limit that a caller gets; 250 that are expected are three.
    assert found.fanouts == {"of_kind": found.shards + 1, "all_of_kind": found.shards + 3}
    assert all(outcome.verdict is not Verdict.UNDECLARED_FANOUT for outcome in plan_all(found.design))
