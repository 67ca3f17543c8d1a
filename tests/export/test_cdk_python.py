"""The CDK stack is formatted Python, and synthesizes to the template of the CloudFormation export."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from singletable import Table
from singletable.export.cdk_python import to_cdk_python
from singletable.export.cloudformation import cloudformation_template
from singletable.export.exported_table import ExportedTable, ExportSettings, ProvisionedUnits, exported_table
from tests.clients.client_environments import program, python_environment, runs_all_clients
from tests.export.created import BARE, by_model, by_template
from tests.export.models import Blog, Notes, Readings, example_tables

MODELS: list[type[Table]] = [*example_tables(), Readings, Blog]
TABLES = [exported_table(table.design, description=table.__doc__) for table in MODELS]
CHOSEN = ExportSettings(
    provisioned=ProvisionedUnits(7, 3),
    index_units={"GSI1": ProvisionedUnits(9, 4)},
    table_class="STANDARD_INFREQUENT_ACCESS",
    insights="ACCESSED_AND_THROTTLED_KEYS",
    tags={"team": "notes"},
)
DOCUMENTS = {
    "all": [*TABLES, exported_table(Notes.design, settings=CHOSEN)],
    "one": [exported_table(Notes.design)],
    "bare": [exported_table(Notes.design, settings=BARE)],
}


@pytest.mark.parametrize("tables", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_cdk_python_stack_is_formatted_python(tables: list[ExportedTable], tmp_path: Path) -> None:
    stack = tmp_path / "stack.py"
    stack.write_text(to_cdk_python(tables), encoding="utf-8")
    ruff = Path(sysconfig.get_path("scripts")) / "ruff"
    for command in (["format", "--check"], ["check", "--select", "F,I,B,UP"]):
        finished = subprocess.run([ruff, *command, "--isolated", stack], capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stdout


@pytest.mark.parametrize(("tables", "name"), [("all", "TablesStack"), ("one", "NotesStack")])
def test_a_cdk_python_stack_is_named_after_its_table(tables: str, name: str) -> None:
    module = ast.parse(to_cdk_python(DOCUMENTS[tables]))
    assert [each.name for each in module.body if isinstance(each, ast.ClassDef)] == [name]


APP = """
import sys
from aws_cdk import App
import stack

app = App(outdir=sys.argv[1])
made = next(each for name, each in vars(stack).items() if name.endswith("Stack") and name != "Stack")
made(app, "Synthesized")
app.synth()
"""


@pytest.mark.skipif(not runs_all_clients(), reason="the CDK takes minutes to install; make clients runs it")
@pytest.mark.parametrize("tables", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_cdk_python_stack_synthesizes_to_the_template_of_the_cloudformation_export(
    tables: list[ExportedTable], tmp_path: Path
) -> None:
    program("node")
    python = python_environment("cdk") / "python"
    (tmp_path / "stack.py").write_text(to_cdk_python(tables), encoding="utf-8")
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    quiet = ("JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION", "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION")
    environment = os.environ | dict.fromkeys(quiet, "1")
    command: list[str | Path] = [python, "app.py", str(tmp_path / "out")]
    subprocess.run(command, cwd=tmp_path, env=environment, timeout=300, check=True)
    synthesized = json.loads((tmp_path / "out" / "Synthesized.template.json").read_text(encoding="utf-8"))
    assert _known(synthesized) == _known(cloudformation_template(tables))
    for table in tables:
        if table.settings is BARE:
            assert by_template(table, synthesized) == by_model(table.design)


def _known(template: dict[str, Any]) -> dict[str, Any]:
    """The resources of a template by the names that they have in AWS, without what each tool names by itself."""
    known = {}
    names = {}
    for identifier, resource in template["Resources"].items():
        properties = resource["Properties"]
        if resource["Type"] == "AWS::DynamoDB::Table":
            names[identifier] = properties["TableName"]
            properties.setdefault("BillingMode", "PROVISIONED")  # CloudFormation's default, which the CDK leaves out
            known[properties["TableName"]] = _ordered(resource)
    for resource in template["Resources"].values():
        properties = {name: value for name, value in resource["Properties"].items() if name != "AlarmActions"}
        if resource["Type"] == "AWS::CloudWatch::Alarm":
            for dimension in properties.get("Dimensions", ()):
                if isinstance(dimension["Value"], dict):
                    dimension["Value"] = names[dimension["Value"]["Ref"]]
            for metric in properties.get("Metrics", ()):
                del metric["Id"]
            known[properties["AlarmName"]] = _ordered(properties)
    return known


def _ordered(value: Any) -> Any:
    """The order of indexes, attributes and dimensions says nothing; that of a key's parts is left as it is."""
    if isinstance(value, dict):
        return {name: each if name == "KeySchema" else _ordered(each) for name, each in value.items()}
    if isinstance(value, list):
        return sorted((_ordered(each) for each in value), key=str)
    return value
