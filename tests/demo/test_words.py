"""A tour in words: costs, fan-outs that are cut short, and the rows of a summary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from singletable.demo.captured import Captured, Cost
from singletable.demo.systems import systems_named
from singletable.demo.tour import Asked, take
from singletable.demo.words import cost_text, counted, elsewhere_text, request_lines, summary_rows, tables_text


def query(number: int, **more: Any) -> Captured:
    key = {"TableName": "T", "Key": {"PK": {"N": str(number)}}, **more}
    return Captured("GetItem", key, {"ConsumedCapacity": {"CapacityUnits": 0.5}})


def asked(*requests: Captured, elsewhere: tuple[Captured, ...] = ()) -> Asked:
    return Asked("name", "Title.", ("PK",), requests, "", elsewhere)


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(1, 0.5), "1 request, 0.5 read units"),
        (Cost(2, 1.0), "2 requests, 1 read unit"),
        (Cost(1, 0, 2), "1 request, 2 write units"),
        (Cost(2, 0.5, 1), "2 requests, 0.5 read units, 1 write unit"),
        (Cost(1), "1 request, 0 read units"),
    ],
)
def test_a_cost_reads_as_one_says_it(cost: Cost, text: str) -> None:
    assert cost_text(cost) == text


def test_requests_that_are_alike_are_cut_short_and_others_are_not() -> None:
    lines = request_lines(asked(*(query(number) for number in range(9)), query(9, IndexName="GSI1")))
    assert lines == [
        "GetItem T: PK = 0",
        "GetItem T: PK = 1",
        "GetItem T: PK = 2",
        "and 6 more like these",
        "GetItem T.GSI1: PK = 9",
    ]


def test_a_long_request_is_cut_and_says_so() -> None:
    (line,) = request_lines(asked(query(1, FilterExpression="a = b AND " * 40)))
    assert len(line) == 200
    assert line.endswith(" ...")


def test_one_more_request_is_shown_and_not_counted() -> None:
    assert len(request_lines(asked(*(query(number) for number in range(4))))) == 4


def test_what_costs_the_same_is_said_to() -> None:
    assert elsewhere_text(asked(query(1), elsewhere=(query(1),))) == "the same"
    several = asked(query(1), elsewhere=(query(1), query(2)))
    assert elsewhere_text(several) == "2 requests, 1 read unit (2 x GetItem T)"


def test_the_last_row_of_a_summary_is_the_sum() -> None:
    shop = take(*systems_named(["shop.customer", "shop.whole_order"]))
    assert [[cell.strip() for cell in row] for row in summary_rows(shop)] == [
        ["customer", "1", "0.5", "1", "0.5"],
        ["whole_order", "1", "0.5", "2", "1"],
        ["together", "2", "1", "3", "1.5"],
    ]
    assert tables_text(shop) == "Table: Shop (13 items, 4 entities)"


def test_a_script_that_asks_other_tables_has_no_row() -> None:
    shop = take(*systems_named(["shop.whole_order"]))
    aside = replace(shop, asked=(asked(), *shop.asked))
    assert summary_rows(aside) == summary_rows(shop)


def test_a_noun_follows_its_number() -> None:
    assert [counted(1, "entity"), counted(2, "entity"), counted(1200, "item")] == [
        "1 entity",
        "2 entities",
        "1,200 items",
    ]
