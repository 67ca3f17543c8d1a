"""A principal may perform an action that a policy allows and no policy denies.

The error has the text of the service.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from singletable.engine.access.policy_document import parse_policies
from singletable.engine.access.principal import Principal
from singletable.errors import PolicyRefused, RequestRefused
from tests.engine.access.game_scores import INDEX, TABLE, USER, policy, statement

GET = "dynamodb:GetItem"
OWN = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}


def denied(call: Callable[[], None]) -> str:
    with pytest.raises(RequestRefused) as caught:
        call()
    assert caught.value.code == "AccessDeniedException"
    return caught.value.message


def principal(*statements: dict[str, Any]) -> Principal:
    return Principal(USER, parse_policies(policy(*statements)))


def test_a_principal_is_denied_by_default() -> None:
    words = (
        f"User: {USER} is not authorized to perform: dynamodb:GetItem on resource: {TABLE} "
        "because no identity-based policy allows the dynamodb:GetItem action"
    )
    assert denied(lambda: Principal(USER).reject_unnamed(GET, TABLE)) == words
    assert denied(lambda: Principal(USER).reject_denied(GET, TABLE, {})) == words


def test_an_explicit_deny_of_a_principal_wins_in_every_order() -> None:
    allow, deny = statement(GET), statement("*", Effect="Deny")
    for one in (principal(allow, deny), principal(deny, allow)):
        for check in (partial(one.reject_unnamed, GET, TABLE), partial(one.reject_denied, GET, TABLE, {})):
            assert denied(check).endswith(f"{TABLE} with an explicit deny in an identity-based policy")


def test_a_conditional_deny_of_a_principal_counts_only_if_its_conditions_hold() -> None:
    scan = {"Bool": {"dynamodb:FullTableScan": "true"}}
    one = principal(statement(GET), statement(GET, Effect="Deny", Condition=scan))
    one.reject_unnamed(GET, TABLE)
    one.reject_denied(GET, TABLE, {"dynamodb:fulltablescan": ("false",)})
    assert "explicit deny" in denied(lambda: one.reject_denied(GET, TABLE, {"dynamodb:fulltablescan": ("true",)}))


def test_a_principal_is_not_allowed_an_action_by_a_statement_that_only_could_allow_it() -> None:
    one = principal(statement(GET, Condition=OWN))
    one.reject_unnamed(GET, TABLE)
    one.reject_denied(GET, TABLE, {"dynamodb:leadingkeys": ("ada",)})
    denied(lambda: one.reject_denied(GET, TABLE, {"dynamodb:leadingkeys": ("ada", "bob")}))
    denied(lambda: one.reject_unnamed(GET, INDEX))


def test_a_principal_has_an_account_a_user_name_and_tags() -> None:
    found = Principal(USER, tags={"Team": "red"}, identity={"aws:userid": "AIDA"}).known
    assert found["aws:username"] == ("ada",)
    assert found["aws:principalaccount"] == ("123456789012",)
    assert found["aws:principaltag/team"] == ("red",)
    assert found["aws:userid"] == ("AIDA",)
    assert "aws:username" not in Principal("arn:aws:sts::123456789012:assumed-role/r/session").known


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"arn": "ada"}, "'ada' is not the ARN of a principal"),
        ({"arn": USER, "tags": {"a{b": "x"}}, "invalid tag key"),
        ({"arn": USER, "tags": {"Team": "x", "team": "y"}}, "differ only in upper and lower case"),
        ({"arn": USER, "identity": {"aws:SourceIp": "x"}}, "unknown identity key 'aws:SourceIp'"),
    ],
)
def test_an_invalid_principal_is_an_error(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyRefused, match=message.replace("{", r"\{")):
        Principal(**arguments)
