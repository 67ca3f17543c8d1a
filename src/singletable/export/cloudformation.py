"""A CloudFormation template: the tables with everything around them, as YAML or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from singletable.export.alarms import JUDGEMENT, Alarm, account_alarm, alarms_of
from singletable.export.names import pascal_case, told_apart
from singletable.export.table import ExportedTable, refuse_same_names
from singletable.export.yaml import to_yaml

TOPIC = "AlarmTopicArn"
HAS_TOPIC = "HasAlarmTopic"
_DESCRIPTION_BYTES_MAX = 1024


def to_cloudformation(tables: Sequence[ExportedTable], *, as_json: bool = False) -> str:
    """The template of the tables; raises ExportRefused when two of them have one name."""
    template = cloudformation_template(tables)
    return json.dumps(template, indent=2, ensure_ascii=False) + "\n" if as_json else to_yaml(template)


def cloudformation_template(tables: Sequence[ExportedTable]) -> dict[str, Any]:
    """The template as a document."""
    refuse_same_names(tables)
    account = account_alarm(tables)
    alarms = [alarm for table in tables for alarm in alarms_of(table)] + ([account] if account else [])
    names = [*(table.name for table in tables), *(alarm.name for alarm in alarms)]
    ids = told_apart(names, pascal_case)
    template: dict[str, Any] = {"AWSTemplateFormatVersion": "2010-09-09", "Description": _description(tables)}
    if account is not None:
        template["Parameters"] = {
            TOPIC: {
                "Type": "String",
                "Default": "",
                "Description": "The SNS topic that alarms are sent to; none when it is empty",
            }
        }
        template["Conditions"] = {HAS_TOPIC: {"Fn::Not": [{"Fn::Equals": [{"Ref": TOPIC}, ""]}]}}
    resources: dict[str, Any] = {}
    for table in tables:
        resources[ids[table.name]] = _table(table)
    for alarm in alarms:
        resources[ids[alarm.name]] = _alarm(alarm, ids)
    template["Resources"] = resources
    template["Outputs"] = {name: value for table in tables for name, value in _outputs(table, ids[table.name])}
    return template


def _description(tables: Sequence[ExportedTable]) -> str:
    described = [f"{table.name}: {table.description}" if table.description else table.name for table in tables]
    text = f"{'; '.join(described)} (made by singletable export cloudformation)"
    return text if len(text.encode()) <= _DESCRIPTION_BYTES_MAX else "made by singletable export cloudformation"


def _table(table: ExportedTable) -> dict[str, Any]:
    settings, properties = table.settings, table.create_request
    if settings.stream is not None:
        properties["StreamSpecification"] = {"StreamViewType": settings.stream}
    if table.design.ttl_attribute is not None:
        properties["TimeToLiveSpecification"] = {"AttributeName": table.design.ttl_attribute, "Enabled": True}
    if settings.point_in_time_recovery:
        properties["PointInTimeRecoverySpecification"] = {"PointInTimeRecoveryEnabled": True}
    if settings.insights is not None:
        insights = {"Enabled": True, "Mode": settings.insights}
        properties["ContributorInsightsSpecification"] = insights
        for index in properties.get("GlobalSecondaryIndexes", ()):
            index["ContributorInsightsSpecification"] = insights
    # A table outlives its stack: what deletes the stack by mistake does not delete the data.
    kept = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
    return {"Type": "AWS::DynamoDB::Table", **kept, "Properties": properties}


def _alarm(alarm: Alarm, ids: dict[str, str]) -> dict[str, Any]:
    properties = alarm.subject | JUDGEMENT
    for dimension in properties.get("Dimensions", ()):
        if dimension["Name"] == "TableName":
            dimension["Value"] = {"Ref": ids[dimension["Value"]]}
    properties["AlarmActions"] = {"Fn::If": [HAS_TOPIC, [{"Ref": TOPIC}], {"Ref": "AWS::NoValue"}]}
    return {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}


def _outputs(table: ExportedTable, identifier: str) -> list[tuple[str, dict[str, Any]]]:
    outputs: list[tuple[str, dict[str, Any]]] = [
        (f"{identifier}Name", {"Value": {"Ref": identifier}}),
        (f"{identifier}Arn", {"Value": {"Fn::GetAtt": [identifier, "Arn"]}}),
    ]
    if table.settings.stream is not None:
        outputs.append((f"{identifier}StreamArn", {"Value": {"Fn::GetAtt": [identifier, "StreamArn"]}}))
    return outputs
