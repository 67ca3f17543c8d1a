"""An hour of traffic on partitions and tables that give so much a second."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.cost.call_costs import call_costs
from singletable.heat.hot_partitions import Demand, PartitionLoad, hot_partitions
from singletable.heat.partition_shares import PartitionShare
from singletable.heat.simulation import (
    Growth,
    simulate_hot_partition,
    simulate_on_demand,
    simulate_partition,
    simulate_provisioned,
)
from singletable.planner.item_sizes import ItemSizes
from tests.heat.models import Entry, Ledgers

amounts = st.floats(0, 1e6)


@given(reads=amounts, writes=amounts, times=st.floats(1, 1000), can_split=st.booleans())
def test_the_simulation_of_a_partition_throttles_exactly_what_is_above_its_limits(
    reads: float, writes: float, times: float, can_split: bool
) -> None:
    asked = Demand(reads, writes).times(times).partitions
    course = simulate_partition(Demand(reads, writes), Growth(times, seconds=300), can_split=can_split)
    assert course.share == pytest.approx(max(0.0, 1 - 1 / asked) if asked else 0.0, abs=1e-9)
    assert (course.first_second is None) == (course.share == 0)


def test_the_simulation_splits_a_partition_that_stays_hot_until_it_serves_all() -> None:
    course = simulate_partition(Demand(writes=100), Growth(30), can_split=True)
    assert course.throttled[0] == pytest.approx(1 - 1 / 3)
    assert course.splits == 2
    assert course.at_the_end == 0


def test_the_simulation_keeps_throttling_a_partition_that_cannot_be_split() -> None:
    course = simulate_partition(Demand(writes=100), Growth(30), can_split=False)
    assert course.splits == 0
    assert course.at_the_end == pytest.approx(1 - 1 / 3)


def test_the_simulation_of_an_on_demand_table_serves_twice_its_peak_and_later_more() -> None:
    course = simulate_on_demand(Demand(writes=4_000), Growth(4))
    assert course.throttled[0] == pytest.approx(0.5)
    assert course.throttled[29] == pytest.approx(0.5)
    assert course.throttled[31] == 0


def test_the_simulation_of_a_new_on_demand_table_serves_4000_write_units_per_second() -> None:
    assert simulate_on_demand(Demand(writes=4), Growth(1000)).share == 0
    assert simulate_on_demand(Demand(writes=4.1), Growth(1000)).share > 0


def test_the_simulation_never_throttles_traffic_that_doubles_slowly() -> None:
    assert simulate_on_demand(Demand(writes=4_000), Growth(2, over_seconds=1800)).share == 0


def test_the_simulation_of_provisioned_capacity_has_a_burst_of_five_minutes() -> None:
    # Half of it was unused for five minutes: 150 seconds of the whole, of which one is used up every second.
    course = simulate_provisioned(Demand(10, 10), Demand(20, 20), Growth(4))
    assert course.first_second == 150
    assert course.at_the_end == pytest.approx(0.5)


@given(times=st.floats(1, 100), over=st.integers(1, 3000), second=st.integers(0, 3600))
def test_the_simulation_has_linear_growth_that_ends_at_its_factor(times: float, over: int, second: int) -> None:
    growth = Growth(times, over)
    assert 1 <= growth.factor(second) <= times
    assert growth.factor(0) == 1
    assert growth.factor(over) == times


def _burst(calls_per_second: float, units: float) -> PartitionLoad:
    entity = next(each for each in Ledgers.design.entities if each.cls is Entry)
    demand = Demand(reads=calls_per_second * units)
    return PartitionLoad("whole_ledger", entity, demand, PartitionShare(1.0, (), ()), at_once=Demand(reads=units))


def test_the_simulation_throttles_a_call_larger_than_the_capacity_of_one_second() -> None:
    seldom = _burst(0.0001, 9_000)
    assert simulate_partition(seldom.demand, Growth(1), can_split=False).share == 0
    course = simulate_partition(Demand(), Growth(1), can_split=False, bursts=[seldom])
    assert course.first_second == 0
    assert course.throttled[0] == pytest.approx(2 / 3)
    assert not any(course.throttled[1:])


@given(every=st.integers(1, 50), units=st.floats(301, 30_000), steady=st.floats(0, 3_000), times=st.integers(1, 20))
def test_the_simulation_throttles_large_calls_in_the_second_of_the_call(
    every: int, units: float, steady: float, times: int
) -> None:
    asked = refused = 0.0
    for second in range(300):
        calls = sum(1 for call in range(300 * times) if second <= call * every / times < second + 1)
        wanted = (steady * times + calls * units) / 3_000
        asked, refused = asked + wanted, refused + max(0.0, wanted - 1)
    burst = _burst(1 / every, units)
    course = simulate_partition(Demand(reads=steady), Growth(times, seconds=300), can_split=False, bursts=[burst])
    # Sums of fractions may put a call that comes at the turn of a second on its other side.
    assert course.share == pytest.approx(refused / asked, rel=0.05, abs=0.01)


def test_the_simulation_of_a_burst_does_not_change_the_steady_traffic() -> None:
    (hot,) = hot_partitions(Ledgers.design, call_costs(Ledgers.design, ItemSizes(Ledgers.design)))
    assert [load.pattern for load in hot.bursts] == ["whole_ledger"]
    assert hot.steady.reads == pytest.approx(400 * 0.5 / 4)
    assert simulate_hot_partition(hot, Growth(1)).first_second == 0
    assert simulate_hot_partition(hot, Growth(1, seconds=3600)).at_the_end == 0
