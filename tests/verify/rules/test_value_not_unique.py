"""Values that select one item without `unique=`, and index keys that select several items."""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import Any

import pytest

from singletable import Table, entity, first_letter
from singletable.verify.design_check import check


def is_reported(name: str, gsi1: tuple[str, str], field: str, **keywords: Any) -> bool:
    declared = entity(key=("X#{id}", "X"), gsi1=gsi1, **keywords)(make_dataclass(name, [("id", str), (field, str)]))

    class Things(Table, entities=[declared]):
        pass

    return any(finding.code == "ST137" for finding in check(Things.design).findings)


@pytest.mark.parametrize(
    ("name", "field"),
    [("User", "email"), ("Customers", "email_address"), ("Member", "phone_number"), ("Store", "slug"), ("X", "login")],
)
def test_the_value_not_unique_rule_reports_a_value_that_selects_one_item(name: str, field: str) -> None:
    keys = f"E#{{{field}}}", "E"
    assert is_reported(name, keys, field)
    assert is_reported(name, (keys[0], f"E#{{{field}}}"), field)
    assert not is_reported(name, keys, field, unique=[field])


def test_the_value_not_unique_rule_accepts_a_value_that_several_items_share() -> None:
    assert not is_reported("Order", ("E#{email}", "ORDER"), "email")
    assert not is_reported("User", ("E#{email}", "{id}"), "email")
    assert not is_reported("User", ("C#{country}", "C"), "country")
    letters = {"letter": first_letter("email")}
    assert not is_reported("User", ("L#{letter}", "{email}"), "email", derived=letters)
