"""Every alarm uses the dimensions of its metric."""

from __future__ import annotations

import pytest

from singletable import ExportRefused
from singletable.export.alarms import account_alarm, alarms_of
from singletable.export.exported_table import exported_table
from tests.export.created import BARE
from tests.export.models import Blog, Notes


def test_throttle_alarms_cover_the_table_and_each_global_index() -> None:
    found = [(alarm.metric, alarm.dimensions) for alarm in alarms_of(exported_table(Notes.design)) if not alarm.query]
    table, index = {"TableName": "Notes"}, {"TableName": "Notes", "GlobalSecondaryIndexName": "GSI1"}
    assert found == [
        ("ReadThrottleEvents", table),
        ("WriteThrottleEvents", table),
        ("ReadThrottleEvents", index),
        ("WriteThrottleEvents", index),
    ]


def test_a_local_index_is_covered_by_the_table_alarm() -> None:
    first = next(alarms_of(exported_table(Notes.design)))
    assert first.description == "Reads of Notes or its local indexes were throttled in 3 of 5 minutes."


def test_exported_alarms_sum_system_errors_over_all_operations() -> None:
    (alarm,) = [alarm for alarm in alarms_of(exported_table(Blog.design)) if alarm.query]
    assert alarm.query == (
        "SELECT SUM(SystemErrors) FROM SCHEMA(\"AWS/DynamoDB\", Operation, TableName) WHERE TableName = 'Blog'"
    )


def test_there_is_one_user_error_alarm_without_dimensions() -> None:
    alarm = account_alarm([exported_table(Notes.design), exported_table(Blog.design)])
    assert alarm is not None
    assert (alarm.name, alarm.dimensions) == ("Notes-UserErrors", {})
    assert account_alarm([exported_table(Blog.design, settings=BARE)]) is None


def test_an_alarm_name_that_is_too_long_is_an_error() -> None:
    with pytest.raises(ExportRefused, match="at most 255 characters"):
        list(alarms_of(exported_table(Notes.design, name="n" * 250)))
