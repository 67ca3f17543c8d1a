"""CloudWatch alarms for throttled requests and for errors.

CloudWatch counts throttle events per table and per global index. The events of a local index count for its table.
System errors are counted per table and operation, so the alarm sums all operations of the table. User errors are
counted only per account and region, so an export has one alarm for them, for any number of tables. Evidence: "DynamoDB
metrics and dimensions" in the developer guide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.errors import ExportRefused
from singletable.export.exported_table import ExportedTable

NAMESPACE = "AWS/DynamoDB"
PERIOD_SECONDS = 60
# Throttling during a partition split or a short burst ends within two minutes. Longer throttling needs an alarm.
PERIODS = 5
PERIODS_TO_ALARM = 3
COMPARISON = "GreaterThanThreshold"
THRESHOLD = 0
# DynamoDB sends no data points while the count is zero.
MISSING_DATA = "notBreaching"

THRESHOLDS: dict[str, Any] = {
    "EvaluationPeriods": PERIODS,
    "DatapointsToAlarm": PERIODS_TO_ALARM,
    "ComparisonOperator": COMPARISON,
    "Threshold": THRESHOLD,
    "TreatMissingData": MISSING_DATA,
}
"""The thresholds of every alarm."""

_NAME_CHARACTERS_MAX = 255
_HOW_LONG = f"in {PERIODS_TO_ALARM} of {PERIODS} minutes"


@dataclass(frozen=True)
class Alarm:
    """An alarm on the sum of a metric of a table, an index, a Metrics Insights query or the account."""

    name: str
    description: str
    metric: str
    table: str | None = None
    index: str | None = None
    query: str | None = None

    @property
    def dimensions(self) -> dict[str, str]:
        """The dimensions of the metric."""
        dimensions = {"TableName": self.table, "GlobalSecondaryIndexName": self.index}
        return {name: value for name, value in dimensions.items() if value is not None}

    @property
    def subject(self) -> dict[str, Any]:
        """The metric as PutMetricAlarm parameters; CloudFormation uses the same names."""
        subject: dict[str, Any] = {"AlarmName": self.name, "AlarmDescription": self.description}
        if self.query is not None:
            metric = {"Id": "errors", "Expression": self.query, "Period": PERIOD_SECONDS, "ReturnData": True}
            return subject | {"Metrics": [metric]}
        subject |= {"Namespace": NAMESPACE, "MetricName": self.metric}
        if self.dimensions:
            subject["Dimensions"] = [{"Name": name, "Value": value} for name, value in self.dimensions.items()]
        return subject | {"Statistic": "Sum", "Period": PERIOD_SECONDS}


def alarms_of(table: ExportedTable) -> Iterator[Alarm]:
    """Yield the alarms of a table and its global indexes."""
    if not table.settings.alarms:
        return
    for index in (None, *table.global_indexes):
        yield from _throttle_alarms(table, index)
    # A Metrics Insights query sums a metric over all operations.
    schema = f'SCHEMA("{NAMESPACE}", Operation, TableName)'
    condition = f"TableName = '{table.name}'"  # the name of a table contains no quotes
    query = " ".join(("SELECT SUM(SystemErrors) FROM", schema, "WHERE", condition))
    description = f"DynamoDB returned HTTP 500 for requests to {table.name} {_HOW_LONG}."
    yield Alarm(f"{table.name}-SystemErrors", description, "SystemErrors", table.name, query=query)


def _throttle_alarms(table: ExportedTable, index: str | None) -> Iterator[Alarm]:
    place = f"{table.name}/{index}" if index else table.name
    subject = f"{index} of {table.name}" if index else table.name
    if index is None and table.has_local_indexes:
        subject += " or its local indexes"
    for metric, what in (("ReadThrottleEvents", "Reads"), ("WriteThrottleEvents", "Writes")):
        description = f"{what} of {subject} were throttled {_HOW_LONG}."
        name = f"{place}-{metric}"
        if len(name) > _NAME_CHARACTERS_MAX:
            limit = f"an alarm name has at most {_NAME_CHARACTERS_MAX} characters"
            raise ExportRefused(f"{name} is too long: {limit}; use shorter names, or export with --no-alarms")
        yield Alarm(name, description, metric, table.name, index)


def account_alarm(tables: Sequence[ExportedTable]) -> Alarm | None:
    """Return the alarm on user errors of the account. Return None if no table has alarms."""
    named = [table.name for table in tables if table.settings.alarms]
    if not named:
        return None
    description = f"DynamoDB returned HTTP 400 for requests to any table of this account and region {_HOW_LONG}."
    return Alarm(f"{named[0]}-UserErrors", description, "UserErrors")
