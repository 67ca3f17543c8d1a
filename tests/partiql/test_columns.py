"""Columns: places inside of items, under the last name of their path."""

from __future__ import annotations

from typing import Any

from singletable.expressions.tree import Path
from singletable.partiql.columns import Columns
from singletable.partiql.statements import column_name

ITEM: dict[str, Any] = {
    "s": {"S": "x"},
    "m": {"M": {"k": {"L": [{"N": "1"}, {"S": "two"}]}, "z": {"S": "last"}}},
}


def test_a_column_is_called_by_the_last_name_of_its_path() -> None:
    assert [column_name(path) for path in (Path(("s",)), Path(("m", "k", 1)), Path(("m", "z")))] == ["s", "k[1]", "z"]


def test_columns_come_in_the_order_of_the_statement_and_only_where_they_are() -> None:
    columns = Columns([Path(("m", "k", 1)), Path(("absent",)), Path(("m", "z")), Path(("s",)), Path(("s", "in"))])
    assert list(columns.apply(ITEM).items()) == [("k[1]", {"S": "two"}), ("z", {"S": "last"}), ("s", {"S": "x"})]


def test_a_column_may_be_inside_another() -> None:
    columns = Columns([Path(("m",)), Path(("m", "k"))])
    assert columns.apply(ITEM) == {"m": ITEM["m"], "k": {"L": [{"N": "1"}, {"S": "two"}]}}
    assert columns.attributes == columns.nested_attributes == frozenset({"m"})
