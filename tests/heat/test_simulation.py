"""An hour of traffic on partitions and tables that give so much a second."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.cost.calls import call_costs
from singletable.heat.partitions import Demand, Load, hot_partitions
from singletable.heat.shares import Share
from singletable.heat.simulation import Growth, hot_course, on_demand_course, partition_course, provisioned_course
from singletable.planner.item_sizes import Sizes
from tests.heat.models import Entry, Ledgers

amounts = st.floats(0, 1e6)


@given(reads=amounts, writes=amounts, times=st.floats(1, 1000), can_split=st.booleans())
def test_a_partition_throttles_exactly_what_is_above_its_limits(
    reads: float, writes: float, times: float, can_split: bool
) -> None:
    asked = Demand(reads, writes).times(times).partitions
    course = partition_course(Demand(reads, writes), Growth(times, seconds=300), can_split=can_split)
    assert course.share == pytest.approx(max(0.0, 1 - 1 / asked) if asked else 0.0, abs=1e-9)
    assert (course.first_second is None) == (course.share == 0)


def test_a_partition_that_stays_hot_is_split_until_it_serves_all() -> None:
    course = partition_course(Demand(writes=100), Growth(30), can_split=True)
    assert course.throttled[0] == pytest.approx(1 - 1 / 3)
    assert course.splits == 2
    assert course.at_the_end == 0


def test_a_partition_that_cannot_be_split_throttles_for_good() -> None:
    course = partition_course(Demand(writes=100), Growth(30), can_split=False)
    assert course.splits == 0
    assert course.at_the_end == pytest.approx(1 - 1 / 3)


def test_a_table_on_demand_serves_twice_its_peak_and_more_after_half_an_hour() -> None:
    course = on_demand_course(Demand(writes=4_000), Growth(4))
    assert course.throttled[0] == pytest.approx(0.5)
    assert course.throttled[29] == pytest.approx(0.5)
    assert course.throttled[31] == 0


def test_a_new_table_serves_four_thousand_writes_at_once() -> None:
    assert on_demand_course(Demand(writes=4), Growth(1000)).share == 0
    assert on_demand_course(Demand(writes=4.1), Growth(1000)).share > 0


def test_traffic_that_doubles_slowly_is_never_throttled() -> None:
    assert on_demand_course(Demand(writes=4_000), Growth(2, over_seconds=1800)).share == 0


def test_provisioned_capacity_lasts_five_minutes_longer_than_it_is_enough() -> None:
    # Half of it was unused for five minutes: 150 seconds of the whole, of which one is used up every second.
    course = provisioned_course(Demand(10, 10), Demand(20, 20), Growth(4))
    assert course.first_second == 150
    assert course.at_the_end == pytest.approx(0.5)


@given(times=st.floats(1, 100), over=st.integers(1, 3000), second=st.integers(0, 3600))
def test_growth_is_steady_and_ends_where_it_should(times: float, over: int, second: int) -> None:
    growth = Growth(times, over)
    assert 1 <= growth.factor(second) <= times
    assert growth.factor(0) == 1
    assert growth.factor(over) == times


def _burst(calls_per_second: float, units: float) -> Load:
    entity = next(each for each in Ledgers.design.entities if each.cls is Entry)
    demand = Demand(reads=calls_per_second * units)
    return Load("whole_ledger", entity, demand, Share(1.0, (), ()), at_once=Demand(reads=units))


def test_a_call_that_is_too_large_for_a_second_throttles_though_its_average_is_nothing() -> None:
    seldom = _burst(0.0001, 9_000)
    assert partition_course(seldom.demand, Growth(1), can_split=False).share == 0
    course = partition_course(Demand(), Growth(1), can_split=False, bursts=[seldom])
    assert course.first_second == 0
    assert course.throttled[0] == pytest.approx(2 / 3)
    assert not any(course.throttled[1:])


@given(every=st.integers(1, 50), units=st.floats(301, 30_000), steady=st.floats(0, 3_000), times=st.integers(1, 20))
def test_large_calls_throttle_in_the_seconds_in_which_they_come(
    every: int, units: float, steady: float, times: int
) -> None:
    asked = refused = 0.0
    for second in range(300):
        calls = sum(1 for call in range(300 * times) if second <= call * every / times < second + 1)
        wanted = (steady * times + calls * units) / 3_000
        asked, refused = asked + wanted, refused + max(0.0, wanted - 1)
    burst = _burst(1 / every, units)
    course = partition_course(Demand(reads=steady), Growth(times, seconds=300), can_split=False, bursts=[burst])
    # Sums of fractions may put a call that comes at the turn of a second on its other side.
    assert course.share == pytest.approx(refused / asked, rel=0.05, abs=0.01)


def test_the_steady_traffic_beside_a_large_call_is_as_it_was() -> None:
    (hot,) = hot_partitions(Ledgers.design, call_costs(Ledgers.design, Sizes(Ledgers.design)))
    assert [load.pattern for load in hot.bursts] == ["whole_ledger"]
    assert hot.steady.reads == pytest.approx(400 * 0.5 / 4)
    assert hot_course(hot, Growth(1)).first_second == 0
    assert hot_course(hot, Growth(1, seconds=3600)).at_the_end == 0
