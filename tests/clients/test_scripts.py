"""Clients run as programs, each in the language that it is made for; the scripts say what they do with them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.clients.installing import (
    CACHE,
    HERE,
    ROOT,
    all_asked_for,
    go_program,
    node_modules,
    program,
    python_environment,
)
from tests.clients.serving import Served

only_when_all_are_asked_for = pytest.mark.skipif(not all_asked_for(), reason="`make clients` runs it")


def run_node(served: Served, script: str, folder: Path, **variables: str) -> None:
    for file in (HERE / "node").glob("*.mjs"):
        shutil.copy(file, folder)
    (folder / "node_modules").symlink_to(node_modules())
    assert "\n# fail 0\n" in served.run([program("node"), f"{script}.mjs"], folder, **variables)


def run_python(served: Served, environment: str, script: str, folder: Path) -> None:
    python = python_environment(environment) / "python"
    served.run([python, "-m", f"tests.clients.python.{script}"], folder, PYTHONPATH=str(ROOT))


@pytest.mark.parametrize("script", ["sdk", "electrodb", "toolbox"])
def test_a_javascript_client(served: Served, script: str, tmp_path: Path) -> None:
    run_node(served, script, tmp_path)


def test_the_javascript_sdk_sets_a_time_to_live(served: Served, tmp_path: Path) -> None:
    served.needs("UpdateTimeToLive", "DescribeTimeToLive")
    run_node(served, "sdk_time_to_live", tmp_path)


def test_the_javascript_sdk_executes_partiql(served: Served, tmp_path: Path) -> None:
    served.needs("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")
    run_node(served, "sdk_partiql", tmp_path)


@only_when_all_are_asked_for
def test_the_javascript_sdk_reads_a_stream(served: Served, tmp_path: Path) -> None:
    served.needs("dynamodbstreams:ListStreams", "dynamodbstreams:GetRecords")
    run_node(served, "sdk_streams", tmp_path)


@only_when_all_are_asked_for
def test_onetable(served: Served, tmp_path: Path) -> None:
    run_node(served, "onetable", tmp_path)


@only_when_all_are_asked_for
def test_dynamodb_admin_in_a_browser(served: Served, tmp_path: Path) -> None:
    chromium = program("chromium", "chromium-browser", "google-chrome")
    pictures = CACHE / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    known = {"TIME_TO_LIVE": "answered"} if served.answers("DescribeTimeToLive") else {}
    run_node(served, "admin", tmp_path, CHROMIUM=chromium, PICTURES=str(pictures), **known)


@only_when_all_are_asked_for
def test_the_go_sdk(served: Served, tmp_path: Path) -> None:
    served.run([go_program()], tmp_path)


def test_pynamodb(served: Served, tmp_path: Path) -> None:
    run_python(served, "pynamodb", "pynamodb_shop", tmp_path)


def test_pynamodb_sets_a_time_to_live(served: Served, tmp_path: Path) -> None:
    served.needs("UpdateTimeToLive", "DescribeTimeToLive")
    run_python(served, "pynamodb", "pynamodb_time_to_live", tmp_path)


@only_when_all_are_asked_for
def test_aioboto3(served: Served, tmp_path: Path) -> None:
    run_python(served, "aioboto3", "aioboto3_shop", tmp_path)


@only_when_all_are_asked_for
def test_pydynox(served: Served, tmp_path: Path) -> None:
    run_python(served, "pydynox", "pydynox_shop", tmp_path)


@only_when_all_are_asked_for
def test_pydynox_executes_partiql(served: Served, tmp_path: Path) -> None:
    served.needs("ExecuteStatement")
    run_python(served, "pydynox", "pydynox_partiql", tmp_path)
