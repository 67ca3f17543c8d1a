"""Policies allow what the planner's requests need, on the partitions that they need it on, and say what they cannot."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable

import pytest

from singletable import ExportRefused, Table
from singletable.export.iam import SCOPES, Place, Policy, Scope, policies_of, to_iam
from singletable.export.table import exported_table
from singletable.export.tenants import tenant_policies
from tests.export.models import Blog, Notes, Readings, example_tables
from tests.export.test_cloudformation import findings

HERE = Place(region="eu-central-1", account="123456789012")
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


def test_the_linter_finds_nothing_in_any_policy() -> None:
    models: list[type[Table]] = [*example_tables(), Notes, Blog, Readings]
    found = [
        policy
        for table in models
        for scope in SCOPES
        for policy in policies_of(exported_table(table.design), scope, HERE)
    ]
    found += tenant_policies(exported_table(Notes.design), "tenant", "tenant", HERE)
    assert findings(as_template(found)) == []


def test_the_linter_would_say_what_is_wrong() -> None:
    wrong = Policy("Wrong", "", [{"Effect": "Allow", "Action": "dynamodb:ReadMinds", "Resource": "*"}])
    assert any("readminds" in finding.lower() for finding in findings(as_template([wrong])))


def test_an_application_reads_by_key_and_pattern_and_never_scans() -> None:
    found = policies(Notes)
    reads, writes = found["NotesReadOnly"], found["NotesReadWrite"]
    assert allowed(reads, "GetItem", "Notes", "any")
    assert allowed(reads, "Query", "Notes/index/GSI1", "any")
    assert not allowed(reads, "PutItem", "Notes", "any")
    for action in ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem", "GetItem"):
        assert allowed(writes, action, "Notes", "any"), action
    assert "Scan" not in to_iam(list(found.values()))


def test_an_entity_is_held_to_its_partitions() -> None:
    policy = policies(Blog, "entity")["BlogPostReadOnly"]
    assert allowed(policy, "GetItem", "Blog", "POST#1")
    assert not allowed(policy, "GetItem", "Blog", "POST#1", "USER#1")
    assert not allowed(policy, "GetItem", "Blog")


def test_a_write_may_keep_right_what_it_keeps_right() -> None:
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


def test_a_pattern_needs_its_own_request_alone() -> None:
    found = policies(Notes, "pattern")
    (statement,) = found["NotesNotesInState"].statements
    assert (statement["Action"], statement["Resource"]) == (["dynamodb:Query"], f"{TABLE}/Notes/index/GSI1")
    assert allowed(found["NotesSettle"], "UpdateItem", "Notes", "TENANT#t#NOTE#1")
    assert not allowed(found["NotesSettle"], "PutItem", "Notes", "TENANT#t#NOTE#1")


def test_entities_that_share_partitions_are_named() -> None:
    shop = next(table for table in example_tables() if table.__name__ == "Shop")
    found = policies(shop, "entity")
    assert found["ShopCustomerReadOnly"].notes == ()
    (note,) = [note for note in found["ShopOrderReadOnly"].notes if "in the table" in note]
    assert "ORDER#* are the partitions of OrderItem too" in note


def test_what_leading_keys_cannot_hold_is_said() -> None:
    policy = policies(Readings, "entity")["SiteReadingsV2ReadingReadOnly"]
    assert "Condition" not in policy.statements[0]
    assert "is no single text" in policy.notes[0]


def test_a_name_that_is_too_long_for_a_policy_is_refused() -> None:
    with pytest.raises(ExportRefused, match="too long for a policy"):
        policies_of(exported_table(Notes.design, name="n" * 250), "application", HERE)


@pytest.mark.parametrize(("place", "what"), [(("gcp", "*", "*"), "partition"), (("aws", "Mars", "*"), "region"),
                                             (("aws", "*", "12"), "account")])  # fmt: skip
def test_a_place_that_is_none_is_refused(place: tuple[str, str, str], what: str) -> None:
    with pytest.raises(ExportRefused, match=f"is no {what}"):
        Place(*place)
