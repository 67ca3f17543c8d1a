"""A tour as it is drawn: a frame for each script, costs below each other, a summary with its totals."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from singletable.cli.demo_drawn import asked_panel, tour_parts
from singletable.demo.systems import systems_named
from singletable.demo.tour import Tour, take
from singletable.demo.words import NOT_COUNTED


@pytest.fixture(scope="module")
def shop() -> Tour:
    return take(*systems_named(["shop.whole_order", "shop.customers_by_hash"]))


def drawn(*parts: RenderableType) -> str:
    console = Console(width=100, file=io.StringIO(), color_system=None)
    for part in parts:
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_script_is_framed_with_its_request_its_answer_and_both_costs(shop: Tour) -> None:
    lines = [line.strip("│ \n") for line in drawn(asked_panel(shop.asked[0])).splitlines()]
    assert lines[0].startswith("╭─ whole_order ─")
    assert [line for line in lines[1:-1] if line] == [
        "Get an order with all line items: the header and every line lie in one partition.",
        'Query Shop: PK = "ORDER#o101"',
        "Order o101 for c1 (SHIPPED, £310)",
        "1 x AVON-TORTOISE @ £145",
        "1 x GRANBY-CLEAR @ £165",
        "one table           1 request, 0.5 read units",
        "a table per entity  2 requests, 1 read unit (GetItem Order, Query OrderItem)",
    ]


def test_a_wide_fan_out_is_cut_short(shop: Tour) -> None:
    assert "and 5 more like these" in drawn(asked_panel(shop.asked[1]))


def test_a_script_that_asks_other_tables_says_so(shop: Tour) -> None:
    assert NOT_COUNTED in drawn(asked_panel(replace(shop.asked[0], requests=(), elsewhere=())))


def test_a_tour_begins_with_its_name_and_ends_with_its_totals(shop: Tour) -> None:
    lines = drawn(*tour_parts(shop)).rstrip().splitlines()
    assert lines[0].startswith(" shop  An online shop")
    assert lines[-1].split() == ["together", "9", "4.5", "10", "5"]
