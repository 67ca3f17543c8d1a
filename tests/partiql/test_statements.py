"""Columns of a SELECT, named after the last name of their path."""

from __future__ import annotations

from typing import Any

from singletable.expressions.tree import Path
from singletable.partiql.statements import Columns, column_name

ITEM: dict[str, Any] = {
    "s": {"S": "x"},
    "m": {"M": {"k": {"L": [{"N": "1"}, {"S": "two"}]}, "z": {"S": "last"}}},
}


def test_a_parsed_select_statement_names_a_column_after_the_last_name_of_its_path() -> None:
    assert [column_name(path) for path in (Path(("s",)), Path(("m", "k", 1)), Path(("m", "z")))] == ["s", "k[1]", "z"]


def test_a_parsed_select_statement_returns_columns_in_its_order_without_missing_ones() -> None:
    columns = Columns([Path(("m", "k", 1)), Path(("absent",)), Path(("m", "z")), Path(("s",)), Path(("s", "in"))])
    assert list(columns.apply(ITEM).items()) == [("k[1]", {"S": "two"}), ("z", {"S": "last"}), ("s", {"S": "x"})]


def test_a_parsed_select_statement_may_have_a_column_inside_another() -> None:
    columns = Columns([Path(("m",)), Path(("m", "k"))])
    assert columns.apply(ITEM) == {"m": ITEM["m"], "k": {"L": [{"N": "1"}, {"S": "two"}]}}
    assert columns.attributes == columns.nested_attributes == frozenset({"m"})
