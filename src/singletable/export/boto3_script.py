"""A script for boto3 that makes the tables with everything around them, as often as it is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from singletable.export.alarms import JUDGEMENT, Alarm, account_alarm, alarms_of
from singletable.export.python_text import statement
from singletable.export.quoted import quoted
from singletable.export.table import ExportedTable, refuse_same_names


def to_boto3_script(tables: Sequence[ExportedTable]) -> str:
    """The script; `create_tables` and `create_alarms` can be imported from it too."""
    refuse_same_names(tables)
    account = account_alarm(tables)
    alarms = [alarm for table in tables for alarm in alarms_of(table)] + ([account] if account else [])
    settings = [_later(table) for table in tables]
    parts = [
        _heading(tables),
        _imports(settings, alarms=bool(alarms)),
        statement("TABLES: list[dict[str, Any]] = ", [table.create_request for table in tables]),
        *_constants(settings),
        *(_alarm_constants(alarms) if alarms else ()),
    ]
    functions = [_create_tables(settings), _MAKE, *_functions(settings), *((_ALARMS,) if alarms else ())]
    functions.append(_main(alarms=bool(alarms)))
    return "\n\n".join(parts) + "\n\n\n" + "\n\n\n".join(functions) + "\n"


def _later(table: ExportedTable) -> dict[str, Any]:
    """What is set once a table is there."""
    later: dict[str, Any] = {"name": table.name}
    if table.design.ttl_attribute is not None:
        later["ttl"] = table.design.ttl_attribute
    if table.settings.point_in_time_recovery:
        later["recovery"] = True
    if table.settings.insights is not None:
        later["insights"] = table.settings.insights
        later["indexes"] = list(table.global_indexes)
    return later


def _heading(tables: Sequence[ExportedTable]) -> str:
    described = [f"{table.name}: {table.description}" if table.description else table.name for table in tables]
    lines = (
        '"""Makes DynamoDB tables, as often as it is run.',
        "",
        *(quoted(line)[1:-1] for line in described),
        "",
        "What is there already stays; a table that is there with other keys is an error.",
        "Made by singletable export boto3.",
        '"""',
    )
    return "\n".join(lines)


def _imports(settings: Sequence[dict[str, Any]], *, alarms: bool) -> str:
    standard = [*["import argparse"] * alarms, "import contextlib"] + ["import time"] * any(
        "recovery" in each for each in settings
    )
    return "\n".join((*standard, "from typing import Any", "", "import boto3"))


def _constants(settings: Sequence[dict[str, Any]]) -> Iterator[str]:
    if ttl := {each["name"]: each["ttl"] for each in settings if "ttl" in each}:
        yield statement("TIME_TO_LIVE = ", ttl)
    if insights := {each["name"]: each["indexes"] for each in settings if "insights" in each}:
        mode = next(each["insights"] for each in settings if "insights" in each)
        indexes = statement("INSIGHTS_INDEXES: dict[str, list[str]] = ", insights)
        yield f"{statement('INSIGHTS_MODE = ', mode)}\n{indexes}"


def _alarm_constants(alarms: Sequence[Alarm]) -> Iterator[str]:
    yield statement("EVERY_ALARM: dict[str, Any] = ", JUDGEMENT)
    yield statement("ALARMS: list[dict[str, Any]] = ", [alarm.subject for alarm in alarms])


def _create_tables(settings: Sequence[dict[str, Any]]) -> str:
    lines = [
        "def create_tables(dynamodb: Any) -> None:",
        '    """Makes every table that is not there, and turns on what belongs to it."""',
        "    for request in TABLES:",
        '        name = request["TableName"]',
        "        _make(dynamodb, request)",
    ]
    if any("ttl" in each for each in settings):
        lines += ["        if name in TIME_TO_LIVE:", "            _expire(dynamodb, name, TIME_TO_LIVE[name])"]
    if any("recovery" in each for each in settings):
        lines.append("        _keep_recoverable(dynamodb, name)")
    if any("insights" in each for each in settings):
        lines.append("        for index in (None, *INSIGHTS_INDEXES[name]):")
        lines.append("            _watch(dynamodb, name, index)")
    return "\n".join(lines)


def _functions(settings: Sequence[dict[str, Any]]) -> Iterator[str]:
    for setting, function in (("ttl", _EXPIRE), ("recovery", _RECOVERABLE), ("insights", _WATCH)):
        if any(setting in each for each in settings):
            yield function


_MAKE = '''\
def _make(dynamodb: Any, request: dict[str, Any]) -> None:
    name = request["TableName"]
    with contextlib.suppress(dynamodb.exceptions.ResourceInUseException):
        dynamodb.create_table(**request)
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    found = dynamodb.describe_table(TableName=name)["Table"]
    if _keys(found) != _keys(request):
        raise SystemExit(f"{name} has other keys: {_keys(found)}, not {_keys(request)}")


def _keys(table: dict[str, Any]) -> tuple[Any, Any]:
    """The keys of a table and of its indexes, and the types of their attributes."""
    keys = {None: table["KeySchema"]}
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        keys |= {each["IndexName"]: each["KeySchema"] for each in table.get(kind, [])}
    types = table["AttributeDefinitions"]
    return keys, {each["AttributeName"]: each["AttributeType"] for each in types}'''

_EXPIRE = """\
def _expire(dynamodb: Any, name: str, attribute: str) -> None:
    found = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    if found["TimeToLiveStatus"] not in ("ENABLED", "ENABLING"):
        dynamodb.update_time_to_live(
            TableName=name,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": attribute},
        )"""

_RECOVERABLE = """\
def _keep_recoverable(dynamodb: Any, name: str) -> None:
    for attempt in range(30):
        try:
            dynamodb.update_continuous_backups(
                TableName=name,
                PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
            )
            return
        except dynamodb.exceptions.ContinuousBackupsUnavailableException:
            if attempt == 29:
                raise
            time.sleep(2)  # a new table is not ready for it at once"""

_WATCH = """\
def _watch(dynamodb: Any, name: str, index: str | None) -> None:
    place = {"TableName": name} | ({"IndexName": index} if index else {})
    found = dynamodb.describe_contributor_insights(**place)
    if found["ContributorInsightsStatus"] not in ("ENABLED", "ENABLING"):
        dynamodb.update_contributor_insights(
            **place,
            ContributorInsightsAction="ENABLE",
            ContributorInsightsMode=INSIGHTS_MODE,
        )"""

_ALARMS = '''\
def create_alarms(cloudwatch: Any, topic_arn: str | None = None) -> None:
    """Makes every alarm, or makes it anew; the topic is told of it when one is given."""
    actions = [topic_arn] if topic_arn else []
    for alarm in ALARMS:
        cloudwatch.put_metric_alarm(**alarm, **EVERY_ALARM, AlarmActions=actions)'''


def _main(*, alarms: bool) -> str:
    if not alarms:
        return 'if __name__ == "__main__":\n    create_tables(boto3.client("dynamodb"))'
    return '''\
def main() -> None:
    """Makes the tables, and their alarms unless they are not wanted."""
    parser = argparse.ArgumentParser(description="Make the tables and their alarms.")
    parser.add_argument("--alarm-topic", metavar="ARN", help="SNS topic of the alarms")
    parser.add_argument("--no-alarms", action="store_true", help="tables alone")
    options = parser.parse_args()
    create_tables(boto3.client("dynamodb"))
    if not options.no_alarms:
        create_alarms(boto3.client("cloudwatch"), options.alarm_topic)


if __name__ == "__main__":
    main()'''
