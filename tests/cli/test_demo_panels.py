"""The demo on a terminal: one panel per script, both costs, and a summary with totals."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from singletable.cli.demo_panels import run_panel, tour_parts
from singletable.demo.systems import systems_named
from singletable.demo.tour import Tour, run_tour
from singletable.demo.tour_text import NOT_COUNTED


@pytest.fixture(scope="module")
def shop() -> Tour:
    return run_tour(*systems_named(["shop.whole_order", "shop.customers_by_hash"]))


def drawn(*parts: RenderableType) -> str:
    console = Console(width=100, file=io.StringIO(), color_system=None)
    for part in parts:
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_demo_panel_shows_the_request_the_output_and_both_costs(shop: Tour) -> None:
    lines = [line.strip("│ \n") for line in drawn(run_panel(shop.runs[0])).splitlines()]
    assert lines[0].startswith("╭─ whole_order ─")
    assert [line for line in lines[1:-1] if line] == [
        "Get an order with all line items: the order and its lines share one partition.",
        'Query Shop: PK = "ORDER#o101"',
        "Order o101 for c1 (SHIPPED, £310)",
        "1 x AVON-TORTOISE @ £145",
        "1 x GRANBY-CLEAR @ £165",
        "one table             1 request, 0.5 read units",
        "one table per entity  2 requests, 1 read unit (GetItem Order, Query OrderItem)",
    ]


def test_a_demo_panel_shortens_a_wide_fan_out(shop: Tour) -> None:
    assert "and 5 more like these" in drawn(run_panel(shop.runs[1]))


def test_a_demo_panel_marks_a_script_with_scratch_tables(shop: Tour) -> None:
    assert NOT_COUNTED in drawn(run_panel(replace(shop.runs[0], requests=(), per_entity_requests=())))


def test_demo_panels_start_with_the_name_of_the_tour_and_end_with_its_totals(shop: Tour) -> None:
    lines = drawn(*tour_parts(shop)).rstrip().splitlines()
    assert lines[0].startswith(" shop  An online shop")
    assert lines[-1].split() == ["total", "9", "4.5", "10", "5"]
