"""The whole bill of a design: traffic, capacity, storage, and the assumptions of the estimate."""

from __future__ import annotations

import pytest

from singletable.cost.call_costs import call_costs
from singletable.cost.cost_report import CostReport, cost_report
from singletable.cost.measured_items import measure_items
from singletable.cost.monthly_bill import UTILISATION, units_per_second
from singletable.cost.prices import INFREQUENT_ACCESS, STANDARD, prices_of
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.stored_items import item_of
from tests.client.social import Social
from tests.cost.bank import Bank
from tests.cost.desk import Desk, Help

PRICES = prices_of("us-east-1")
REPORT = cost_report(Help.design, PRICES)


def test_the_cost_report_sums_units_per_second_by_table_and_index() -> None:
    plain = sum(call.reads_per_second + call.writes_per_second for call in REPORT.calls)
    assert REPORT.traffic.read_units + REPORT.traffic.write_units == pytest.approx(plain)
    assert REPORT.traffic.writes["GSI1"] == 4 * 5 + 0.5 * 5 + 8 * 10 + 1 * 5 + 1 * 5
    assert "LSI1" not in REPORT.traffic.writes, "a local index consumes the table's capacity"


def test_the_cost_report_charges_a_write_only_for_reads_of_the_index_that_finds_copies() -> None:
    rename = next(call for call in call_costs(Social.design, ItemSizes(Social.design)) if call.name == "rename")
    assert rename.estimate.reads_by_index == {"GSI1": 1, "table": 2}, "the user is read before and after it"
    traffic = units_per_second(Social.design, [rename])
    assert traffic.reads == rename.estimate.reads_by_index
    assert traffic.guessed_reads == {"GSI1", "table"}


def test_the_cost_report_provisions_capacity_for_the_table_and_each_global_index() -> None:
    places = {each.place: each for each in REPORT.capacity}
    assert list(places) == ["table", "GSI1", "GSI2", "GSI3"]
    needed = REPORT.traffic.writes["GSI1"] / UTILISATION
    assert needed <= places["GSI1"].write_units < needed + 1
    assert places["GSI3"].read_units == 1, "there is no less than one unit"
    assert REPORT.capacity_dollars == pytest.approx(sum(each.dollars for each in REPORT.capacity))


def test_the_cost_report_stores_index_entries_with_100_bytes_overhead_each() -> None:
    stored = {each.entity: each for each in REPORT.storage}
    assert stored["Desk"].bytes_per_item == 300 + 100
    ticket = stored["Ticket"]
    assert ticket.overhead_bytes == 500
    assert (stored["Desk"].guesses_entries, ticket.guesses_entries) == (False, True), "a ticket may have no owner"
    assert ticket.stored_bytes == 100_000 * (5000 + ticket.entry_bytes + 500)
    assert ticket.grows_by == 4.5 * PRICES.month_seconds


def test_the_cost_report_lists_entities_without_a_count() -> None:
    assert REPORT.uncounted == ("Note",)
    assert REPORT.storage_dollars is None
    counted = cost_report(Help.design, PRICES, counts={"Note": 10.0, "Desk": 0.0})
    assert counted.uncounted == ()
    ticket, note = (each for each in counted.storage if each.entity != "Desk")
    bytes_ = 100_000 * ticket.bytes_per_item + 10 * note.bytes_per_item
    assert counted.storage_dollars == pytest.approx(bytes_ / 2**30 * 0.25)


def test_the_cost_report_grows_with_larger_collections() -> None:
    at = {name: cost_report(Help.design, PRICES, at=name, counts={"Note": 10.0}) for name in ("small", "large")}
    small, large = at["small"], at["large"]
    assert small.on_demand_reads < REPORT.on_demand_reads < large.on_demand_reads
    assert small.on_demand_writes == large.on_demand_writes
    assert (small.stored_bytes or 0) * 100 == pytest.approx(large.stored_bytes)


def test_the_cost_report_prices_requests_higher_and_storage_lower_for_infrequent_access() -> None:
    def bill(table_class: str) -> CostReport:
        return cost_report(Help.design, PRICES, table_class=table_class, counts={"Note": 10.0})

    standard, infrequent = bill(STANDARD), bill(INFREQUENT_ACCESS)
    assert infrequent.on_demand_reads == pytest.approx(standard.on_demand_reads * 1.25)
    assert infrequent.on_demand_writes == pytest.approx(standard.on_demand_writes * 1.25)
    assert infrequent.storage_dollars == pytest.approx((standard.storage_dollars or 0) * 0.4)


def test_the_cost_report_lists_guesses_and_missing_declarations() -> None:
    assert "the size of Note" in REPORT.guesses
    assert "the frequency low as 1 call per second" in REPORT.guesses
    assert REPORT.without_rate == ("notes",)
    assert REPORT.unserved == ()


def test_the_cost_report_takes_sizes_and_counts_from_a_complete_sample() -> None:
    desk = Help.design.entity_of(Desk)
    items = [(desk, item_of(Help.design, desk, {"id": str(n), "name": "n" * 2000})) for n in range(3)]
    sample = measure_items(Help.design, [*items, (None, {"PK": {"S": "x"}})], is_complete=True)
    report = cost_report(Help.design, PRICES, sample=sample)
    stored = {each.entity: each for each in report.storage}
    assert sample.unknown == 1
    assert (stored["Desk"].items, stored["Ticket"].items) == (3, 0)
    assert stored["Desk"].item_bytes > 2000


def test_the_cost_report_marks_only_values_that_depend_on_a_guess() -> None:
    report = cost_report(Bank.design, PRICES)
    assert report.guesses == ("the frequency high as 100 calls per second",)
    assert (report.guesses_reads, report.guesses_writes, report.guesses_storage) == (True, False, False)
    assert report.traffic.guessed_reads == {"table"}
    assert not report.traffic.guessed_writes
    assert "≈$" in report.comparison.sentence
    assert not any(each.guessed for each in report.comparison.patterns), "units of one call rest on no rate"


def test_the_cost_report_marks_units_of_a_table_or_index_that_depend_on_a_guess() -> None:
    assert REPORT.traffic.guessed_writes == {"table", "GSI2", "GSI3"}, (
        "the table pays for LSI1, whose entries are guessed"
    )
    assert "GSI1" in REPORT.traffic.guessed_reads, "the frequency of tickets_in is a word"
    stored = {each.entity: each for each in REPORT.storage}
    assert (stored["Ticket"].guesses_item, stored["Ticket"].guesses_entry_bytes) == (False, True)
    assert (stored["Note"].guesses_item, stored["Desk"].is_guessed) == (True, False)
