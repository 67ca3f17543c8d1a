"""CloudFormation's own linter finds nothing to say of a template, and it says what the settings ask for."""

from __future__ import annotations

from typing import Any

from cfnlint.api import ManualArgs, lint  # type: ignore[import-untyped]

from singletable.export.alarms import account_alarm, alarms_of
from singletable.export.cloudformation import cloudformation_template, to_cloudformation
from singletable.export.settings import Settings, Units
from singletable.export.table import exported_table
from tests.export.created import BARE, template_of
from tests.export.models import Notes, Readings, example_tables


def findings(template: str) -> list[str]:
    # What the linter merely informs of is a matter of taste; errors and warnings are not.
    found = lint(template, config=ManualArgs(regions=["us-east-1"], ignore_checks=["I"]))
    return [f"{each.rule.id} at line {each.linenumber}: {each.message}" for each in found]


def resources(template: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [each["Properties"] for each in template["Resources"].values() if each["Type"] == kind]


def test_the_linter_finds_nothing_in_the_examples() -> None:
    tables = [exported_table(table.design, description=table.__doc__) for table in example_tables()]
    assert findings(to_cloudformation(tables)) == []


def test_the_linter_finds_nothing_in_multi_attribute_keys_local_indexes_and_capacity() -> None:
    provisioned = Settings(provisioned=Units(5, 5), tags={"team": "notes"}, table_class="STANDARD_INFREQUENT_ACCESS")
    tables = [
        exported_table(Readings.design, description=Readings.__doc__),
        exported_table(Notes.design, settings=provisioned),
    ]
    assert findings(to_cloudformation(tables)) == []
    assert findings(to_cloudformation([exported_table(Notes.design, settings=BARE)], as_json=True)) == []


def test_the_linter_would_say_what_is_wrong() -> None:
    wrong = to_cloudformation([exported_table(Notes.design)]).replace("PAY_PER_REQUEST", "PAY_PER_GUESS")
    assert any("PAY_PER_GUESS" in finding for finding in findings(wrong))


def test_yaml_and_json_are_one_template() -> None:
    tables = [exported_table(Readings.design, description=Readings.__doc__), exported_table(Notes.design)]
    assert template_of(to_cloudformation(tables)) == cloudformation_template(tables)


def test_a_table_is_kept_recovered_expired_and_watched() -> None:
    template = cloudformation_template([exported_table(Readings.design)])
    (table,) = resources(template, "AWS::DynamoDB::Table")
    (resource,) = (each for each in template["Resources"].values() if each["Type"] == "AWS::DynamoDB::Table")
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires", "Enabled": True}
    insights = {"Enabled": True, "Mode": "THROTTLED_KEYS"}
    assert table["ContributorInsightsSpecification"] == insights
    assert [each["ContributorInsightsSpecification"] for each in table["GlobalSecondaryIndexes"]] == [insights]


def test_every_alarm_acts_on_the_topic_only_if_there_is_one() -> None:
    table = exported_table(Notes.design)
    template = cloudformation_template([table])
    alarms = resources(template, "AWS::CloudWatch::Alarm")
    account = account_alarm([table])
    assert account is not None
    assert [each["AlarmName"] for each in alarms] == [*(alarm.name for alarm in alarms_of(table)), account.name]
    action = {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}], {"Ref": "AWS::NoValue"}]}
    assert all(each["AlarmActions"] == action for each in alarms)
    assert template["Parameters"]["AlarmTopicArn"]["Default"] == ""


def test_without_alarms_there_is_no_topic_to_ask_for() -> None:
    template = cloudformation_template([exported_table(Notes.design, settings=BARE)])
    assert set(template) == {"AWSTemplateFormatVersion", "Description", "Resources", "Outputs"}


def test_names_that_become_one_identifier_are_told_apart() -> None:
    tables = [exported_table(Notes.design, name=name) for name in ("my-notes", "my_notes", "MyNotes", "123")]
    assert list(cloudformation_template(tables)["Resources"])[:4] == ["MyNotes", "MyNotes2", "MyNotes3", "Table123"]
