"""Copies ask each partition for what lies there, and the reads that find them fall on what is read."""

from __future__ import annotations

import pytest

from singletable import Table
from singletable.cost.call_costs import call_costs
from singletable.cost.prices import prices_of
from singletable.heat.heat_report import heat_report
from singletable.heat.hot_partitions import PartitionLoad, hot_partitions
from singletable.heat.simulation import Growth
from singletable.planner.item_sizes import ItemSizes
from tests.heat.models import Magazine, SpreadMagazine

LOOKS = 3
"""Copies that follow in parts are looked for before the write, and after it until none is left behind."""


def _load(table: type[Table], template: str, *, reads: bool = False, pattern: str = "rename") -> PartitionLoad:
    forms = hot_partitions(table.design, call_costs(table.design, ItemSizes(table.design)))
    loads = next(form for form in forms if form.template == template).loads
    (load,) = [each for each in loads if each.pattern == pattern and bool(each.demand.reads) is reads]
    return load


def test_hot_partitions_have_no_burst_from_copies_in_separate_partitions() -> None:
    load = _load(Magazine, "ARTICLE#{id}")
    assert load.at_once.writes == 2  # in a transaction a unit counts twice
    assert load.demand.writes == pytest.approx(0.01 * 900 * 2 / 900_000)
    assert not load.is_burst


def test_hot_partitions_do_not_throttle_updates_of_many_copies_in_many_partitions() -> None:
    report = heat_report(Magazine.design, prices_of("us-east-1"), [Growth(1)])
    served = {hot.partition.template: not hot.results[0].share for hot in report.hot}
    assert served["ARTICLE#{id}"]


def test_hot_partitions_have_a_burst_from_copies_in_one_partition() -> None:
    assert _load(Magazine, "AUTHOR#{author}").at_once.writes == 900


def test_hot_partitions_distribute_copies_over_the_values_of_other_fields() -> None:
    assert _load(Magazine, "LANGUAGE#{language}").at_once.writes == pytest.approx(900 * 0.8)


def test_hot_partitions_have_at_most_the_expected_number_of_copies() -> None:
    assert _load(Magazine, "MONTH#{month}").at_once.writes == 50


def test_hot_partitions_contain_all_copies_with_values_derived_from_shared_fields() -> None:
    assert _load(Magazine, "LIST#{list}").at_once.writes == 900


def test_hot_partitions_divide_copies_evenly_among_shards() -> None:
    load = _load(SpreadMagazine, "AUTHOR#{author}#{part}", reads=True)
    entry = ItemSizes(SpreadMagazine.design).entry(load.entity, "gsi1")
    assert load.at_once.reads == pytest.approx(LOOKS * 100 * entry / 4096 * 0.5, abs=2)  # a Query of it is rounded up
    assert load.calls_per_second == pytest.approx(0.01 / 1_000)


def test_hot_partitions_count_reads_of_the_index_that_finds_copies() -> None:
    load = _load(Magazine, "AUTHOR#{author}", reads=True)
    entry = ItemSizes(Magazine.design).entry(load.entity, "gsi1")
    assert load.finds_copies
    assert load.at_once.reads == pytest.approx(LOOKS * 900 * entry / 4096 * 0.5, abs=1)
    own = _load(Magazine, "AUTHOR#{id}", reads=True)
    assert (own.at_once.reads, own.finds_copies) == (1, False)  # it is written alone, and need not be read back


def test_hot_partitions_count_reads_of_whole_copies_one_by_one_in_their_partitions() -> None:
    load = _load(SpreadMagazine, "ARTICLE#{id}", reads=True)
    assert load.at_once.reads == LOOKS * 0.5
    assert load.demand.reads == pytest.approx(LOOKS / 2 * 0.01 * 900 / 900_000)


def test_hot_partitions_count_a_read_of_possible_copies_when_an_item_is_created() -> None:
    assert _load(Magazine, "AUTHOR#{author}", reads=True, pattern="welcome").at_once.reads == 0.5
