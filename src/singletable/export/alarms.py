"""The alarms of a table: what CloudWatch can tell of throttling and errors, by the dimensions that each metric has.

Throttle events are counted for the table and for each global index; a local index is throttled as its table is.
System errors are counted by table and operation, so the alarm adds up all operations of the table. User errors are
counted for the account and region alone, so an export has one alarm on them, however many tables it has.
Evidence: "DynamoDB metrics and dimensions" in the developer guide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.errors import ExportRefused
from singletable.export.table import ExportedTable

NAMESPACE = "AWS/DynamoDB"
PERIOD_SECONDS = 60
# A partition that splits, or a burst that is retried, is over within a minute or two; what lasts is for a person.
PERIODS = 5
PERIODS_TO_ALARM = 3
COMPARISON = "GreaterThanThreshold"
THRESHOLD = 0
# DynamoDB sends no data while there is nothing to count.
MISSING_DATA = "notBreaching"

JUDGEMENT: dict[str, Any] = {
    "EvaluationPeriods": PERIODS,
    "DatapointsToAlarm": PERIODS_TO_ALARM,
    "ComparisonOperator": COMPARISON,
    "Threshold": THRESHOLD,
    "TreatMissingData": MISSING_DATA,
}
"""When what is watched is an alarm: the same for all of them."""

_NAME_CHARACTERS_MAX = 255
_HOW_LONG = f"in {PERIODS_TO_ALARM} of {PERIODS} minutes"


@dataclass(frozen=True)
class Alarm:
    """An alarm on the sum of a metric: of a table, of one of its indexes, by a query over both, or of the account."""

    name: str
    description: str
    metric: str
    table: str | None = None
    index: str | None = None
    query: str | None = None

    @property
    def dimensions(self) -> dict[str, str]:
        """By what the metric is counted."""
        dimensions = {"TableName": self.table, "GlobalSecondaryIndexName": self.index}
        return {name: value for name, value in dimensions.items() if value is not None}

    @property
    def subject(self) -> dict[str, Any]:
        """What is watched, as PutMetricAlarm is told it; CloudFormation has the same names."""
        subject: dict[str, Any] = {"AlarmName": self.name, "AlarmDescription": self.description}
        if self.query is not None:
            metric = {"Id": "errors", "Expression": self.query, "Period": PERIOD_SECONDS, "ReturnData": True}
            return subject | {"Metrics": [metric]}
        subject |= {"Namespace": NAMESPACE, "MetricName": self.metric}
        if self.dimensions:
            subject["Dimensions"] = [{"Name": name, "Value": value} for name, value in self.dimensions.items()]
        return subject | {"Statistic": "Sum", "Period": PERIOD_SECONDS}


def alarms_of(table: ExportedTable) -> Iterator[Alarm]:
    """The alarms of one table and its global indexes."""
    if not table.settings.alarms:
        return
    for index in (None, *table.global_indexes):
        yield from _throttle_alarms(table, index)
    # Only a Metrics Insights query adds up a metric over a dimension; the sum of ten metrics would say the same.
    schema = f'SCHEMA("{NAMESPACE}", Operation, TableName)'
    of_table = f"TableName = '{table.name}'"  # a table's name holds no quotes
    query = " ".join(("SELECT SUM(SystemErrors) FROM", schema, "WHERE", of_table))
    description = f"DynamoDB answered requests to {table.name} with HTTP 500 {_HOW_LONG}."
    yield Alarm(f"{table.name}-SystemErrors", description, "SystemErrors", table.name, query=query)


def _throttle_alarms(table: ExportedTable, index: str | None) -> Iterator[Alarm]:
    place = f"{table.name}/{index}" if index else table.name
    spoken = f"{index} of {table.name}" if index else table.name
    if index is None and table.has_local_indexes:
        spoken += " or its local indexes"
    for metric, what in (("ReadThrottleEvents", "Reads"), ("WriteThrottleEvents", "Writes")):
        description = f"{what} of {spoken} were throttled {_HOW_LONG}."
        name = f"{place}-{metric}"
        if len(name) > _NAME_CHARACTERS_MAX:
            most = f"an alarm's name has at most {_NAME_CHARACTERS_MAX} characters"
            raise ExportRefused(f"{name} is too long: {most}; give shorter names, or export without alarms")
        yield Alarm(name, description, metric, table.name, index)


def account_alarm(tables: Sequence[ExportedTable]) -> Alarm | None:
    """The one alarm on user errors; None when no table has alarms."""
    named = [table.name for table in tables if table.settings.alarms]
    if not named:
        return None
    description = f"DynamoDB refused requests to any table of this account and region with HTTP 400 {_HOW_LONG}."
    return Alarm(f"{named[0]}-UserErrors", description, "UserErrors")
