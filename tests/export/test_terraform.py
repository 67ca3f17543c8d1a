"""The Terraform export parses, is formatted like `terraform fmt`, and reflects the settings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

import hcl2
import pytest

from singletable import Table
from singletable.export.alarms import alarms_of
from singletable.export.exported_table import ExportedTable, ExportSettings, ProvisionedUnits, exported_table
from singletable.export.terraform import Block, Expression, template, to_hcl, to_terraform
from tests.export.created import BARE, plain, terraform_tables
from tests.export.models import Blog, Notes, Readings, example_tables


def all_tables() -> list[ExportedTable]:
    chosen = ExportSettings(provisioned=ProvisionedUnits(5, 5), tags={"team": "notes", "cost center": "7"})
    models: list[type[Table]] = [*example_tables(), Blog]
    examples = [exported_table(table.design, description=table.__doc__) for table in models]
    odd = exported_table(Readings.design, description='"quoted", ${not worked out} and %{neither}')
    return [*examples, odd, exported_table(Notes.design, settings=chosen)]


def resources(text: str, kind: str) -> dict[str, dict[str, Any]]:
    found = (block.get(f'"{kind}"') for block in hcl2.loads(text)["resource"])
    return {plain(name): plain(body) for labels in found if labels for name, body in labels.items()}


@pytest.fixture(scope="module")
def terraform() -> str:
    found = shutil.which("terraform") or shutil.which("tofu")
    return found or pytest.skip("there is no terraform or tofu on this machine")


def test_a_terraform_export_is_formatted_like_terraform_fmt(terraform: str) -> None:
    text = to_terraform(all_tables())
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    finished = subprocess.run(
        [terraform, "fmt", "-"], input=text, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout == text


def test_a_terraform_export_has_all_tables_in_one_file() -> None:
    tables = all_tables()
    assert list(terraform_tables(to_terraform(tables))) == [table.name for table in tables]


def test_a_terraform_export_has_a_key_schema_for_multi_attribute_keys() -> None:
    (index,) = terraform_tables(to_terraform([exported_table(Readings.design)]))["site-readings.v2"][
        "global_secondary_index"
    ]
    keys = [(each["attribute_name"], each["key_type"]) for each in index["key_schema"]]
    assert keys == [("site", "HASH"), ("kind", "HASH"), ("at", "RANGE"), ("level", "RANGE")]


def test_a_terraform_export_enables_insights_for_the_table_and_each_global_index() -> None:
    found = resources(to_terraform([exported_table(Notes.design)]), "aws_dynamodb_contributor_insights")
    assert found["notes"]["mode"] == "THROTTLED_KEYS"
    assert found["notes_indexes"]["for_each"] == '${toset(["GSI1"])}'


def test_a_terraform_export_has_every_alarm_with_the_topic() -> None:
    table = exported_table(Notes.design)
    found = resources(to_terraform([table]), "aws_cloudwatch_metric_alarm")
    throttles = [alarm.name for alarm in alarms_of(table) if alarm.query is None]
    assert list(found["notes_throttles"]["for_each"]) == throttles
    assert found["notes_system_errors"]["alarm_name"] == "Notes-SystemErrors"
    assert "TableName = 'Notes'" in found["notes_system_errors"]["metric_query"][0]["expression"]
    assert "dimensions" not in found["notes_user_errors"]
    assert all(each["alarm_actions"] == "${compact([var.alarm_topic_arn])}" for each in found.values())


def test_a_terraform_export_omits_disabled_settings() -> None:
    text = to_terraform([exported_table(Blog.design, settings=BARE)])
    for word in ("alarm", "insights", "stream", "protection", "point_in_time", "ttl", "tags", "variable"):
        assert word not in text, word


TEXTS = [
    "plain",
    '"',
    "\\",
    "${",
    "%{",
    "$${",
    "$%{",
    "a$",
    "%",
    "${a}",
    "\n\t\r",
    "\x00",
    "\u2028",
    "é☃🐍",
    "\\${",
    "}",
]


def test_terraform_reads_every_string_back() -> None:
    program = shutil.which("terraform") or shutil.which("tofu")
    if program is None:
        pytest.skip("there is no terraform or tofu on this machine")
    asked = f"jsonencode(jsonencode([{', '.join(map(template, TEXTS))}]))\n"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    finished = subprocess.run(
        [program, "console"], input=asked, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    # The console escapes its output again, so the JSON escapes are doubled to distinguish them.
    shown = finished.stdout.strip().replace("$${", "${").replace("%%{", "%{")
    assert json.loads(json.loads(json.loads(shown))) == [
        text.replace("$${", "${").replace("%%{", "%{") for text in TEXTS
    ]


def test_a_terraform_export_aligns_equal_signs_up_to_a_multi_line_value() -> None:
    block = Block("a", ("b",), ({"x": 1, "long_name": Expression("y"), "map": {"k": True}, "z": [1, "two"]},))
    assert to_hcl([block], ["A heading"]) == (
        '# A heading\n\na "b" {\n  x         = 1\n  long_name = y\n  map = {\n    k = true\n  }\n  z = [1, "two"]\n}\n'
    )
