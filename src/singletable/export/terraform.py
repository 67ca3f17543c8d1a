"""Terraform: the tables with everything around them, for the provider hashicorp/aws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from singletable.export import alarms as alarm_rules
from singletable.export.alarms import Alarm, account_alarm, alarms_of
from singletable.export.hcl import Block, Expression, to_hcl
from singletable.export.names import snake_case, told_apart
from singletable.export.table import ExportedTable, refuse_same_names

# The first in which an index with key_schema can be taken away without the others (its changelog, issue 46602);
# hash_key and range_key of an index are deprecated.
PROVIDER_VERSION = "6.37"
TOPIC = "alarm_topic_arn"


def to_terraform(tables: Sequence[ExportedTable]) -> str:
    """The resources of the tables as one file."""
    refuse_same_names(tables)
    account = account_alarm(tables)
    names = told_apart([table.name for table in tables], snake_case)
    heading = [f"{table.name}: {table.description}" if table.description else table.name for table in tables]
    heading += [f"Made by singletable export terraform, for the provider hashicorp/aws from {PROVIDER_VERSION} on."]
    blocks: list[Block] = [_topic()] if account else []
    for table in tables:
        blocks += _blocks(table, names[table.name])
    if account is not None:
        labels = ("aws_cloudwatch_metric_alarm", f"{names[tables[0].name]}_user_errors")
        blocks.append(Block("resource", labels, _alarm_groups(account)))
    return to_hcl(blocks, heading)


def _topic() -> Block:
    arguments = {
        "description": "The SNS topic that alarms are sent to; none when it is null.",
        "type": Expression("string"),
        "default": Expression("null"),
    }
    return Block("variable", (TOPIC,), (arguments,))


def _blocks(table: ExportedTable, name: str) -> Iterator[Block]:
    yield _table(table, name)
    reference = f"aws_dynamodb_table.{name}.name"
    if table.settings.insights is not None:
        arguments = {"table_name": Expression(reference), "mode": table.settings.insights}
        yield Block("resource", ("aws_dynamodb_contributor_insights", name), (arguments,))
        if table.global_indexes:
            indexes = {
                "for_each": Expression(f"toset([{', '.join(_names(table.global_indexes))}])"),
                "table_name": Expression(reference),
                "index_name": Expression("each.key"),
                "mode": table.settings.insights,
            }
            yield Block("resource", ("aws_dynamodb_contributor_insights", f"{name}_indexes"), (indexes,))
    alarms = list(alarms_of(table))
    throttles = [alarm for alarm in alarms if alarm.query is None]
    if throttles:
        yield Block("resource", ("aws_cloudwatch_metric_alarm", f"{name}_throttles"), _throttles(throttles, reference))
    for alarm in alarms:
        if alarm.query is not None:
            metric = {"id": "errors", "expression": alarm.query, "period": alarm_rules.PERIOD_SECONDS}
            query = Block("metric_query", (), ({**metric, "return_data": True},))
            labels = ("aws_cloudwatch_metric_alarm", f"{name}_system_errors")
            yield Block("resource", labels, _alarm_groups(alarm), (query,))


def _names(indexes: Sequence[str]) -> list[str]:
    return [f'"{name}"' for name in indexes]  # the names of indexes hold nothing that would have to be escaped


def _table(table: ExportedTable, name: str) -> Block:
    request, settings = table.create_request, table.settings
    main: dict[str, Any] = {"name": table.name, "billing_mode": request["BillingMode"]}
    if settings.provisioned is not None:
        main |= {"read_capacity": settings.provisioned.read, "write_capacity": settings.provisioned.write}
    if settings.table_class != "STANDARD":
        main["table_class"] = settings.table_class
    if settings.deletion_protection:
        main["deletion_protection_enabled"] = True
    keys: dict[str, Any] = dict(zip(("hash_key", "range_key"), table.design.table.key_attributes, strict=False))
    stream = {"stream_enabled": True, "stream_view_type": settings.stream} if settings.stream else {}
    blocks = [
        Block("attribute", (), ({"name": each["AttributeName"], "type": each["AttributeType"]},))
        for each in request["AttributeDefinitions"]
    ]
    blocks += [_global_index(each) for each in request.get("GlobalSecondaryIndexes", ())]
    blocks += [_local_index(each) for each in request.get("LocalSecondaryIndexes", ())]
    if table.design.ttl_attribute is not None:
        blocks.append(Block("ttl", (), ({"attribute_name": table.design.ttl_attribute, "enabled": True},)))
    if settings.point_in_time_recovery:
        blocks.append(Block("point_in_time_recovery", (), ({"enabled": True},)))
    tags = {"tags": dict(sorted(settings.tags.items()))} if settings.tags else {}
    return Block("resource", ("aws_dynamodb_table", name), (main, keys, stream, tags), blocks)


def _global_index(index: dict[str, Any]) -> Block:
    arguments = {"name": index["IndexName"], **_projection(index)}
    units = index.get("ProvisionedThroughput")
    if units is not None:
        arguments |= {"read_capacity": units["ReadCapacityUnits"], "write_capacity": units["WriteCapacityUnits"]}
    keys = [
        Block("key_schema", (), ({"attribute_name": each["AttributeName"], "key_type": each["KeyType"]},))
        for each in index["KeySchema"]
    ]
    return Block("global_secondary_index", (), (arguments,), keys)


def _local_index(index: dict[str, Any]) -> Block:
    sort = index["KeySchema"][-1]["AttributeName"]
    return Block("local_secondary_index", (), ({"name": index["IndexName"], "range_key": sort, **_projection(index)},))


def _projection(index: dict[str, Any]) -> dict[str, Any]:
    projection = index["Projection"]
    arguments: dict[str, Any] = {"projection_type": projection["ProjectionType"]}
    if "NonKeyAttributes" in projection:
        arguments["non_key_attributes"] = projection["NonKeyAttributes"]
    return arguments


def _throttles(alarms: Sequence[Alarm], reference: str) -> tuple[dict[str, Any], ...]:
    """All alarms on throttling of a table as one resource, each under its name."""
    each = {}
    for alarm in alarms:
        dimensions: dict[str, Any] = {**alarm.dimensions, "TableName": Expression(reference)}
        each[alarm.name] = {"metric_name": alarm.metric, "description": alarm.description, "dimensions": dimensions}
    head = {
        "alarm_name": Expression("each.key"),
        "alarm_description": Expression("each.value.description"),
        "namespace": alarm_rules.NAMESPACE,
        "metric_name": Expression("each.value.metric_name"),
        "dimensions": Expression("each.value.dimensions"),
        "statistic": "Sum",
        "period": alarm_rules.PERIOD_SECONDS,
    }
    return {"for_each": each}, head | _judgement()


def _alarm_groups(alarm: Alarm) -> tuple[dict[str, Any], ...]:
    head: dict[str, Any] = {"alarm_name": alarm.name, "alarm_description": alarm.description}
    if alarm.query is None:
        head |= {"namespace": alarm_rules.NAMESPACE, "metric_name": alarm.metric}
        head |= {"statistic": "Sum", "period": alarm_rules.PERIOD_SECONDS}
    return (head | _judgement(),)


def _judgement() -> dict[str, Any]:
    return {
        "evaluation_periods": alarm_rules.PERIODS,
        "datapoints_to_alarm": alarm_rules.PERIODS_TO_ALARM,
        "comparison_operator": alarm_rules.COMPARISON,
        "threshold": alarm_rules.THRESHOLD,
        "treat_missing_data": alarm_rules.MISSING_DATA,
        "alarm_actions": Expression(f"compact([var.{TOPIC}])"),
    }
