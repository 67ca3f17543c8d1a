"""What plans say of writes that keep other items right."""

from __future__ import annotations

from singletable.testing import uses
from singletable.verify.design_check import check
from tests.client.social import Post, Social, user


def test_the_explanation_of_write_effects_lists_the_items_of_the_transaction() -> None:
    assert Social.sign_up.explain(user(1)).proof == (
        'PutItem on the table: PK = "USER#{id}" AND SK = "PROFILE"',
        "in one transaction with the unique marker of email, the unique marker of country and tax_id, "
        "every Post that copies from it",
        "verdict: undeclared fan-out of 3",
        "writes 3 items, 202 bytes, ≈7 WRU + 0.5 RRU (guessed: the size of User; all items of User in GSI1)",
    )
    rename = Social.rename.explain("u1", "ada")
    assert "in one transaction with every Post that copies from it" in rename.proof
    assert rename.plan.verdict_text() == "undeclared fan-out of 5"
    leave = Social.leave.explain("u1")
    assert "in one transaction with the unique marker of email, the unique marker of country and tax_id" in leave.proof
    assert leave.plan.verdict_text() == "undeclared fan-out of 2"


def test_write_effects_of_an_update_include_the_read_after_its_transaction() -> None:
    with Social.open("memory:") as social:
        social.create(user(1))
        social.create(Post("p1", "u1", "Notes"))
        with uses(social, requests=5):
            social.rename("u1", "ada")
    assert Social.rename.explain("u1", "ada").plan.requests == 5


def test_the_more_than_one_request_rule_explains_the_additional_requests_of_write_effects() -> None:
    (finding,) = [each for each in check(Social.design).findings if (each.code, each.subject) == ("ST003", "rename")]
    what = "it also reads for derived data (every Post that copies from it)"
    assert finding.message == f"rename: needs 5 requests, because {what}"
    assert str(finding.remedy) == "Set fanout=5 in @pattern of rename."
