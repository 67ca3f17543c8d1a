"""What plans say of writes that keep other items right."""

from __future__ import annotations

from singletable.planner.explain import verdict_text
from singletable.testing import uses
from singletable.verify.check import check
from tests.client.social import Post, Social, user


def test_a_plan_names_what_is_in_the_transaction() -> None:
    assert Social.sign_up.explain(user(1)).proof == (
        'PutItem on the table: PK = "USER#{id}" AND SK = "PROFILE"',
        "in one transaction with the marker of email, the marker of country and tax_id, every Post that repeats it",
        "verdict: undeclared fan-out of 3",
        "writes 3 items, 202 bytes, ≈7 WRU + 0.5 RRU (guessed: the size of User; all items of User in GSI1)",
    )
    rename = Social.rename.explain("u1", "ada")
    assert "in one transaction with every Post that repeats it" in rename.proof
    assert verdict_text(rename.plan) == "undeclared fan-out of 5"
    leave = Social.leave.explain("u1")
    assert "in one transaction with the marker of email, the marker of country and tax_id" in leave.proof
    assert verdict_text(leave.plan) == "undeclared fan-out of 2"


def test_an_update_is_planned_with_the_read_of_what_its_transaction_made() -> None:
    with Social.open("memory:") as social:
        social.create(user(1))
        social.create(Post("p1", "u1", "Notes"))
        with uses(social, requests=5):
            social.rename("u1", "ada")
    assert Social.rename.explain("u1", "ada").plan.requests == 5


def test_a_finding_names_what_the_further_requests_are_for() -> None:
    (finding,) = [each for each in check(Social.design).findings if (each.code, each.subject) == ("ST003", "rename")]
    what = "it also reads for derived data (every Post that repeats it)"
    assert finding.message == f"rename: takes 5 requests, since {what}"
    assert finding.remedy == "Declare it with @pattern(fanout=5)."
