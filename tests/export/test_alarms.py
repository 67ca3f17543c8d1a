"""Every alarm watches a metric by the dimensions that the metric has."""

from __future__ import annotations

import pytest

from singletable import ExportRefused
from singletable.export.alarms import account_alarm, alarms_of
from singletable.export.table import exported_table
from tests.export.created import BARE
from tests.export.models import Blog, Notes


def test_throttles_are_watched_on_the_table_and_each_global_index() -> None:
    found = [(alarm.metric, alarm.dimensions) for alarm in alarms_of(exported_table(Notes.design)) if not alarm.query]
    table, index = {"TableName": "Notes"}, {"TableName": "Notes", "GlobalSecondaryIndexName": "GSI1"}
    assert found == [
        ("ReadThrottleEvents", table),
        ("WriteThrottleEvents", table),
        ("ReadThrottleEvents", index),
        ("WriteThrottleEvents", index),
    ]


def test_a_local_index_is_watched_with_its_table() -> None:
    first = next(alarms_of(exported_table(Notes.design)))
    assert first.description == "Reads of Notes or its local indexes were throttled in 3 of 5 minutes."


def test_system_errors_are_added_up_over_all_operations_of_the_table() -> None:
    (alarm,) = [alarm for alarm in alarms_of(exported_table(Blog.design)) if alarm.query]
    assert alarm.query == (
        "SELECT SUM(SystemErrors) FROM SCHEMA(\"AWS/DynamoDB\", Operation, TableName) WHERE TableName = 'Blog'"
    )


def test_user_errors_are_watched_once_and_without_dimensions() -> None:
    alarm = account_alarm([exported_table(Notes.design), exported_table(Blog.design)])
    assert alarm is not None
    assert (alarm.name, alarm.dimensions) == ("Notes-UserErrors", {})
    assert account_alarm([exported_table(Blog.design, settings=BARE)]) is None


def test_a_name_that_is_too_long_for_an_alarm_is_refused() -> None:
    with pytest.raises(ExportRefused, match="at most 255 characters"):
        list(alarms_of(exported_table(Notes.design, name="n" * 250)))
