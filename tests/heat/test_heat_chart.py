"""The picture of heat is SVG that says what the report says."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from examples.guide.model import Guide
from singletable.cost.prices import prices_of
from singletable.heat.heat_chart import heat_chart
from singletable.heat.heat_report import heat_report
from singletable.heat.simulation import Growth
from tests.heat.models import Events, SpreadEvents


def test_the_heat_chart_shows_growths_of_every_partition_and_the_effect_of_the_advice() -> None:
    report = heat_report(Events.design, prices_of("us-east-1"), [Growth(times) for times in (1, 10, 100)])
    root = ElementTree.fromstring(heat_chart(report))
    said = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert "EVTTYPE#{kind}" in said
    assert "DEVICE#{device_id}" in said
    assert said.count("x1") == 2
    assert "x10  71.5% throttled" in said
    assert "with 6 shards" in said
    assert sum(element.tag.endswith("polyline") for element in root.iter()) == 2


def test_the_heat_chart_has_no_curve_without_throttling() -> None:
    report = heat_report(SpreadEvents.design, prices_of("us-east-1"), [Growth(1)])
    assert "polyline" not in heat_chart(report)


@pytest.mark.slow
def test_the_heat_chart_in_the_docs_is_up_to_date() -> None:
    report = heat_report(Guide.design, prices_of("us-east-1"), [Growth(times) for times in (1, 10, 100, 1000)])
    picture = Path(__file__).parents[2] / "docs/pictures/heat.svg"
    assert heat_chart(report) == picture.read_text(encoding="utf-8"), (
        "run `singletable heat examples/guide/model.py:Guide --picture docs/pictures/heat.svg` to draw it again"
    )
