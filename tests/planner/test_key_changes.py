"""Edits of keys, with the parameters that patterns then need."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Page, Table, entity, get, pattern, query
from singletable.planner.key_changes import key_change, template_change


@entity(key=("CUST#{customer_id}", "LINE#{line:03d}"), gsi1=("ORDER#{order_id}", "LINE#{line:03d}"))
@dataclass
class Line:
    customer_id: str
    order_id: str
    line: int


class Shop(Table, entities=[Line]):
    @pattern()
    def line(self, customer_id: str, line: int) -> Line | None:
        return get(Line)


class Listed(Table, entities=[Line]):
    @pattern()
    def from_line(self, customer_id: str, *, limit: int = 10) -> Page[Line]:
        return query(Line)


def test_key_changes_add_the_parameters_that_single_reads_need() -> None:
    (line,) = Shop.design.entities
    edits = key_change(Shop.design, [(line, {"key": ("CUST#{customer_id}", "LINE#{order_id}#{line:03d}")})])
    assert edits is not None
    assert [edit.code for edit in edits] == [
        'key=("CUST#{customer_id}", "LINE#{order_id}#{line:03d}")',
        "order_id: str",
    ]


def test_key_changes_that_lose_a_query_or_do_not_compile_are_not_proposed() -> None:
    (line,) = Listed.design.entities
    assert key_change(Listed.design, [(line, {"key": ("LINE#{order_id}", "{line:03d}#{customer_id}")})]) is None
    assert key_change(Listed.design, [(line, {"key": ("LINE#{nothing}", "{line:03d}")})]) is None


def test_template_changes_edit_every_index_with_the_template_and_no_other() -> None:
    (line,) = Shop.design.entities
    edits = template_change(Shop.design, [line], lambda template: template.replace("LINE#", "ROW#"))
    assert edits is not None
    assert [edit.code for edit in edits] == [
        'key=("CUST#{customer_id}", "ROW#{line:03d}")',
        'gsi1=("ORDER#{order_id}", "ROW#{line:03d}")',
    ]
    edits = template_change(Shop.design, [line], lambda template: template.replace("ORDER#", "O#"))
    assert edits is not None
    assert [edit.code for edit in edits] == ['gsi1=("O#{order_id}", "LINE#{line:03d}")']
    assert template_change(Shop.design, [line], lambda template: template) is None
