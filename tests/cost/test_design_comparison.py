"""A single table compared with one table per entity: the effect of collections, overfetch and unread indexes."""

from __future__ import annotations

import pytest

from singletable.cost.cost_report import cost_report
from singletable.cost.design_comparison import DesignComparison, unread_indexes
from singletable.cost.prices import prices_of
from tests.client.social import Social
from tests.cost.desk import Help
from tests.planner.accounts import Accounts

PRICES = prices_of("us-east-1")
HELP = cost_report(Help.design, PRICES)
PATTERNS = {each.name: each for each in HELP.comparison.patterns}


def test_the_design_comparison_counts_one_request_per_collection_member_with_separate_tables() -> None:
    whole = PATTERNS["whole_desk"]
    assert (whole.requests_together, whole.requests_apart) == (1, 2)
    assert whole.apart == 0.5 + -(-100 * 5000 // 4096) * 0.5, "each is rounded by itself, and no notes are read"


def test_the_design_comparison_divides_declared_items_among_the_members() -> None:
    (account, *_) = cost_report(Accounts.design, PRICES).comparison.patterns
    assert (account.together, account.apart) == (1.0, 1.5), "1, 15 and 5 items of 200 bytes"


def test_the_design_comparison_gives_a_read_of_one_entity_the_same_cost_with_separate_tables() -> None:
    for name in ("desk", "tickets_in", "tickets_of", "notes"):
        each = PATTERNS[name]
        assert (each.together, each.requests_together) == (each.apart, each.requests_apart)


def test_the_design_comparison_skips_unread_indexes_in_writes_to_separate_tables() -> None:
    assert unread_indexes(Help.design, HELP.calls) == {("Ticket", "gsi3"), ("Ticket", "lsi1")}
    assert PATTERNS["open_ticket"].together - PATTERNS["open_ticket"].apart == 2


def test_the_design_comparison_sums_bills_over_the_rates() -> None:
    comparison = HELP.comparison
    assert comparison.dollars_together == pytest.approx(HELP.on_demand_reads + HELP.on_demand_writes)
    assert comparison.requests_together == sum(c.requests * (c.calls_per_second or 0) for c in HELP.calls)
    assert comparison.requests_apart == comparison.requests_together + 2
    assert comparison.sentence.startswith("A single table costs ")


def test_the_design_comparison_counts_reads_of_indexes_that_find_copies() -> None:
    report = cost_report(Social.design, PRICES)
    assert ("Post", "gsi1") not in unread_indexes(Social.design, report.calls)
    assert report.comparison.sentence.startswith(
        "A single table saves nothing, because no pattern reads two entities together: ≈$"
    )


@pytest.mark.parametrize(
    ("dollars", "requests", "said"),
    [
        (
            (8, 10),
            (9, 10),
            "A single table saves 20.0% of the bill and 10.0% of the requests: $8.00 per month with one",
        ),
        ((10, 10), (9, 10), "A single table saves 10.0% of the requests, but no money: "),
        ((11, 10), (9, 10), "A single table costs 10.0% more and saves 10.0% of the requests: "),
        ((9, 10), (10, 10), "A single table saves 10.0% of the bill and saves no requests: "),
        ((10, 10), (10, 10), "A single table saves nothing, because no pattern reads two entities together: "),
        ((0, 0), (0, 0), "No pattern declares how often it is called, so costs cannot be compared: declare rate= or"),
    ],
)
def test_the_design_comparison_is_one_sentence(
    dollars: tuple[float, float], requests: tuple[float, float], said: str
) -> None:
    assert DesignComparison((), *dollars, *requests, 3, 0).sentence.startswith(said)
