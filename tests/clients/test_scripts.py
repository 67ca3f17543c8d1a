"""Clients in their own languages, each run as a script that checks its results."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.clients.client_environments import (
    CACHE,
    HERE,
    ROOT,
    go_program,
    node_modules,
    program,
    python_environment,
    runs_all_clients,
)
from tests.clients.local_server import LocalServer

only_in_make_clients = pytest.mark.skipif(not runs_all_clients(), reason="`make clients` runs it")


def run_node(served: LocalServer, script: str, folder: Path, **variables: str) -> None:
    for file in (HERE / "node").glob("*.mjs"):
        shutil.copy(file, folder)
    (folder / "node_modules").symlink_to(node_modules())
    assert "\n# fail 0\n" in served.run([program("node"), f"{script}.mjs"], folder, **variables)


def run_python(served: LocalServer, environment: str, script: str, folder: Path) -> None:
    python = python_environment(environment) / "python"
    path = f"{ROOT}{os.pathsep}{ROOT / 'src'}"
    served.run([python, "-m", f"tests.clients.python.{script}"], folder, PYTHONPATH=path)


@pytest.mark.parametrize("script", ["sdk", "electrodb", "toolbox"])
def test_the_javascript_sdk_electrodb_and_toolbox_scripts_run(served: LocalServer, script: str, tmp_path: Path) -> None:
    run_node(served, script, tmp_path)


def test_the_javascript_sdk_enables_time_to_live(served: LocalServer, tmp_path: Path) -> None:
    served.needs("UpdateTimeToLive", "DescribeTimeToLive")
    run_node(served, "sdk_time_to_live", tmp_path)


def test_the_javascript_sdk_executes_partiql(served: LocalServer, tmp_path: Path) -> None:
    served.needs("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")
    run_node(served, "sdk_partiql", tmp_path)


@only_in_make_clients
def test_the_javascript_sdk_reads_a_stream(served: LocalServer, tmp_path: Path) -> None:
    served.needs("dynamodbstreams:ListStreams", "dynamodbstreams:GetRecords")
    run_node(served, "sdk_streams", tmp_path)


@only_in_make_clients
def test_the_script_with_onetable_runs(served: LocalServer, tmp_path: Path) -> None:
    run_node(served, "onetable", tmp_path)


@only_in_make_clients
def test_the_script_with_dynamodb_admin_in_a_browser_runs(served: LocalServer, tmp_path: Path) -> None:
    chromium = program("chromium", "chromium-browser", "google-chrome")
    pictures = CACHE / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    variables = {"TIME_TO_LIVE": "supported"} if served.supports("DescribeTimeToLive") else {}
    run_node(served, "admin", tmp_path, CHROMIUM=chromium, PICTURES=str(pictures), **variables)


@only_in_make_clients
def test_the_script_with_the_go_sdk_runs(served: LocalServer, tmp_path: Path) -> None:
    served.run([go_program()], tmp_path)


def test_the_script_with_pynamodb_runs(served: LocalServer, tmp_path: Path) -> None:
    run_python(served, "pynamodb", "pynamodb_shop", tmp_path)


def test_pynamodb_enables_time_to_live(served: LocalServer, tmp_path: Path) -> None:
    served.needs("UpdateTimeToLive", "DescribeTimeToLive")
    run_python(served, "pynamodb", "pynamodb_time_to_live", tmp_path)


@only_in_make_clients
def test_the_script_with_aioboto3_runs(served: LocalServer, tmp_path: Path) -> None:
    run_python(served, "aioboto3", "aioboto3_shop", tmp_path)
    run_python(served, "aioboto3", "aioboto3_table", tmp_path)
    run_python(served, "aioboto3", "aioboto3_consolidation", tmp_path)


@only_in_make_clients
def test_the_script_with_pydynox_runs(served: LocalServer, tmp_path: Path) -> None:
    run_python(served, "pydynox", "pydynox_shop", tmp_path)


@only_in_make_clients
def test_pydynox_executes_partiql(served: LocalServer, tmp_path: Path) -> None:
    served.needs("ExecuteStatement")
    run_python(served, "pydynox", "pydynox_partiql", tmp_path)
