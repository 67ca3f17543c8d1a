"""Accepted findings: a reason ends a failure and stays in sight, but a pattern that is not served fails for good."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from singletable import DesignError, Page, Table, entity, get, pattern, query
from singletable.cli.main import main
from singletable.model.design import Design
from singletable.verify.design_check import check
from singletable.verify.findings import Finding

MODEL = '''"""A shop whose findings can be accepted."""

from dataclasses import dataclass

from singletable import DesignError, Page, Table, entity, pattern, query


@entity(
    key=("CUST#{{customer_id}}", "{{id}}"),
    gsi1=("STATUS#{{status}}", "{{id}}"),
    cardinality={{"status": 3}}{on_order},
)
@dataclass
class Order:
    customer_id: str
    id: str
    status: str | None = None


@entity(key=("CUST#{{customer_id}}", "{{id}}"){on_invoice})
@dataclass
class Invoice:
    customer_id: str
    id: str


class Shop(Table, entities=[Order, Invoice]{on_table}):
    @pattern(expected_items=1{on_pattern})
    def orders_in_status(self, status: str) -> Page[Order]:
        """List the orders in one status."""
        return query(Order)
'''
BOTH = ', accept={"ST101": "ids never meet", "ST106": "drafts have no status"}'
OVERLAP = ', accept={"ST101": "ids never meet"}'
OPTIONAL = ', accept={"ST106": "drafts have no status"}'


def run(folder: Path, places: Mapping[str, str]) -> int:
    """Check the shop with these words in these places."""
    model = folder / "accepting_shop.py"
    nowhere = {"on_order": "", "on_invoice": "", "on_table": "", "on_pattern": ""}
    model.write_text(MODEL.format(**{**nowhere, **places}), encoding="utf-8")
    return main(["check", str(model)])


def test_the_design_check_fails_with_two_errors_that_are_not_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, {}) == 1
    assert "Shop: 2 findings" in capsys.readouterr().out


@pytest.mark.parametrize(
    "places",
    [
        {"on_table": BOTH},
        {"on_table": OVERLAP, "on_order": OPTIONAL},
        {"on_invoice": OVERLAP, "on_order": OPTIONAL},
    ],
    ids=["table", "table and entity", "both entities"],
)
def test_the_design_check_passes_when_every_error_is_accepted(
    places: Mapping[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, places) == 0
    printed = capsys.readouterr().out
    assert "Shop: 0 findings" in printed
    assert "Shop: 2 accepted findings" in printed
    assert "accepted: ids never meet" in printed
    assert "accepted: drafts have no status" in printed


@pytest.mark.parametrize(
    "places",
    [{"on_table": OVERLAP}, {"on_table": OPTIONAL}, {"on_invoice": BOTH}, {"on_pattern": BOTH}],
    ids=["the overlap alone", "the optional field alone", "one entity's on another", "an entity's on a pattern"],
)
def test_the_design_check_fails_for_an_error_that_is_not_accepted(places: Mapping[str, str], tmp_path: Path) -> None:
    assert run(tmp_path, places) == 1


@entity(key=("A#{id}", "META"), gsi1=("NAME", "{name:raw}"), accept={"ST107": "names are checked"})
@dataclass
class Account:
    id: str
    name: str


class Accounts(Table, entities=[Account], accept={"ST107": "an old table", "ST112": "an old table", "ST103": "unused"}):
    @pattern(accept={"ST104": "never said"})
    def account(self, id: str) -> Account | None:
        """Get an account."""
        return get(Account)

    @pattern(accept={"ST002": "done by hand"})
    def accounts_named(self, name: str, id: str) -> Page[Account]:
        """List the accounts of a name and an id."""
        return query(Account, order_by=lambda account: account.name)


def the(code: str, design: Design) -> Finding:
    (finding,) = [finding for finding in check(design).findings if finding.code == code]
    return finding


def test_the_design_check_uses_the_most_specific_accept_reason() -> None:
    assert the("ST107", Accounts.design).accepted == "names are checked"


def test_the_design_check_shows_the_accept_reason_of_a_finding_in_place_of_the_remedy() -> None:
    finding = the("ST002", Accounts.design)
    assert not finding.fails
    assert str(finding).endswith("\n  accepted: done by hand")
    assert str(finding.remedy) not in str(finding)


def test_the_design_check_fails_for_an_unsupported_pattern_despite_accept() -> None:
    report = check(Accounts.design)
    assert [finding for finding in report.findings if finding.fails] == []
    assert not report.passes


def test_the_design_check_ignores_the_acceptance_of_an_absent_finding() -> None:
    assert {finding.code for finding in check(Accounts.design).findings}.isdisjoint({"ST103", "ST104"})


class Misspelt(Table, entities=[Account], accept={"ST17": "a slip of the pen"}):
    @pattern()
    def account(self, id: str) -> Account | None:
        """Get an account."""
        return get(Account)


def test_the_design_check_rejects_an_unknown_code_in_accept_with_its_location() -> None:
    with pytest.raises(DesignError, match="Misspelt: accept= names 'ST17', which is not a finding code"):
        check(Misspelt.design)
