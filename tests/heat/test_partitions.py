"""Traffic falls on the hottest partition by the share that its fields' most frequent values draw."""

from __future__ import annotations

import pytest

from singletable import Table
from singletable.cost.calls import call_costs
from singletable.heat.partitions import Demand, HotPartition, hot_partitions
from singletable.planner.item_sizes import Sizes
from tests.heat.models import Events, Forums, Ledgers, Notes, Pages, Sensors, SpreadEvents, SpreadReadings


def _hot(table: type[Table]) -> tuple[HotPartition, ...]:
    return hot_partitions(table.design, call_costs(table.design, Sizes(table.design)))


def test_the_partition_of_the_most_frequent_kind_is_the_hottest() -> None:
    first, second = _hot(Events)
    assert (first.index.label, first.template, first.hot_fields) == ("GSI1", "EVTTYPE#{kind}", ("kind",))
    assert first.demand.writes == pytest.approx(500 * 0.7)
    assert (second.index.label, second.template) == ("table", "DEVICE#{device_id}")
    assert second.demand.writes == pytest.approx(500 / 20_000)


def test_shards_share_what_falls_on_a_partition() -> None:
    assert _hot(SpreadEvents)[0].demand.writes == pytest.approx(500 * 0.7 / 10)


def test_reads_and_writes_share_the_capacity_of_a_partition() -> None:
    assert Demand(reads=1500, writes=500).partitions == pytest.approx(1.0)


def test_a_partition_that_grows_at_its_end_is_never_split() -> None:
    assert "always sort last" in _hot(Events)[0].stays_whole


def test_a_single_item_is_never_split() -> None:
    (hot,) = _hot(Pages)
    assert hot.stays_whole == "it is one item"
    assert hot.demand.reads == pytest.approx(10_000 * 0.5 * 0.9)


def test_items_that_sort_anywhere_can_be_split() -> None:
    (hot,) = _hot(Notes)
    assert hot.stays_whole == ""


def test_what_nobody_declared_is_named_as_a_guess() -> None:
    from examples.shop.model import Shop

    guesses = [guess for hot in _hot(Shop) for guess in hot.guessed]
    assert "how traffic spreads over Customer.id: 10,000 values alike" in guesses


def test_a_call_asks_one_partition_for_all_that_it_reads_there() -> None:
    (hot,) = _hot(Ledgers)
    whole, one = sorted(hot.loads, key=lambda load: load.pattern, reverse=True)
    assert whole.at_once.reads == pytest.approx(100_000 * 400 / 4096 * 0.5, rel=0.01)
    assert whole.calls_per_second == pytest.approx(0.0001 / 4)
    assert one.at_once.reads == 0.5
    assert (whole.is_burst, one.is_burst) == (True, False)


def test_a_read_of_several_buckets_asks_each_for_its_part() -> None:
    (hot,) = _hot(Sensors)
    (load,) = hot.loads
    one_day = 1_000 * 100 / 4096 * 0.5
    assert load.at_once.reads == pytest.approx(one_day, rel=0.05)
    assert load.demand.reads == pytest.approx(10 * one_day, rel=0.05)


def test_what_a_write_keeps_right_falls_on_the_partitions_where_it_is() -> None:
    counters, posts = _hot(Forums)
    assert (counters.template, counters.stays_whole) == ("FORUM#{name}", "it is one item")
    assert counters.demand.writes == pytest.approx(3_000 * 2 / 3)  # in a transaction a unit counts twice
    assert posts.template == "POST#{id}"
    assert posts.demand.writes == pytest.approx(3_000 * 2 / 10_000_000)


def test_shards_within_buckets_share_what_the_fan_out_leaves_to_each() -> None:
    (hot,) = _hot(SpreadReadings)
    week = next(load for load in hot.loads if load.pattern == "week")
    # Seven days in eight partitions each: one of them is asked once by every call that asks for its day.
    assert week.calls_per_second == pytest.approx(10)
