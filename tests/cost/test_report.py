"""A design's whole bill: traffic, capacity, storage, and what it is based on."""

from __future__ import annotations

import pytest

from singletable.cost.calls import call_costs
from singletable.cost.month import UTILISATION, traffic_of
from singletable.cost.prices import INFREQUENT_ACCESS, STANDARD, prices_of
from singletable.cost.report import CostReport, cost_report
from singletable.cost.sample import sample_of
from singletable.planner.item_sizes import Sizes
from singletable.planner.items import item_of
from tests.client.social import Social
from tests.cost.bank import Bank
from tests.cost.desk import Desk, Help

PRICES = prices_of("us-east-1")
REPORT = cost_report(Help.design, PRICES)


def test_traffic_is_what_patterns_ask_for_by_where_it_is_consumed() -> None:
    plain = sum(call.reads_per_second + call.writes_per_second for call in REPORT.calls)
    assert REPORT.traffic.read_units + REPORT.traffic.write_units == pytest.approx(plain)
    assert REPORT.traffic.writes["GSI1"] == 4 * 5 + 0.5 * 5 + 8 * 10 + 1 * 5 + 1 * 5
    assert "LSI1" not in REPORT.traffic.writes, "a local index consumes the table's capacity"


def test_copies_are_found_where_their_index_is_and_nothing_else_is_read_there() -> None:
    rename = next(call for call in call_costs(Social.design, Sizes(Social.design)) if call.name == "rename")
    assert rename.estimate.reads_by_index == {"GSI1": 1, "table": 2}, "the user is read before and after it"
    traffic = traffic_of(Social.design, [rename])
    assert traffic.reads == rename.estimate.reads_by_index
    assert traffic.guessed_reads == {"GSI1", "table"}


def test_capacity_is_bought_for_the_table_and_each_global_index() -> None:
    places = {each.place: each for each in REPORT.capacity}
    assert list(places) == ["table", "GSI1", "GSI2", "GSI3"]
    needed = REPORT.traffic.writes["GSI1"] / UTILISATION
    assert needed <= places["GSI1"].write_units < needed + 1
    assert places["GSI3"].read_units == 1, "there is no less than one unit"
    assert REPORT.capacity_dollars == pytest.approx(sum(each.dollars for each in REPORT.capacity))


def test_storage_counts_entries_and_a_hundred_bytes_for_each() -> None:
    stored = {each.entity: each for each in REPORT.storage}
    assert stored["Desk"].bytes_per_item == 300 + 100
    ticket = stored["Ticket"]
    assert ticket.overhead_bytes == 500
    assert (stored["Desk"].guesses_entries, ticket.guesses_entries) == (False, True), "a ticket may have no owner"
    assert ticket.stored_bytes == 100_000 * (5000 + ticket.beside_bytes + 500)
    assert ticket.grows_by == 4.5 * PRICES.month_seconds


def test_what_nobody_counted_is_told() -> None:
    assert REPORT.uncounted == ("Note",)
    assert REPORT.storage_dollars is None
    counted = cost_report(Help.design, PRICES, counts={"Note": 10.0, "Desk": 0.0})
    assert counted.uncounted == ()
    ticket, note = (each for each in counted.storage if each.entity != "Desk")
    bytes_ = 100_000 * ticket.bytes_per_item + 10 * note.bytes_per_item
    assert counted.storage_dollars == pytest.approx(bytes_ / 2**30 * 0.25)


def test_larger_collections_cost_more_to_read_and_to_store() -> None:
    at = {name: cost_report(Help.design, PRICES, at=name, counts={"Note": 10.0}) for name in ("small", "large")}
    small, large = at["small"], at["large"]
    assert small.on_demand_reads < REPORT.on_demand_reads < large.on_demand_reads
    assert small.on_demand_writes == large.on_demand_writes
    assert (small.stored_bytes or 0) * 100 == pytest.approx(large.stored_bytes)


def test_infrequent_access_makes_requests_dearer_and_storage_cheaper() -> None:
    def bill(table_class: str) -> CostReport:
        return cost_report(Help.design, PRICES, table_class=table_class, counts={"Note": 10.0})

    standard, infrequent = bill(STANDARD), bill(INFREQUENT_ACCESS)
    assert infrequent.on_demand_reads == pytest.approx(standard.on_demand_reads * 1.25)
    assert infrequent.on_demand_writes == pytest.approx(standard.on_demand_writes * 1.25)
    assert infrequent.storage_dollars == pytest.approx((standard.storage_dollars or 0) * 0.4)


def test_guesses_and_gaps_are_listed() -> None:
    assert "the size of Note" in REPORT.guesses
    assert "the frequency low as 1 call a second" in REPORT.guesses
    assert REPORT.without_rate == ("notes",)
    assert REPORT.unserved == ()


def test_a_complete_sample_gives_sizes_and_numbers() -> None:
    desk = Help.design.entity_of(Desk)
    items = [(desk, item_of(Help.design, desk, {"id": str(n), "name": "n" * 2000})) for n in range(3)]
    sample = sample_of(Help.design, [*items, (None, {"PK": {"S": "x"}})], is_complete=True)
    report = cost_report(Help.design, PRICES, sample=sample)
    stored = {each.entity: each for each in report.storage}
    assert sample.unknown == 1
    assert (stored["Desk"].items, stored["Ticket"].items) == (3, 0)
    assert stored["Desk"].item_bytes > 2000


def test_only_what_rests_on_a_guess_is_marked_as_one() -> None:
    report = cost_report(Bank.design, PRICES)
    assert report.guesses == ("the frequency high as 100 calls a second",)
    assert (report.guesses_reads, report.guesses_writes, report.guesses_storage) == (True, False, False)
    assert report.traffic.guessed_reads == {"table"}
    assert not report.traffic.guessed_writes
    assert "≈$" in report.comparison.sentence
    assert not any(each.guessed for each in report.comparison.patterns), "units of one call rest on no rate"


def test_a_place_rests_on_a_guess_where_its_units_do() -> None:
    assert REPORT.traffic.guessed_writes == {"table", "GSI2", "GSI3"}, (
        "the table pays for LSI1, whose entries are guessed"
    )
    assert "GSI1" in REPORT.traffic.guessed_reads, "the frequency of tickets_in is a word"
    stored = {each.entity: each for each in REPORT.storage}
    assert (stored["Ticket"].guesses_item, stored["Ticket"].guesses_beside) == (False, True)
    assert (stored["Note"].guesses_item, stored["Desk"].is_guessed) == (True, False)
