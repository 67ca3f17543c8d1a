"""Export a CloudFormation template, in YAML or JSON, with the tables, their settings and alarms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from singletable.export.alarms import THRESHOLDS, Alarm, account_alarm, alarms_of
from singletable.export.exported_table import ExportedTable, check_unique_names
from singletable.export.source_text import pascal_case, quoted, unique_names
from singletable.export.stream_mapping import (
    BATCH_SIZE,
    BISECT_BATCH_ON_ERROR,
    RESPONSE_TYPES,
    RETENTION_SECONDS,
    RETRIES_MAX,
    STARTING_POSITION,
    StreamMapping,
    stream_mapping,
)

# Text that needs no quotes: it starts with a letter, contains no YAML syntax, and is not read as a boolean or null.
_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9_./;()+-]|::(?=[A-Za-z0-9])|,(?= )| (?=[A-Za-z0-9(]))*")
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


def to_yaml(document: Mapping[str, Any]) -> str:
    """Return the document as YAML, with CloudFormation functions in short form."""
    return "\n".join(_mapping(document, "")) + "\n"


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, each in value.items():
        yield from _entry(f"{indent}{_text(key)}:", each, indent)


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    """Yield a key with its value. A scalar is on the same line; mappings and lists are below it."""
    if not _is_block(value):
        yield f"{head} {_flow(value)}"
    elif isinstance(value, Mapping):
        yield head
        yield from _mapping(value, indent + "  ")
    else:
        yield head
        yield from _sequence(value, indent + "  ")


def _sequence(value: list[Any], indent: str) -> Iterator[str]:
    for each in value:
        if isinstance(each, Mapping) and _is_block(each):
            first, *rest = _mapping(each, indent + "  ")
            yield f"{indent}- {first[len(indent) + 2 :]}"
            yield from rest
        else:
            yield f"{indent}- {_flow(each)}"


def _is_block(value: Any) -> bool:
    """Return whether a value is written over several lines."""
    if isinstance(value, Mapping):
        return bool(value) and _function(value) is None
    return isinstance(value, list) and bool(value)


def _flow(value: Any, *, inside: bool = False) -> str:
    """Return a value on one line. With `inside`, the value is inside brackets, so text with a comma is quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return quoted(value) if inside and "," in value else _text(value)
    if isinstance(value, list):
        return f"[{', '.join(_flow(each, inside=True) for each in value)}]"
    function = _function(value)
    if function is not None:
        return f"!{function.removeprefix('Fn::')} {_flow(value[function], inside=inside)}"
    return f"{{{', '.join(f'{quoted(key)}: {_flow(each, inside=True)}' for key, each in value.items())}}}"


def _function(value: Mapping[str, Any]) -> str | None:
    name = next(iter(value), "")
    return name if len(value) == 1 and (name == "Ref" or name.startswith("Fn::")) else None


def _text(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else quoted(text)


TOPIC = "AlarmTopicArn"
HAS_TOPIC = "HasAlarmTopic"
_DESCRIPTION_BYTES_MAX = 1024


def to_cloudformation(tables: Sequence[ExportedTable], *, as_json: bool = False) -> str:
    """Return the template; raise ExportRefused if two tables have the same name."""
    template = cloudformation_template(tables)
    return json.dumps(template, indent=2, ensure_ascii=False) + "\n" if as_json else to_yaml(template)


def cloudformation_template(tables: Sequence[ExportedTable]) -> dict[str, Any]:
    """Return the template as a dict."""
    check_unique_names(tables)
    account = account_alarm(tables)
    alarms = [alarm for table in tables for alarm in alarms_of(table)] + ([account] if account else [])
    names = [*(table.name for table in tables), *(alarm.name for alarm in alarms)]
    ids = unique_names(names, pascal_case)
    template: dict[str, Any] = {"AWSTemplateFormatVersion": "2010-09-09", "Description": _description(tables)}
    if account is not None:
        template["Parameters"] = {
            TOPIC: {
                "Type": "String",
                "Default": "",
                "Description": "The SNS topic for the alarms; empty for none",
            }
        }
        template["Conditions"] = {HAS_TOPIC: {"Fn::Not": [{"Fn::Equals": [{"Ref": TOPIC}, ""]}]}}
    resources: dict[str, Any] = {}
    for table in tables:
        resources[ids[table.name]] = _table(table)
        mapping = stream_mapping(table)
        if mapping is not None:
            _add_mapping(mapping, ids[table.name], template, resources)
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
    # With this setting, CloudFormation keeps the table if someone deletes the stack by mistake.
    kept = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
    return {"Type": "AWS::DynamoDB::Table", **kept, "Properties": properties}


def _add_mapping(mapping: StreamMapping, table_id: str, template: dict[str, Any], resources: dict[str, Any]) -> None:
    """Add the event source mapping of a table, a queue for failed batches, and the parameter for the function."""
    parameter, condition, queue = (
        f"{table_id}StreamFunction",
        f"Has{table_id}StreamFunction",
        f"{table_id}StreamFailures",
    )
    description = "The name or ARN of the Lambda function with the stream handlers; empty for none"
    template.setdefault("Parameters", {})[parameter] = {"Type": "String", "Default": "", "Description": description}
    template.setdefault("Conditions", {})[condition] = {"Fn::Not": [{"Fn::Equals": [{"Ref": parameter}, ""]}]}
    resources[queue] = {
        "Type": "AWS::SQS::Queue",
        "Condition": condition,
        "Properties": {"MessageRetentionPeriod": RETENTION_SECONDS},
    }
    properties: dict[str, Any] = {
        "EventSourceArn": {"Fn::GetAtt": [table_id, "StreamArn"]},
        "FunctionName": {"Ref": parameter},
        "StartingPosition": STARTING_POSITION,
        "BatchSize": BATCH_SIZE,
        "FunctionResponseTypes": list(RESPONSE_TYPES),
        "BisectBatchOnFunctionError": BISECT_BATCH_ON_ERROR,
        "MaximumRetryAttempts": RETRIES_MAX,
        "DestinationConfig": {"OnFailure": {"Destination": {"Fn::GetAtt": [queue, "Arn"]}}},
    }
    if mapping.filters:
        properties["FilterCriteria"] = {"Filters": [{"Pattern": each} for each in mapping.filters]}
    resources[f"{table_id}StreamMapping"] = {
        "Type": "AWS::Lambda::EventSourceMapping",
        "Condition": condition,
        "Properties": properties,
    }


def _alarm(alarm: Alarm, ids: dict[str, str]) -> dict[str, Any]:
    properties = alarm.subject | THRESHOLDS
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
