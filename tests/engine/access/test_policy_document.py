"""Policy documents are parsed strictly: an unsupported element is an error that names its place."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.access.policy_document import parse_json, parse_policies
from singletable.errors import PolicyRefused
from tests.engine.access.game_scores import INDEX, TABLE, policy, statement

GET = "dynamodb:GetItem"


def refused(document: Any) -> str:
    with pytest.raises(PolicyRefused) as caught:
        parse_policies(document, "roles.json")
    return str(caught.value)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "roles.json must be a policy document"),
        ({}, "roles.json has no Statement"),
        ({"Statement": []}, "roles.json.Statement must be a list with at least one element"),
        ({"Statement": ["x"]}, "roles.json.Statement[0] must be an object"),
        ({"Version": "2012-10-18", "Statement": [statement(GET)]}, "Version must be one of 2008-10-17, 2012-10-17"),
        ({"Statment": [statement(GET)]}, "roles.json: unknown element 'Statment'"),
        (policy(statement(GET, Effect="allow")), 'Statement[0].Effect must be "Allow" or "Deny"'),
        (policy(statement(GET, Condtion={})), "Statement[0]: unknown element 'Condtion'"),
        (policy(statement(GET, Principal="*")), "Principal belongs in resource-based policies"),
        (policy(statement(GET, NotAction=GET)), "must have either Action or NotAction"),
        (policy({"Effect": "Allow", "Action": GET}), "must have either Resource or NotResource"),
        (policy(statement("dynamodb:GetItems")), "'dynamodb:GetItems'; did you mean dynamodb:GetItem?"),
        (policy(statement("dynamodb:Fetch*")), "unknown action 'dynamodb:Fetch*'"),
        (policy(statement("GetItem")), "'GetItem' is not an action: write dynamodb:GetItem"),
        (policy(statement(GET, "GameScores")), "Resource: 'GameScores' is not an ARN"),
        (policy(statement(GET, "arn:aws:dynamodb:table/GameScores")), "is not an ARN"),
        (policy(statement(GET, "arn:aws:dynamodb:${aws:userid}:*:table/x")), "before the last part of the ARN"),
        (policy(statement(GET, TABLE + "${aws:usrid}")), "unknown policy variable ${aws:usrid}"),
        (policy(statement(GET, TABLE + "${aws:userid")), "without a closing brace"),
        (policy(statement([])), "Action must be a list with at least one element"),
        (policy({**statement(GET), "Action": [GET, 3]}), "Action must be a string or a list of strings"),
        (policy(statement(GET, Condition=[])), "Condition must be an object of operators"),
        (policy(statement(GET, Condition={"StringEqual": {}})), "unknown condition operator 'StringEqual'"),
        (policy(statement(GET, Condition={"NullIfExists": {}})), "unknown condition operator 'NullIfExists'"),
        (policy(statement(GET, Condition={"ForAllValues:Null": {}})), "unknown condition operator"),
        (policy(statement(GET, Condition={"ForEach:StringLike": {}})), "unknown condition operator"),
        (policy(statement(GET, Condition={"NumericEquals": {"dynamodb:Select": "1"}})), "unknown condition operator"),
        (policy(statement(GET, Condition={"StringEquals": {"dynamodb:LeadingKey": "a"}})), "unknown condition key"),
        (policy(statement(GET, Condition={"StringEquals": {"aws:SourceIp": "a"}})), "unknown condition key"),
        (policy(statement(GET, Condition={"StringEquals": {}})), "must be an object of condition keys"),
        (policy(statement(GET, Condition={"StringEquals": {"dynamodb:Select": []}})), "must be a string or a list"),
        (policy(statement(GET, Condition={"StringEquals": {"dynamodb:Select": 1}})), "must be a string or a list"),
        (policy(statement(GET, Condition={"Null": {"dynamodb:Select": "no"}})), 'must be "true" or "false"'),
        (policy(statement(GET, Condition={"Bool": {"dynamodb:FullTableScan": "1"}})), 'must be "true" or "false"'),
        (
            policy(statement(GET, Condition={"StringEquals": {"dynamodb:LeadingKeys": "a"}})),
            "needs a set operator: write ForAllValues:StringEquals",
        ),
    ],
)
def test_an_invalid_policy_document_is_an_error_that_names_its_place(document: Any, message: str) -> None:
    found = refused(document)
    assert message in found
    assert found.startswith("roles.json")


def test_a_policy_document_cannot_have_two_members_with_one_name() -> None:
    with pytest.raises(PolicyRefused, match="two members named 'Effect'"):
        parse_json('{"Effect": "Deny", "Effect": "Allow"}', "roles.json")
    with pytest.raises(PolicyRefused, match=r"roles\.json is not valid JSON"):
        parse_json("{", "roles.json")


def test_the_output_of_export_iam_is_several_policies_which_have_names() -> None:
    entries = [{"PolicyName": name, "PolicyDocument": policy(statement(GET))} for name in ("Read", "Write")]
    exported = {"Policies": [{**entry, "Description": "d", "Notes": ["n"]} for entry in entries]}
    assert [each.name for each in parse_policies(exported)] == ["Read", "Write"]
    assert [each.name for each in parse_policies(exported, "roles.json", "Write")] == ["Write"]
    with pytest.raises(PolicyRefused, match=r"roles\.json has no policy 'Wrong'; it has Read, Write"):
        parse_policies(exported, "roles.json", "Wrong")
    exported["Policies"][1]["PolicyDocument"] = {}
    assert "roles.json: Policies[1].PolicyDocument has no Statement" in refused(exported)


def names(action: str, resource: str, **others: Any) -> bool:
    (parsed,) = parse_policies(policy({"Effect": "Allow", **others}))
    return parsed.statements[0].names(action, resource, {})


@pytest.mark.parametrize(
    ("given", "is_named"),
    [
        ("*", True),
        ("dynamodb:*", True),
        ("DynamoDB:getitem", True),
        ("dynamodb:Get?tem", True),
        ("s3:GetObject", False),
    ],
)
def test_actions_in_a_policy_document_have_wildcards_and_ignore_case(given: str, is_named: bool) -> None:
    assert names(GET, TABLE, Action=given, Resource="*") is is_named
    assert names(GET, TABLE, NotAction=given, Resource="*") is not is_named


@pytest.mark.parametrize(
    ("given", "resource", "is_named"),
    [
        ("*", TABLE, True),
        (TABLE, TABLE, True),
        (TABLE, INDEX, False),
        (f"{TABLE}/index/*", INDEX, True),
        (f"{TABLE}*", INDEX, True),
        ("arn:aws:dynamodb:*:*:table/*", INDEX, True),
        ("arn:aws:dynamodb:*:table/GameScores:*:*", TABLE, False),
        ("arn:aws:dynamodb:us-east-1:*:table/*", TABLE, False),
        ("arn:aws:dynamodb:us-west-2:123456789012:table/Game????es", TABLE, True),
        (TABLE.lower(), TABLE, False),
        (TABLE, "*", False),
    ],
)
def test_resources_in_a_policy_document_match_part_by_part(given: str, resource: str, is_named: bool) -> None:
    assert names(GET, resource, Action="*", Resource=given) is is_named
    assert names(GET, resource, Action="*", NotResource=given) is not is_named


def test_a_variable_in_a_resource_of_a_policy_document_contains_no_wildcards_and_needs_a_value() -> None:
    resource = "arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/Team}"
    (parsed,) = parse_policies(policy(statement("*", resource)))
    (only,) = parsed.statements
    table = "arn:aws:dynamodb:us-west-2:123456789012:table/red"
    assert only.names(GET, table, {"aws:principaltag/team": ("red",)})
    assert not only.names(GET, table, {"aws:principaltag/team": ("*",)})
    assert not only.names(GET, table, {})


def test_a_policy_document_of_the_old_version_has_no_variables() -> None:
    (parsed,) = parse_policies(policy(statement("*", TABLE + "${aws:unknown}"), version="2008-10-17"))
    assert parsed.statements[0].names(GET, TABLE + "${aws:unknown}", {})
