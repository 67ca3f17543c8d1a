"""One table beside a table for each entity: what collections, overfetch and unread indexes make of the bill."""

from __future__ import annotations

import pytest

from singletable.cost.compare import Comparison, unread
from singletable.cost.prices import prices_of
from singletable.cost.report import cost_report
from tests.client.social import Social
from tests.cost.desk import Help
from tests.planner.accounts import Accounts

PRICES = prices_of("us-east-1")
HELP = cost_report(Help.design, PRICES)
PATTERNS = {each.name: each for each in HELP.comparison.patterns}


def test_a_collection_is_a_request_for_each_member() -> None:
    whole = PATTERNS["whole_desk"]
    assert (whole.requests_together, whole.requests_apart) == (1, 2)
    assert whole.apart == 0.5 + -(-100 * 5000 // 4096) * 0.5, "each is rounded by itself, and no notes are read"


def test_what_a_pattern_declares_is_divided_among_the_members() -> None:
    (account, *_) = cost_report(Accounts.design, PRICES).comparison.patterns
    assert (account.together, account.apart) == (1.0, 1.5), "1, 15 and 5 items of 200 bytes"


def test_a_read_of_one_entity_is_the_same() -> None:
    for name in ("desk", "tickets_in", "tickets_of", "notes"):
        each = PATTERNS[name]
        assert (each.together, each.requests_together) == (each.apart, each.requests_apart)


def test_a_write_leaves_out_the_indexes_that_nothing_reads() -> None:
    assert unread(Help.design, HELP.calls) == {("Ticket", "gsi3"), ("Ticket", "lsi1")}
    assert PATTERNS["open_ticket"].together - PATTERNS["open_ticket"].apart == 2


def test_the_bills_are_sums_over_the_rates() -> None:
    comparison = HELP.comparison
    assert comparison.dollars_together == pytest.approx(HELP.on_demand_reads + HELP.on_demand_writes)
    assert comparison.requests_together == sum(c.requests * (c.calls_per_second or 0) for c in HELP.calls)
    assert comparison.requests_apart == comparison.requests_together + 2
    assert comparison.sentence.startswith("A single table costs ")


def test_indexes_that_find_copies_are_read() -> None:
    report = cost_report(Social.design, PRICES)
    assert ("Post", "gsi1") not in unread(Social.design, report.calls)
    assert report.comparison.sentence.startswith("A single table saves nothing, as no pattern reads two entities: ≈$")


@pytest.mark.parametrize(
    ("dollars", "requests", "said"),
    [
        ((8, 10), (9, 10), "A single table saves 20.0% of the bill and 10.0% of the requests: $8.00 a month in one"),
        ((10, 10), (9, 10), "A single table saves 10.0% of the requests and nothing of the bill: "),
        ((11, 10), (9, 10), "A single table costs 10.0% more and saves 10.0% of the requests: "),
        ((9, 10), (10, 10), "A single table saves 10.0% of the bill and saves no requests: "),
        ((10, 10), (10, 10), "A single table saves nothing, as no pattern reads two entities: "),
        ((0, 0), (0, 0), "No pattern says how often it is called, so no month can be compared: declare rate= or"),
    ],
)
def test_whether_it_is_worth_it_is_a_sentence(
    dollars: tuple[float, float], requests: tuple[float, float], said: str
) -> None:
    assert Comparison((), *dollars, *requests, 3, 0).sentence.startswith(said)
