"""Advice: each rule gives advice if the model contains a reason for it, and otherwise gives none."""

from __future__ import annotations

from dataclasses import dataclass

from examples.commerce.model import Commerce
from examples.customers.model import Customers, Orders
from examples.shop.model import Shop
from singletable import Page, Table, contains, entity, get, pattern, query
from singletable.advice.advise import advise
from singletable.advice.recommendation import Advice
from singletable.planner.planner import plan_all


def _of(table: type[Table]) -> dict[str, Advice]:
    return {advice.topic: advice for advice in advise(table.design, plan_all(table.design))}


@entity(key=("USER#{id}", "PROFILE"))
@dataclass
class User:
    id: str
    name: str


@entity(key=("AUDIT#{id}", "ENTRY"))
@dataclass
class AuditEntry:
    id: str
    text: str


@entity(key=("USER#{user_id}", "SALARY"), access="payroll")
@dataclass
class Salary:
    user_id: str
    amount: int


@entity(key=("PAYSLIP#{user_id}", "{month}"), access="payroll")
@dataclass
class Payslip:
    user_id: str
    month: str


class Apart(Table, entities=[User, AuditEntry]):
    @pattern(rate=10)
    def user(self, id: str) -> User | None:
        """Get a user."""
        return get(User)

    @pattern(rate=1)
    def entry(self, id: str) -> AuditEntry | None:
        """Get an entry of the audit log."""
        return get(AuditEntry)


def test_never_together_advice_skips_entities_that_are_read_together() -> None:
    assert _of(Customers) == {}


def test_never_together_advice_separates_entities_that_are_never_read_together() -> None:
    advice = _of(Apart)["nothing is read together"]
    assert advice.weight == "strong"
    assert "no two of the 2 entities" in advice.reason
    assert "saves nothing" in advice.evidence[0]
    assert "one table per entity" in advice.instead


def test_never_together_advice_lists_independent_groups() -> None:
    advice = _of(Commerce)["independent groups"]
    assert advice.weight == "mild"
    assert set(advice.evidence) == {"User, Order", "OrderDetails, OrderItem", "Review"}


def test_never_together_advice_puts_entities_with_copies_into_one_group() -> None:
    @entity(key=("TEAM#{team_id}", "USER#{user_id}"), gsi1=("USER#{user_id}", "TEAM#{team_id}"))
    @dataclass
    class Edge:
        team_id: str
        user_id: str

    @entity(key=("USER#{user_id}", "TEAM#{team_id}"), mirror_of=Edge)
    @dataclass
    class Mirror:
        user_id: str
        team_id: str

    class Teams(Table, entities=[Edge, Mirror]):
        pass

    assert _of(Teams) == {}


def test_analytical_advice_counts_an_unlimited_list_of_all_items() -> None:
    advice = _of(Shop)["analytical reads"]
    assert advice.weight == "mild"
    assert advice.evidence == ("customers_by_signup reads every Customer, page by page",)


def test_analytical_advice_does_not_count_a_list_of_one_status() -> None:
    assert "analytical reads" not in _of(Orders)


def test_analytical_advice_against_the_table_is_strong_when_most_reads_are_scans() -> None:
    class Scanned(Table, entities=[User]):
        @pattern()
        def named(self, name: str) -> Page[User]:
            """Users of a name."""
            return query(User)

    advice = _of(Scanned)["analytical reads"]
    assert advice.weight == "strong"
    assert advice.evidence[0].startswith("named needs a Scan")


def test_unknown_patterns_advice_is_against_a_single_table() -> None:
    class Unsettled(Table, entities=[User]):
        @pattern(frequency="unknown")
        def user(self, id: str) -> User | None:
            """Get a user."""
            return get(User)

    advice = _of(Unsettled)["unknown patterns"]
    assert (advice.weight, advice.evidence) == ("strong", ("user",))


def test_access_rules_advice_is_a_separate_table_if_leading_keys_cannot_express_the_rules() -> None:
    class Mixed(Table, entities=[User, Salary]):
        pass

    advice = _of(Mixed)["access rules"]
    assert advice.weight == "strong"
    assert advice.evidence == ('"USER#" of the table: User for anybody; Salary for payroll',)


def test_access_rules_advice_is_mild_if_leading_keys_can_express_the_rules() -> None:
    class Separate(Table, entities=[User, Payslip]):
        pass

    advice = _of(Separate)["access rules"]
    assert advice.weight == "mild"
    assert advice.evidence == ("Payslip: payroll",)


def test_search_advice_counts_a_filter_with_contains() -> None:
    class Searched(Table, entities=[AuditEntry]):
        @pattern(expected_items=1, expected_examined=10)
        def found(self, id: str, words: str) -> Page[AuditEntry]:
            """Entries with these words."""
            return query(AuditEntry, filter=lambda entry: contains(entry.text, words))

    assert _of(Searched)["search"].evidence == ("found",)


def test_advise_returns_strong_advice_first() -> None:
    class Worst(Table, entities=[User, Salary, AuditEntry]):
        @pattern(frequency="unknown")
        def user(self, id: str) -> User | None:
            """Get a user."""
            return get(User)

    weights = [advice.weight for advice in advise(Worst.design, plan_all(Worst.design))]
    assert weights == sorted(weights, key=lambda weight: weight != "strong")
    assert "strong" in weights
