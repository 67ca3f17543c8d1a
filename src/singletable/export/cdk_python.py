"""A stack for the AWS CDK in Python: the tables with everything around them.

Its tables are `dynamodb.Table`, which is the same resource as in the CloudFormation export (`TableV2` is a global
table of one replica, another resource): a table can go from one export to the other without being made anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from singletable.export import alarms as alarm_rules
from singletable.export.alarms import Alarm, account_alarm, alarms_of
from singletable.export.names import pascal_case, snake_case, told_apart
from singletable.export.python_text import Call, Name, statement
from singletable.export.quoted import quoted
from singletable.export.table import ExportedTable, refuse_same_names
from singletable.model.index import Index, KeyAttribute

_TYPES = {"S": "STRING", "N": "NUMBER", "B": "BINARY"}
_BODY = " " * 8


def to_cdk_python(tables: Sequence[ExportedTable]) -> str:
    """A module with one stack that holds all the tables."""
    refuse_same_names(tables)
    account = account_alarm(tables)
    ids = told_apart([table.name for table in tables], pascal_case)
    attributes = told_apart([table.name for table in tables], lambda name: f"{snake_case(name)}_table")
    body: list[str] = []
    for table in tables:
        body += _table(table, ids[table.name], f"self.{attributes[table.name]}")
        body += [_alarm(alarm, f"self.{attributes[table.name]}") for alarm in alarms_of(table)]
        body.append("")
    if account is not None:
        body += ["        # User errors are counted for the account and region alone, not by table.", _alarm(account)]
    named = ids[tables[0].name] if len(tables) == 1 else "Tables"
    head = _head(tables, named, alarms=account is not None)
    ending = ["", *_ALARM, "", "", *_SUM] if account is not None else []
    return "\n".join((*head, *body, *ending)).rstrip() + "\n"


def _head(tables: Sequence[ExportedTable], named: str, *, alarms: bool) -> Iterator[str]:
    described = [f"{table.name}: {table.description}" if table.description else table.name for table in tables]
    yield from ('"""DynamoDB tables, made by singletable export cdk-python.', "")
    yield from (quoted(line)[1:-1] for line in described)
    yield from ('"""', "", "from typing import Any", "")
    names = ["Duration"] * alarms + ["RemovalPolicy", "Stack"] + ["Tags"] * any(t.settings.tags for t in tables)
    yield f"from aws_cdk import {', '.join(names)}"
    if alarms:
        yield "from aws_cdk import aws_cloudwatch as cloudwatch"
        yield "from aws_cdk import aws_cloudwatch_actions as cloudwatch_actions"
    yield "from aws_cdk import aws_dynamodb as dynamodb"
    if alarms:
        yield "from aws_cdk import aws_sns as sns"
    yield from ("from constructs import Construct", "", "", f"class {named}Stack(Stack):")
    if alarms:
        arguments = ("self", "scope: Construct", "construct_id: str", "*", "alarm_topic: sns.ITopic | None = None")
        yield "    def __init__("
        yield from (f"        {argument}," for argument in (*arguments, "**kwargs: Any"))
        yield "    ) -> None:"
    else:
        yield "    def __init__(self, scope: Construct, construct_id: str, **kwargs: Any) -> None:"
    yield "        super().__init__(scope, construct_id, **kwargs)"
    if alarms:
        yield "        self._alarm_topic = alarm_topic"
    yield ""


def _table(table: ExportedTable, identifier: str, attribute: str) -> Iterator[str]:
    settings, index = table.settings, table.design.table
    keywords: dict[str, Any] = {"table_name": table.name, "partition_key": _attribute(index.partition[0])}
    if index.sort:
        keywords["sort_key"] = _attribute(index.sort[0])
    if settings.provisioned is None:
        keywords["billing_mode"] = Name("dynamodb.BillingMode.PAY_PER_REQUEST")
    else:
        keywords["billing_mode"] = Name("dynamodb.BillingMode.PROVISIONED")
        keywords |= {"read_capacity": settings.provisioned.read, "write_capacity": settings.provisioned.write}
    if settings.table_class != "STANDARD":
        keywords["table_class"] = Name(f"dynamodb.TableClass.{settings.table_class}")
    if settings.stream is not None:
        keywords["stream"] = Name(f"dynamodb.StreamViewType.{settings.stream}")
    if table.design.ttl_attribute is not None:
        keywords["time_to_live_attribute"] = table.design.ttl_attribute
    if settings.point_in_time_recovery:
        recovery = Call("dynamodb.PointInTimeRecoverySpecification", (), {"point_in_time_recovery_enabled": True})
        keywords["point_in_time_recovery_specification"] = recovery
    if settings.deletion_protection:
        keywords["deletion_protection"] = True
    keywords["removal_policy"] = Name("RemovalPolicy.RETAIN")
    keywords |= _insights(table)
    yield statement(f"{attribute} = ", Call("dynamodb.Table", (Name("self"), identifier), keywords), _BODY)
    for each in table.design.indexes.values():
        if not each.is_table:
            yield statement("", _index(table, each, attribute), _BODY)
    for key, value in sorted(settings.tags.items()):
        yield statement("", Call(f"Tags.of({attribute}).add", (key, value)), _BODY)


def _attribute(attribute: KeyAttribute) -> Call:
    kind = Name(f"dynamodb.AttributeType.{_TYPES[attribute.type]}")
    return Call("dynamodb.Attribute", (), {"name": attribute.name, "type": kind})


def _insights(table: ExportedTable) -> dict[str, Any]:
    if table.settings.insights is None:
        return {}
    mode = Name(f"dynamodb.ContributorInsightsMode.{table.settings.insights}")
    specification = Call("dynamodb.ContributorInsightsSpecification", (), {"enabled": True, "mode": mode})
    return {"contributor_insights_specification": specification}


def _index(table: ExportedTable, index: Index, attribute: str) -> Call:
    projection: dict[str, Any] = {"projection_type": Name(f"dynamodb.ProjectionType.{index.projection.kind}")}
    if index.projection.attributes:
        projection["non_key_attributes"] = list(index.projection.attributes)
    if index.kind == "LSI":
        keys = {"index_name": index.name, "sort_key": _attribute(index.sort[0])}
        return Call(f"{attribute}.add_local_secondary_index", (), keys | projection)
    keywords: dict[str, Any] = {"index_name": index.name}
    for name, parts in (("partition_key", index.partition), ("sort_key", index.sort)):
        if len(parts) == 1:
            keywords[name] = _attribute(parts[0])
        elif parts:
            keywords[f"{name}s"] = [_attribute(part) for part in parts]
    units = table.settings.units_of(index.name)
    if units is not None:
        keywords |= {"read_capacity": units.read, "write_capacity": units.write}
    return Call(f"{attribute}.add_global_secondary_index", (), keywords | projection | _insights(table))


def _alarm(alarm: Alarm, attribute: str = "") -> str:
    if alarm.query is not None:
        metric = Call("cloudwatch.MathExpression", (), {"expression": alarm.query, "period": _PERIOD})
    else:
        dimensions = {**alarm.dimensions, "TableName": Name(f"{attribute}.table_name")} if alarm.table else {}
        metric = Call("_sum", (alarm.metric,), dimensions)
    return statement("", Call("self._alarm", (alarm.name, alarm.description, metric)), _BODY)


_PERIOD = Name("Duration.minutes(1)")
_SUM = f'''\
def _sum(metric_name: str, **dimensions: str) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace="{alarm_rules.NAMESPACE}",
        metric_name=metric_name,
        dimensions_map=dimensions,
        statistic="Sum",
        period=Duration.minutes(1),
    )'''.split("\n")
_ALARM = f"""\
    def _alarm(self, name: str, description: str, metric: cloudwatch.IMetric) -> None:
        alarm = cloudwatch.Alarm(
            self,
            name.replace("/", ":"),
            alarm_name=name,
            alarm_description=description,
            metric=metric,
            evaluation_periods={alarm_rules.PERIODS},
            datapoints_to_alarm={alarm_rules.PERIODS_TO_ALARM},
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            threshold={alarm_rules.THRESHOLD},
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        if self._alarm_topic is not None:
            alarm.add_alarm_action(cloudwatch_actions.SnsAction(self._alarm_topic))""".split("\n")
