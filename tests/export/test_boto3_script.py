"""The boto3 script creates the tables with their settings, and can run more than once."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.stub import ANY, Stubber  # type: ignore[import-untyped]

from singletable.engine.engine import Engine
from singletable.export.alarms import account_alarm, alarms_of
from singletable.export.boto3_script import to_boto3_script
from singletable.export.exported_table import ExportSettings, ProvisionedUnits, exported_table
from tests.clients.local_server import serve
from tests.export.created import BARE, described, script
from tests.export.models import Blog, Notes, Readings

TABLES = [exported_table(table.design, description=table.__doc__) for table in (Readings, Notes, Blog)]


def test_a_boto3_script_changes_nothing_in_a_second_run() -> None:
    create_tables = script(to_boto3_script(TABLES))["create_tables"]
    with Engine("memory:") as engine:
        client = engine.boto3_client()
        create_tables(client)
        first = [described(engine, table.name) for table in TABLES]
        create_tables(client)
        assert [described(engine, table.name) for table in TABLES] == first


def test_a_boto3_script_enables_recovery_and_insights_for_the_table_and_its_global_indexes() -> None:
    with Engine("memory:") as engine:
        script(to_boto3_script(TABLES))["create_tables"](engine.boto3_client())
        for table in TABLES:
            backups = engine.call("DescribeContinuousBackups", {"TableName": table.name})[
                "ContinuousBackupsDescription"
            ]
            assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
            for place in ({}, *({"IndexName": name} for name in table.global_indexes)):
                found = engine.call("DescribeContributorInsights", {"TableName": table.name, **place})
                assert found["ContributorInsightsStatus"] in ("ENABLED", "ENABLING")
                assert found["ContributorInsightsMode"] == "THROTTLED_KEYS"


def test_a_boto3_script_rejects_an_existing_table_with_other_keys() -> None:
    with Engine("memory:") as engine:
        client = engine.boto3_client()
        script(to_boto3_script([exported_table(Blog.design, settings=BARE)]))["create_tables"](client)
        other = script(to_boto3_script([exported_table(Notes.design, name="Blog", settings=BARE)]))
        with pytest.raises(SystemExit, match="Blog has keys"):
            other["create_tables"](client)


def test_a_boto3_script_creates_alarms_that_are_valid_for_cloudwatch() -> None:
    names = script(to_boto3_script(TABLES))
    client = boto3.client("cloudwatch", region_name="us-east-1")
    account = account_alarm(TABLES)
    assert account is not None
    alarms = [*(alarm for table in TABLES for alarm in alarms_of(table)), account]
    with Stubber(client) as stubber:  # the stub holds every request against the service's own model
        for alarm in alarms:
            kept: dict[str, Any] = dict.fromkeys(names["ALARM_SETTINGS"], ANY)
            expected = {**alarm.subject, **kept, "AlarmActions": ["arn:aws:sns:us-east-1:000000000000:oncall"]}
            stubber.add_response("put_metric_alarm", {}, expected)
        names["create_alarms"](client, "arn:aws:sns:us-east-1:000000000000:oncall")
        stubber.assert_no_pending_responses()


@pytest.mark.parametrize(
    "settings", [ExportSettings(), BARE, ExportSettings(provisioned=ProvisionedUnits(2, 1), tags={"a": "b"})]
)
def test_a_boto3_script_is_formatted_python(settings: ExportSettings, tmp_path: Path) -> None:
    path = tmp_path / "tables.py"
    tables = [exported_table(table.design, description=table.__doc__, settings=settings) for table in (Readings, Notes)]
    path.write_text(to_boto3_script(tables), encoding="utf-8")
    ruff = Path(sysconfig.get_path("scripts")) / "ruff"
    for command in (["format", "--check"], ["check", "--select", "F,I,B,UP,SIM"]):
        finished = subprocess.run([ruff, *command, "--isolated", path], capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stdout


def test_a_boto3_script_runs_as_a_program_against_a_server(tmp_path: Path) -> None:
    path = tmp_path / "tables.py"
    path.write_text(to_boto3_script([exported_table(Notes.design)]), encoding="utf-8")
    with serve(tmp_path / "served.db") as served:
        environment = served.environment(tmp_path)
        subprocess.run([sys.executable, path, "--no-alarms"], env=environment, timeout=60, check=True)
        subprocess.run([sys.executable, path, "--no-alarms"], env=environment, timeout=60, check=True)
    with Engine(f"file:{tmp_path / 'served.db'}") as engine:
        assert engine.call("ListTables", {})["TableNames"] == ["Notes"]
