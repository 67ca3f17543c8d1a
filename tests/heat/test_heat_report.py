"""A report brings together partitions, the table as a whole, advice and what was guessed."""

from __future__ import annotations

import pytest

from examples.guide.model import Guide
from singletable.cost.prices import prices_of
from singletable.heat.heat_report import heat_report
from singletable.heat.sharding import Sharding
from singletable.heat.simulation import Growth
from singletable.model.entity import Cardinality, cardinalities, skewed
from tests.heat.models import Events, Pages

PRICES = prices_of("us-east-1")


def test_the_heat_report_finds_the_hot_event_type_and_advice_that_removes_the_throttling() -> None:
    report = heat_report(Events.design, PRICES, [Growth(1), Growth(10), Growth(100)])
    hottest = report.hot[0]
    assert hottest.partition.template == "EVTTYPE#{kind}"
    assert hottest.throttles_at == Growth(10)
    assert [course.share > 0 for course in hottest.results] == [False, True, True]
    assert [advice.growth.times for advice in hottest.advice] == [10, 100]
    for advice in hottest.advice:
        assert isinstance(advice.what, Sharding)
        assert advice.what.course.share == 0
        assert advice.dollars_after > advice.dollars_before
    assert not report.throttles


def test_the_heat_report_shows_that_the_current_traffic_can_already_throttle() -> None:
    assert heat_report(Pages.design, PRICES, [Growth(1)]).throttles


def test_the_heat_report_simulates_the_table_and_its_indexes() -> None:
    on_demand = heat_report(Events.design, PRICES, [Growth(10)])
    assert [place.label for place in on_demand.places] == ["table", "GSI1"]
    assert on_demand.places[0].demand.writes == pytest.approx(500)
    provisioned = heat_report(Events.design, PRICES, [Growth(10)], is_provisioned=True)
    assert provisioned.places[0].results[0].at_the_end > on_demand.places[0].results[0].at_the_end


def test_the_heat_report_treats_a_number_of_values_as_a_uniform_distribution() -> None:
    assert cardinalities({"region": 4}) == {"region": Cardinality(4, 0.25)}


@pytest.mark.parametrize(("values", "hottest"), [(0, 1), (4, 0.2), (4, 1.5), (True, 1), (2.5, 1)])
def test_the_heat_report_rejects_an_impossible_cardinality(values: int, hottest: float) -> None:
    with pytest.raises(ValueError, match=r"values"):
        skewed(values, hottest=hottest)


def test_the_heat_report_shows_that_shards_carry_the_hot_event_type_of_the_guide() -> None:
    report = heat_report(Guide.design, PRICES, [Growth(10)])
    hottest = report.hot[0]
    assert (hottest.partition.index.label, hottest.partition.template) == ("GSI1", "EVTTYPE#{kind}")
    assert hottest.results[0].share > 0.5
    (advice,) = hottest.advice
    assert isinstance(advice.what, Sharding)
    assert advice.what.course.share == 0
    sharded = heat_report(advice.what.design, PRICES, [Growth(10)])
    assert not any(hot.results[0].share for hot in sharded.hot if hot.partition.template.startswith("EVTTYPE"))
