"""`pytest --dynamodb-catalogue FILE` records the requests that the tests of a user send with boto3."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.catalogue.recorded_catalogue import read_catalogue

pytest_plugins = ("pytester",)

APPLICATION = """
class Shop:
    def __init__(self, client):
        self._client = client

    def customer(self, id):
        return self._client.get_item(TableName="customers", Key={"id": {"S": id}})
"""
TESTS = """
import pytest
from application import Shop
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client

@pytest.fixture
def shop():
    client = boto3_client(Engine("memory:"))
    key = {"AttributeName": "id"}
    client.create_table(
        TableName="customers", KeySchema=[{**key, "KeyType": "HASH"}],
        AttributeDefinitions=[{**key, "AttributeType": "S"}], BillingMode="PAY_PER_REQUEST",
    )
    return Shop(client)

@pytest.mark.parametrize("number", range(6))
def test_customer(shop, number):
    assert "Item" not in shop.customer(f"secret-{number}")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    # Nothing else that happens to be installed has a say, and the plugin is the one of this source.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(application=APPLICATION, test_shop=TESTS)
    return pytester


def run(project: pytest.Pytester, *words: str) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "singletable.testing.plugin", "-p", "no:cacheprovider", *words)


def assert_recorded(path: Path) -> None:
    catalogue = read_catalogue([path])
    (pattern,) = catalogue.patterns
    assert (pattern.name, pattern.calls, catalogue.from_tests) == ("customer", 6, True)
    assert catalogue.rate(1) is None
    assert "secret" not in path.read_text()


def test_the_option_records_the_requests_of_the_tests(project: pytest.Pytester) -> None:
    result = run(project, "--dynamodb-catalogue", "found.jsonl")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(["DynamoDB requests: singletable catalogue *found.jsonl"])
    assert_recorded(project.path / "found.jsonl")


def test_the_ini_option_records_the_requests_of_all_workers(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\ndynamodb_catalogue = found.jsonl")
    run(project, "-p", "xdist.plugin", "-n", "2").assert_outcomes(passed=6)
    assert_recorded(project.path / "found.jsonl")


def test_nothing_is_recorded_without_the_catalogue_option(project: pytest.Pytester) -> None:
    result = run(project)
    result.assert_outcomes(passed=6)
    assert "DynamoDB requests" not in result.stdout.str()
    assert not list(project.path.glob("*.jsonl"))


def test_the_catalogue_option_with_a_file_that_cannot_be_written_is_a_usage_error(project: pytest.Pytester) -> None:
    result = run(project, "--dynamodb-catalogue", "missing/found.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "cannot write the catalogue" in result.stderr.str()
    assert "Traceback" not in result.stderr.str()
