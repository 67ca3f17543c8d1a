"""Items that are needed only for a short time, and items that only have a similar name."""

from __future__ import annotations

from dataclasses import make_dataclass

import pytest

from singletable import Table, entity
from singletable.verify.design_check import check


def is_reported(name: str, field: str) -> bool:
    declared = entity(key=("X#{id}", "X"))(make_dataclass(name, [("id", str), (field, str)]))

    class Things(Table, entities=[declared]):
        pass

    return any(finding.code == "ST135" for finding in check(Things.design).findings)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("Session", "user_id"),
        ("PhoneSessionsItem", "attempts"),
        ("RefreshToken", "hash"),
        ("Token", "user_id"),
        ("OrganizationInvite", "email"),
    ],
)
def test_the_no_expiry_rule_reports_an_item_that_is_needed_for_a_short_time(name: str, field: str) -> None:
    assert is_reported(name, field)


@pytest.mark.parametrize(("name", "field"), [("Session", "speaker"), ("WorkToken", "owner"), ("SessionItem", "title")])
def test_the_no_expiry_rule_does_not_report_a_talk_or_a_coin(name: str, field: str) -> None:
    assert not is_reported(name, field)


@pytest.mark.parametrize("field", ["expires_at", "expiry", "expiration_time"])
def test_the_no_expiry_rule_reports_an_expiry_time_that_is_no_ttl(field: str) -> None:
    declared = entity(key=("X#{id}", "X"))(make_dataclass("Thing", [("id", str), (field, int)]))
    with_ttl = entity(key=("X#{id}", "X"), ttl=field)(make_dataclass("Other", [("id", str), (field, int)]))

    class Things(Table, entities=[declared]):
        pass

    class Others(Table, entities=[with_ttl]):
        pass

    assert any(finding.code == "ST135" for finding in check(Things.design).findings)
    assert not any(finding.code == "ST135" for finding in check(Others.design).findings)


@pytest.mark.parametrize("field", ["expiry_month", "card_expiry_year", "expired_count"])
def test_the_no_expiry_rule_does_not_report_other_numbers(field: str) -> None:
    declared = entity(key=("X#{id}", "X"))(make_dataclass("Card", [("id", str), (field, int)]))

    class Cards(Table, entities=[declared]):
        pass

    assert not any(finding.code == "ST135" for finding in check(Cards.design).findings)
