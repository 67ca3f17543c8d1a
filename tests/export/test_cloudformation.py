"""The CloudFormation template passes the linter and reflects the settings."""

from __future__ import annotations

from typing import Any

import pytest
from cfnlint.api import ManualArgs, lint  # type: ignore[import-untyped]
from cfnlint.decode import cfn_yaml  # type: ignore[import-untyped]
from hypothesis import example, given, settings
from hypothesis import strategies as st

from singletable.export.alarms import account_alarm, alarms_of
from singletable.export.cloudformation import cloudformation_template, to_cloudformation, to_yaml
from singletable.export.exported_table import ExportSettings, ProvisionedUnits, exported_table
from tests.export.created import BARE, template_of
from tests.export.models import Notes, Readings, example_tables


def findings(template: str) -> list[str]:
    # What the linter merely informs of is a matter of taste; errors and warnings are not.
    found = lint(template, config=ManualArgs(regions=["us-east-1"], ignore_checks=["I"]))
    return [f"{each.rule.id} at line {each.linenumber}: {each.message}" for each in found]


def resources(template: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [each["Properties"] for each in template["Resources"].values() if each["Type"] == kind]


def test_cloudformation_templates_of_the_examples_pass_the_linter() -> None:
    tables = [exported_table(table.design, description=table.__doc__) for table in example_tables()]
    assert findings(to_cloudformation(tables)) == []


def test_cloudformation_with_multi_attribute_keys_local_indexes_and_capacity_passes_the_linter() -> None:
    provisioned = ExportSettings(
        provisioned=ProvisionedUnits(5, 5), tags={"team": "notes"}, table_class="STANDARD_INFREQUENT_ACCESS"
    )
    tables = [
        exported_table(Readings.design, description=Readings.__doc__),
        exported_table(Notes.design, settings=provisioned),
    ]
    assert findings(to_cloudformation(tables)) == []
    assert findings(to_cloudformation([exported_table(Notes.design, settings=BARE)], as_json=True)) == []


def test_the_linter_detects_errors_in_a_cloudformation_template() -> None:
    wrong = to_cloudformation([exported_table(Notes.design)]).replace("PAY_PER_REQUEST", "PAY_PER_GUESS")
    assert any("PAY_PER_GUESS" in finding for finding in findings(wrong))


def test_cloudformation_yaml_and_json_are_the_same_template() -> None:
    tables = [exported_table(Readings.design, description=Readings.__doc__), exported_table(Notes.design)]
    assert template_of(to_cloudformation(tables)) == cloudformation_template(tables)


def test_a_cloudformation_table_has_retention_recovery_ttl_and_insights() -> None:
    template = cloudformation_template([exported_table(Readings.design)])
    (table,) = resources(template, "AWS::DynamoDB::Table")
    (resource,) = (each for each in template["Resources"].values() if each["Type"] == "AWS::DynamoDB::Table")
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires", "Enabled": True}
    insights = {"Enabled": True, "Mode": "THROTTLED_KEYS"}
    assert table["ContributorInsightsSpecification"] == insights
    assert [each["ContributorInsightsSpecification"] for each in table["GlobalSecondaryIndexes"]] == [insights]


def test_every_cloudformation_alarm_acts_on_the_topic_only_if_there_is_one() -> None:
    table = exported_table(Notes.design)
    template = cloudformation_template([table])
    alarms = resources(template, "AWS::CloudWatch::Alarm")
    account = account_alarm([table])
    assert account is not None
    assert [each["AlarmName"] for each in alarms] == [*(alarm.name for alarm in alarms_of(table)), account.name]
    action = {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}], {"Ref": "AWS::NoValue"}]}
    assert all(each["AlarmActions"] == action for each in alarms)
    assert template["Parameters"]["AlarmTopicArn"]["Default"] == ""


def test_a_cloudformation_template_without_alarms_has_no_topic_parameter() -> None:
    template = cloudformation_template([exported_table(Notes.design, settings=BARE)])
    assert set(template) == {"AWSTemplateFormatVersion", "Description", "Resources", "Outputs"}


def test_cloudformation_adds_a_number_to_colliding_identifiers() -> None:
    tables = [exported_table(Notes.design, name=name) for name in ("my-notes", "my_notes", "MyNotes", "123")]
    assert list(cloudformation_template(tables)["Resources"])[:4] == ["MyNotes", "MyNotes2", "MyNotes3", "Table123"]


AWKWARD = st.sampled_from(
    ["yes", "No", "null", "~", "", " ", "1", "1e3", "0x1f", "2026-01-01", "a: b", "a #b", "- a", "a,b", "a, b", "[a]",
     "{a}", "!Ref a", "&a", "*a", "%a", "@a", "`a", "'a'", '"a"', "a\nb", "a ", "AWS::NoValue", "a::b",
     "a::", "é", "🐍"]
)  # fmt: skip
texts = AWKWARD | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    texts | st.integers(0, 99) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(document=st.dictionaries(texts, values, min_size=1, max_size=3))
@example(document={"yes": "A::"})
@settings(max_examples=200)
def test_cloudformation_yaml_round_trips(document: dict[str, Any]) -> None:
    assert cfn_yaml.loads(to_yaml({"Top": document}))["Top"] == document


@pytest.mark.parametrize(
    "text", ["A sentence, with a comma (and more).", "AWS::DynamoDB::Table", "NEW_IMAGE", "AWS/DynamoDB"]
)
def test_cloudformation_yaml_has_no_quotes_around_plain_text(text: str) -> None:
    assert to_yaml({"Key": text}) == f"Key: {text}\n"


def test_cloudformation_functions_use_the_short_form() -> None:
    value = {"Fn::If": ["A", [{"Ref": "B"}], {"Ref": "AWS::NoValue"}]}
    assert to_yaml({"Actions": value}) == "Actions: !If [A, [!Ref B], !Ref AWS::NoValue]\n"
