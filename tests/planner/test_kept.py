"""What plans say of writes that keep other items right."""

from __future__ import annotations

from singletable.planner.explain import verdict_text
from tests.client.social import Social, user


def test_a_plan_names_what_is_in_the_transaction() -> None:
    assert Social.sign_up.explain(user(1)).proof == (
        'PutItem on the table: PK = "USER#{id}" AND SK = "PROFILE"',
        "in one transaction with the marker of email, the marker of country and tax_id, every Post that repeats it",
        "verdict: undeclared fan-out of 3",
        "writes 4 items, 185 bytes, ≈10 WRU (guessed: the size of User)",
    )
    rename = Social.rename.explain("u1", "ada")
    assert "in one transaction with every Post that repeats it" in rename.proof
    assert verdict_text(rename.plan) == "undeclared fan-out of 4"
    leave = Social.leave.explain("u1")
    assert "in one transaction with the marker of email, the marker of country and tax_id" in leave.proof
    assert verdict_text(leave.plan) == "undeclared fan-out of 2"
