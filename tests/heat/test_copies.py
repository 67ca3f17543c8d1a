"""Copies ask each partition for what lies there, and the reads that find them fall on what is read."""

from __future__ import annotations

import pytest

from singletable import Table
from singletable.cost.calls import call_costs
from singletable.cost.prices import prices_of
from singletable.heat.partitions import Load, hot_partitions
from singletable.heat.report import heat_report
from singletable.heat.simulation import Growth
from singletable.planner.item_sizes import Sizes
from tests.heat.models import Magazine, SpreadMagazine

LOOKS = 3
"""Copies that follow in parts are looked for before the write, and after it until none is left behind."""


def _load(table: type[Table], template: str, *, reads: bool = False, pattern: str = "rename") -> Load:
    forms = hot_partitions(table.design, call_costs(table.design, Sizes(table.design)))
    loads = next(form for form in forms if form.template == template).loads
    (load,) = [each for each in loads if each.pattern == pattern and bool(each.demand.reads) is reads]
    return load


def test_copies_that_are_each_in_a_partition_of_their_own_are_no_burst_on_one() -> None:
    load = _load(Magazine, "ARTICLE#{id}")
    assert load.at_once.writes == 2  # in a transaction a unit counts twice
    assert load.demand.writes == pytest.approx(0.01 * 900 * 2 / 900_000)
    assert not load.is_burst


def test_a_change_of_many_copies_in_many_partitions_is_served() -> None:
    report = heat_report(Magazine.design, prices_of("us-east-1"), [Growth(1)])
    served = {hot.partition.template: not hot.courses[0].share for hot in report.hot}
    assert served["ARTICLE#{id}"]


def test_copies_come_at_once_where_they_lie_together() -> None:
    assert _load(Magazine, "AUTHOR#{author}").at_once.writes == 900


def test_copies_are_spread_over_the_values_of_fields_that_they_are_not_found_by() -> None:
    assert _load(Magazine, "LANGUAGE#{language}").at_once.writes == pytest.approx(900 * 0.8)


def test_a_partition_is_asked_for_no_more_copies_than_it_is_expected_to_hold() -> None:
    assert _load(Magazine, "MONTH#{month}").at_once.writes == 50


def test_what_is_derived_of_the_fields_that_copies_are_found_by_keeps_them_together() -> None:
    assert _load(Magazine, "LIST#{list}").at_once.writes == 900


def test_each_shard_holds_its_part_of_the_copies() -> None:
    load = _load(SpreadMagazine, "AUTHOR#{author}#{part}", reads=True)
    entry = Sizes(SpreadMagazine.design).entry(load.entity, "gsi1")
    assert load.at_once.reads == pytest.approx(LOOKS * 100 * entry / 4096 * 0.5, abs=2)  # a Query of it is rounded up
    assert load.calls_per_second == pytest.approx(0.01 / 1_000)


def test_copies_are_read_from_the_index_that_they_are_found_by() -> None:
    load = _load(Magazine, "AUTHOR#{author}", reads=True)
    entry = Sizes(Magazine.design).entry(load.entity, "gsi1")
    assert load.finds_copies
    assert load.at_once.reads == pytest.approx(LOOKS * 900 * entry / 4096 * 0.5, abs=1)
    own = _load(Magazine, "AUTHOR#{id}", reads=True)
    assert (own.at_once.reads, own.finds_copies) == (1, False)  # it is written alone, and need not be read back


def test_whole_items_of_copies_are_read_one_by_one_where_each_lies() -> None:
    load = _load(SpreadMagazine, "ARTICLE#{id}", reads=True)
    assert load.at_once.reads == LOOKS * 0.5
    assert load.demand.reads == pytest.approx(LOOKS / 2 * 0.01 * 900 / 900_000)


def test_a_new_item_is_looked_for_where_its_copies_would_be() -> None:
    assert _load(Magazine, "AUTHOR#{author}", reads=True, pattern="welcome").at_once.reads == 0.5
