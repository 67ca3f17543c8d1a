"""Pictures show a selection of item collections, and the rows that a request reads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from singletable import Page, Table, entity, get, pattern, query
from singletable.document.picture_selection import SelectedPicture, draw_index, draw_read
from singletable.planner.stored_items import item_of


@entity(key=("LIST#{list_id}", "LINE#{on}"), identity=["list_id", "on"])
@dataclass
class Line:
    list_id: str
    on: date


class Lists(Table, entities=[Line]):
    @pattern()
    def latest(self, list_id: str, *, limit: int = 2) -> Page[Line]:
        """Return the last lines of a list."""
        return query(Line, newest_first=True)

    @pattern()
    def one(self, list_id: str, on: date) -> Line | None:
        """One line."""
        return get(Line)


def lines(lists: int, each: int) -> list[dict[str, Any]]:
    (entity,) = Lists.design.entities
    return [
        dict(item_of(Lists.design, entity, {"list_id": f"l{number}", "on": date(2026, 1, 1 + line)}))
        for number in range(lists)
        for line in range(each)
    ]


def read_by(items: list[dict[str, Any]], **arguments: Any) -> SelectedPicture | None:
    plan = Lists.latest if "on" not in arguments else Lists.one
    return draw_read(Lists.design, items, plan.explain(**arguments).requests, "x", "X", "call()")


def test_picture_selection_draws_three_similar_collections_with_four_rows_per_entity() -> None:
    drawn = draw_index(Lists.design, lines(5, 6), None, "lists")
    assert drawn is not None
    assert drawn.picture.text.count("PK LIST#") == 3
    assert drawn.picture.text.count("LINE#") == 12
    assert drawn.omitted == "Not shown: 18 more rows in 2 similar collections."


@pytest.mark.parametrize(
    ("lists", "each", "said"),
    [
        (3, 4, ""),
        (1, 5, "Not shown: 1 more row."),
        (4, 1, "Not shown: 1 more row in one similar collection."),
    ],
)
def test_picture_selection_counts_omitted_rows(lists: int, each: int, said: str) -> None:
    drawn = draw_index(Lists.design, lines(lists, each), None, "lists")
    assert drawn is not None
    assert drawn.omitted == said


def test_picture_selection_draws_no_picture_without_items() -> None:
    assert draw_index(Lists.design, [], None, "lists") is None


def test_picture_selection_marks_rows_of_a_descending_query_up_to_its_limit() -> None:
    drawn = read_by(lines(2, 4), list_id="l1")
    assert drawn is not None
    marked = [line.split()[1] for line in drawn.picture.text.splitlines() if line.startswith("  > ")]
    assert marked == ["LINE#2026-01-03", "LINE#2026-01-04"]
    assert "LIST#l0" not in drawn.picture.text


def test_picture_selection_marks_the_one_row_that_a_get_reads() -> None:
    drawn = read_by(lines(1, 3), list_id="l0", on=date(2026, 1, 2))
    assert drawn is not None
    assert [line for line in drawn.picture.text.splitlines() if line.startswith("  > ")] == [
        "  > LINE#2026-01-02  Line"
    ]


def test_picture_selection_draws_no_picture_for_a_request_that_reads_nothing() -> None:
    assert read_by(lines(1, 3), list_id="elsewhere") is None
