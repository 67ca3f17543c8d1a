"""Traffic falls on the hottest partition by the share that its fields' most frequent values draw."""

from __future__ import annotations

import pytest

from singletable import Table
from singletable.cost.call_costs import call_costs
from singletable.heat.hot_partitions import Demand, HotPartition, hot_partitions
from singletable.planner.item_sizes import ItemSizes
from tests.heat.models import Events, Forums, Ledgers, Notes, Pages, Sensors, SpreadEvents, SpreadReadings


def _hot(table: type[Table]) -> tuple[HotPartition, ...]:
    return hot_partitions(table.design, call_costs(table.design, ItemSizes(table.design)))


def test_hot_partitions_start_with_the_partition_of_the_most_frequent_kind() -> None:
    first, second = _hot(Events)
    assert (first.index.label, first.template, first.hot_fields) == ("GSI1", "EVTTYPE#{kind}", ("kind",))
    assert first.demand.writes == pytest.approx(500 * 0.7)
    assert (second.index.label, second.template) == ("table", "DEVICE#{device_id}")
    assert second.demand.writes == pytest.approx(500 / 20_000)


def test_hot_partitions_have_their_traffic_divided_by_shards() -> None:
    assert _hot(SpreadEvents)[0].demand.writes == pytest.approx(500 * 0.7 / 10)


def test_hot_partitions_share_their_capacity_between_reads_and_writes() -> None:
    assert Demand(reads=1500, writes=500).partitions == pytest.approx(1.0)


def test_hot_partitions_that_grow_at_their_end_are_never_split() -> None:
    assert "always sort last" in _hot(Events)[0].unsplittable_reason


def test_hot_partitions_of_a_single_item_are_never_split() -> None:
    (hot,) = _hot(Pages)
    assert hot.unsplittable_reason == "it is a single item"
    assert hot.demand.reads == pytest.approx(10_000 * 0.5 * 0.9)


def test_hot_partitions_whose_items_sort_anywhere_can_be_split() -> None:
    (hot,) = _hot(Notes)
    assert hot.unsplittable_reason == ""


def test_hot_partitions_list_undeclared_values_as_guesses() -> None:
    from examples.shop.model import Shop

    guesses = [guess for hot in _hot(Shop) for guess in hot.guessed]
    assert "the traffic over Customer.id: uniform over 10,000 values" in guesses


def test_hot_partitions_serve_all_reads_of_one_call() -> None:
    (hot,) = _hot(Ledgers)
    whole, one = sorted(hot.loads, key=lambda load: load.pattern, reverse=True)
    assert whole.at_once.reads == pytest.approx(100_000 * 400 / 4096 * 0.5, rel=0.01)
    assert whole.calls_per_second == pytest.approx(0.0001 / 4)
    assert one.at_once.reads == 0.5
    assert (whole.is_burst, one.is_burst) == (True, False)


def test_hot_partitions_divide_a_read_of_several_buckets_among_the_buckets() -> None:
    (hot,) = _hot(Sensors)
    (load,) = hot.loads
    one_day = 1_000 * 100 / 4096 * 0.5
    assert load.at_once.reads == pytest.approx(one_day, rel=0.05)
    assert load.demand.reads == pytest.approx(10 * one_day, rel=0.05)


def test_hot_partitions_count_derived_data_on_its_own_partitions() -> None:
    counters, posts = _hot(Forums)
    assert (counters.template, counters.unsplittable_reason) == ("FORUM#{name}", "it is a single item")
    assert counters.demand.writes == pytest.approx(3_000 * 2 / 3)  # in a transaction a unit counts twice
    assert posts.template == "POST#{id}"
    assert posts.demand.writes == pytest.approx(3_000 * 2 / 10_000_000)


def test_hot_partitions_with_shards_within_buckets_divide_the_declared_fan_out() -> None:
    (hot,) = _hot(SpreadReadings)
    week = next(load for load in hot.loads if load.pattern == "week")
    # Seven days with eight partitions each: every call for a day reads each of its partitions once.
    assert week.calls_per_second == pytest.approx(10)
