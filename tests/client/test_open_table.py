"""Opening a table: the check against the model, and opening without any request."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from singletable import RequestRefused, TableDiffers
from singletable.client.tracing import RequestEvent
from singletable.engine.access.policy_document import parse_policies
from singletable.engine.access.principal import Principal
from singletable.engine.access.principal_engine import PrincipalEngine
from singletable.engine.engine import Engine
from tests.client.shop import Shop


@pytest.fixture
def engine() -> Generator[Engine, None, None]:
    with Engine(sweep_seconds=None) as found:
        yield found


def limited(engine: Engine, action: str) -> PrincipalEngine:
    statement = {"Effect": "Allow", "Action": action, "Resource": "*"}
    policies = parse_policies({"Version": "2012-10-17", "Statement": [statement]})
    return engine.as_principal(Principal("arn:aws:iam::000000000000:role/app", policies))


def test_opening_without_a_check_sends_nothing(engine: Engine) -> None:
    requests: list[RequestEvent] = []
    with Shop.open(engine, check=False, hook=requests.append):
        assert requests == []
    with pytest.raises(TableDiffers, match="does not exist"):
        Shop.open(engine, hook=requests.append)
    assert [request.operation for request in requests] == ["DescribeTable"]


def test_the_check_needs_the_permission_to_describe_the_table(engine: Engine) -> None:
    Shop.open(engine, create=True).close()
    Shop.open(limited(engine, "dynamodb:DescribeTable")).close()
    with pytest.raises(RequestRefused, match="not authorized to perform: dynamodb:DescribeTable"):
        Shop.open(limited(engine, "dynamodb:GetItem"))
    Shop.open(limited(engine, "dynamodb:GetItem"), check=False).close()


def test_closing_a_table_of_a_principal_leaves_the_engine_open(engine: Engine) -> None:
    Shop.open(engine, create=True).close()
    with Shop.open(limited(engine, "dynamodb:*")):
        pass
    assert engine.call("ListTables", {})["TableNames"] == [Shop.design.name]
