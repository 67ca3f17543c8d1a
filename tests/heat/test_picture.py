"""The picture of heat is SVG that says what the report says."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from examples.guide.model import Guide
from singletable.cost.prices import prices_of
from singletable.heat.picture import heat_picture
from singletable.heat.report import heat_report
from singletable.heat.simulation import Growth
from tests.heat.models import Events, SpreadEvents


def test_a_picture_shows_every_growth_of_every_partition_and_the_hour_after_the_advice() -> None:
    report = heat_report(Events.design, prices_of("us-east-1"), [Growth(times) for times in (1, 10, 100)])
    root = ElementTree.fromstring(heat_picture(report))
    said = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert "EVTTYPE#{kind}" in said
    assert "DEVICE#{device_id}" in said
    assert said.count("x1") == 2
    assert "x10  71.5% throttled" in said
    assert "with 6 shards" in said
    assert sum(element.tag.endswith("polyline") for element in root.iter()) == 2


def test_without_throttling_there_is_no_hour_to_show() -> None:
    report = heat_report(SpreadEvents.design, prices_of("us-east-1"), [Growth(1)])
    assert "polyline" not in heat_picture(report)


def test_the_picture_of_the_docs_is_fresh() -> None:
    report = heat_report(Guide.design, prices_of("us-east-1"), [Growth(times) for times in (1, 10, 100, 1000)])
    kept = Path(__file__).parents[2] / "docs/pictures/heat.svg"
    assert heat_picture(report) == kept.read_text(encoding="utf-8"), (
        "singletable heat examples/guide/model.py:Guide --picture docs/pictures/heat.svg draws it anew"
    )
