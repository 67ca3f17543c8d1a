"""Policies allow the requests of the planner on the partitions they need, and note what they cannot restrict."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from singletable import ExportRefused, Table, entity
from singletable.export.exported_table import exported_table
from singletable.export.iam_policies import SCOPES, AwsScope, Policy, Scope, policies_of, tenant_policies, to_iam
from tests.export.models import Blog, Notes, Readings, example_tables
from tests.export.test_cloudformation import findings

HERE = AwsScope(region="eu-central-1", account="123456789012")
TABLE = "arn:aws:dynamodb:eu-central-1:123456789012:table"


def policies(table: type[Table], scope: Scope = "application") -> dict[str, Policy]:
    return {policy.name: policy for policy in policies_of(exported_table(table.design), scope, HERE)}


def allowed(policy: Policy, action: str, resource: str, *keys: str) -> bool:
    """What IAM would say of a request for these partition keys."""
    for statement in policy.statements:
        if f"dynamodb:{action}" in statement["Action"] and statement["Resource"] == f"{TABLE}/{resource}":
            condition = statement.get("Condition")
            if condition is None:
                return True
            patterns = condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
            if keys and all(any(fnmatch.fnmatchcase(key, pattern) for pattern in patterns) for key in keys):
                return True
    return False


def as_template(documents: Iterable[Policy]) -> str:
    """The policies as resources, since the linter knows IAM's actions and grammar from CloudFormation."""
    resources = {
        f"P{number}": {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": policy.document}}
        for number, policy in enumerate(documents)
    }
    return json.dumps({"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources})


def test_iam_policies_all_pass_the_linter() -> None:
    models: list[type[Table]] = [*example_tables(), Notes, Blog, Readings]
    found = [
        policy
        for table in models
        for scope in SCOPES
        for policy in policies_of(exported_table(table.design), scope, HERE)
    ]
    found += tenant_policies(exported_table(Notes.design), "tenant", "tenant", HERE)
    assert findings(as_template(found)) == []


def test_the_linter_detects_errors_in_iam_policies() -> None:
    wrong = Policy("Wrong", "", [{"Effect": "Allow", "Action": "dynamodb:ReadMinds", "Resource": "*"}])
    assert any("readminds" in finding.lower() for finding in findings(as_template([wrong])))


def test_iam_policies_let_an_application_read_by_key_and_pattern_and_never_scan() -> None:
    found = policies(Notes)
    reads, writes = found["NotesReadOnly"], found["NotesReadWrite"]
    assert allowed(reads, "GetItem", "Notes", "any")
    assert allowed(reads, "Query", "Notes/index/GSI1", "any")
    assert not allowed(reads, "PutItem", "Notes", "any")
    for action in ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem", "GetItem"):
        assert allowed(writes, action, "Notes", "any"), action
    assert "Scan" not in to_iam(list(found.values()))


def test_iam_policies_of_an_entity_are_restricted_to_its_partitions() -> None:
    policy = policies(Blog, "entity")["BlogPostReadOnly"]
    assert allowed(policy, "GetItem", "Blog", "POST#1")
    assert not allowed(policy, "GetItem", "Blog", "POST#1", "USER#1")
    assert not allowed(policy, "GetItem", "Blog")


def test_iam_policies_for_writes_allow_derived_data() -> None:
    found = policies(Blog, "entity")
    post, writer = found["BlogPostReadWrite"], found["BlogWriterReadWrite"]
    # A post is counted by its writer, and repeats the writer's name.
    assert allowed(post, "UpdateItem", "Blog", "USER#1")
    assert allowed(post, "ConditionCheckItem", "Blog", "USER#1")
    assert not allowed(post, "DeleteItem", "Blog", "USER#1")
    # A writer's e-mail address is unique, and the name is repeated in posts, which are found by an index.
    assert allowed(writer, "PutItem", "Blog", "UNIQUE#Writer#email#a@example.org")
    assert allowed(writer, "Query", "Blog/index/GSI1", "USER#1")
    assert allowed(writer, "UpdateItem", "Blog", "POST#1")
    assert not allowed(writer, "PutItem", "Blog", "POST#1")
    assert allowed(writer, "PutItem", "Blog", "${$}singletable#token#*")


def test_every_iam_policy_allows_to_open_the_table_but_tenants_store_no_tokens() -> None:
    tenant = tenant_policies(exported_table(Notes.design), "tenant", "tenant", HERE)
    for policy in [each for scope in SCOPES for each in policies(Notes, scope).values()] + list(tenant):
        assert allowed(policy, "DescribeTable", "Notes"), policy.name
    for policy in tenant:
        assert not allowed(policy, "PutItem", "Notes", "${$}singletable#token#x")
        assert any("idempotency token are denied" in note for note in policy.notes)


def test_iam_policies_of_a_pattern_allow_only_its_request() -> None:
    found = policies(Notes, "pattern")
    opening, statement, design_state = found["NotesNotesInState"].statements
    assert (opening["Action"], opening["Resource"]) == (["dynamodb:DescribeTable"], f"{TABLE}/Notes")
    assert design_state["Action"] == ["dynamodb:GetItem"]
    assert design_state["Condition"]["ForAllValues:StringLike"] == {
        "dynamodb:LeadingKeys": ["$singletable#consolidation#*", "$singletable#design#*", "$singletable#state"]
    }
    assert (statement["Action"], statement["Resource"]) == (["dynamodb:Query"], f"{TABLE}/Notes/index/GSI1")
    assert allowed(found["NotesSettle"], "UpdateItem", "Notes", "TENANT#t#NOTE#1")
    assert not allowed(found["NotesSettle"], "PutItem", "Notes", "TENANT#t#NOTE#1")


def test_iam_policies_note_entities_that_share_partitions() -> None:
    shop = next(table for table in example_tables() if table.__name__ == "Shop")
    found = policies(shop, "entity")
    assert found["ShopCustomerReadOnly"].notes == ()
    (note,) = [note for note in found["ShopOrderReadOnly"].notes if "in the table" in note]
    assert "ORDER#* also matches the partitions of OrderItem" in note


def test_iam_policies_note_keys_that_leading_keys_cannot_restrict() -> None:
    policy = policies(Readings, "entity")["SiteReadingsV2ReadingReadOnly"]
    assert "Condition" not in policy.statements[0]
    assert "is not a single string" in policy.notes[0]


def test_iam_policies_reject_a_name_that_is_too_long() -> None:
    with pytest.raises(ExportRefused, match="is longer than 128 characters"):
        policies_of(exported_table(Notes.design, name="n" * 250), "application", HERE)


@pytest.mark.parametrize(("place", "what"), [(("gcp", "*", "*"), "partition"), (("aws", "Mars", "*"), "region"),
                                             (("aws", "*", "12"), "account")])  # fmt: skip
def test_iam_policies_reject_an_invalid_arn_scope(place: tuple[str, str, str], what: str) -> None:
    with pytest.raises(ExportRefused, match=f"invalid (AWS )?{what}"):
        AwsScope(*place)


OPENING = ["dynamodb:DescribeTable"]
TAG = "${aws:PrincipalTag/tenant}"


def keys_of(table: type[Table], field: str = "tenant") -> dict[str, list[str]]:
    reads, _ = tenant_policies(exported_table(table.design), field, field, AwsScope())
    return {
        statement["Sid"]: statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        for statement in reads.statements
        if statement["Action"] != OPENING and statement["Sid"] != "DesignState"
    }


def test_iam_policies_of_a_tenant_allow_the_partitions_of_the_tenant() -> None:
    assert keys_of(Notes) == {
        "Table": [f"TENANT#{TAG}", f"TENANT#{TAG}#NOTE#*"],
        "IndexGSI1": [f"TENANT#{TAG}#*"],
    }


def test_iam_policies_of_a_tenant_restrict_both_reads_and_writes() -> None:
    for policy in tenant_policies(exported_table(Notes.design), "tenant", "org", AwsScope()):
        assert [statement["Sid"] for statement in policy.statements].count("DesignState") == 1
        for statement in policy.statements:
            if statement["Action"] == OPENING or statement["Sid"] == "DesignState":
                continue  # the definition and the design of the table belong to no tenant
            held = statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
            assert all(key.startswith("TENANT#${aws:PrincipalTag/org}") for key in held)
            assert statement["Condition"]["Null"] == {"dynamodb:LeadingKeys": "false"}


def test_iam_policies_of_a_tenant_name_every_key_that_does_not_start_with_the_tenant() -> None:
    with pytest.raises(ExportRefused) as refused:
        keys_of(Blog, "writer_id")
    message = str(refused.value)
    assert "Writer in the table: the entity has no field 'writer_id'" in message
    assert "Writer: the unique marker of email is in 'UNIQUE#Writer#email#{email}'" in message
    assert "instead of unique=, declare an entity with email in its key" in message
    assert "Post in the table: the partition key 'POST#{id}' does not start with {writer_id}" in message
    assert 'as in "TENANT#{writer_id}#..."' in message


@pytest.mark.parametrize("key", ["T#{tenant}-{id:03d}", "{tenant:raw}", "A#{id}#{tenant}", "T{id:03d}{tenant}"])
def test_iam_policies_of_a_tenant_reject_a_key_with_ambiguous_tenants(key: str) -> None:
    @entity(key=(key, "X"), identity=())
    @dataclass
    class Thing:
        tenant: str
        id: int

    class Things(Table, entities=[Thing]):
        """Keys that do not keep tenants apart."""

    with pytest.raises(ExportRefused, match="does not start with"):
        keys_of(Things)


def test_iam_policies_of_a_tenant_note_a_delimiter_allowed_in_tags() -> None:
    @entity(key=("T/{tenant}/{id}", "X"))
    @dataclass
    class Thing:
        tenant: str
        id: str

    class Things(Table, entities=[Thing], delimiter="/"):
        """Segments that a tag could imitate."""

    reads, _ = tenant_policies(exported_table(Things.design), "tenant", "tenant", AwsScope())
    assert any("do not use it in tenant" in note for note in reads.notes)


def test_iam_policies_of_a_tenant_reject_an_unknown_field() -> None:
    with pytest.raises(ExportRefused, match="has no field 'tenant'"):
        keys_of(example_tables()[0])
