"""Snippets of requests: the boto3 code runs on the engine, and a shell parses the AWS CLI command correctly."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import subprocess
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from examples.shop.model import Customer, Order, Shop
from singletable.cli.request_snippets import aws_cli_snippet, boto3_snippet
from singletable.engine.boto3_clients import boto3_everywhere
from singletable.engine.engine import Engine
from singletable.planner.planned_requests import Request
from tests.cli.program import singletable

SHOP = "examples/shop/model.py"
NOON = datetime(2026, 4, 10, 12, tzinfo=UTC)
AWKWARD = 'it\'s "c 1" $HOME `x` \\n é'


def run_python(source: str) -> dict[str, Any]:
    """Run a snippet and return the last response that it prints."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(source, names)
    response: dict[str, Any] = names["response"]
    return response


def read_by_a_shell(command: str) -> list[str]:
    """Return the arguments that a shell passes to the program `aws`."""
    script = f"aws() {{ printf '%s\\0' \"$@\"; }}\n{command}\n"
    finished = subprocess.run(["sh", "-c", script], capture_output=True, encoding="utf-8", check=True)
    return finished.stdout.split("\0")[:-1]


def options_of(command: str) -> tuple[list[str], dict[str, Any]]:
    """Return the words before the options, and the options as the AWS CLI reads them."""
    words = shlex.split(command.replace("\\\n", ""), comments=True)
    assert words[1:] == read_by_a_shell(command)
    first = next(number for number, word in enumerate(words) if word.startswith("--"))
    options: dict[str, Any] = {}
    for word in words[first:]:
        if re.fullmatch(r"--[a-z-]+", word):
            options[word] = True
        else:
            last = list(options)[-1]
            assert options[last] is True
            options[last] = word
    return words[:first], options


def test_request_snippets_in_boto3_run_on_the_engine() -> None:
    printed = singletable("explain", SHOP, "orders_of_customer", AWKWARD, "limit=1", "--as", "boto3")
    assert (printed.returncode, printed.stderr) == (0, "")
    with Shop.open("memory:") as shop:
        for id in ("o1", "o2"):
            shop.put(Order(id=id, customer_id=AWKWARD, status="OPEN", total=Decimal(5), created_at=NOON))
        shop.put(Customer(id=AWKWARD, name="Ada", email="ada@example.com", created_at=NOON))
        engine = shop._opened().session.transport.engine  # type: ignore[attr-defined]  # the tests run on the engine
        with boto3_everywhere(engine):
            response = run_python(printed.stdout)
        expected = shop.orders_of_customer(AWKWARD, limit=1)
    assert [item["id"]["S"] for item in response["Items"]] == [order.id for order in expected.items] == ["o2"]
    assert "LastEvaluatedKey" in response


def test_request_snippets_for_the_aws_cli_have_shell_quotes() -> None:
    printed = singletable("explain", SHOP, "orders_of_customer", AWKWARD, "limit=1", "--as", "cli")
    (request,) = Shop.orders_of_customer.explain(AWKWARD, limit=1).requests
    words, options = options_of(printed.stdout)
    assert words == ["aws", "dynamodb", "query"]
    assert options.pop("--no-scan-index-forward") is True
    assert options.pop("--expression-attribute-names").startswith("{")
    assert json.loads(options.pop("--expression-attribute-values")) == request.parameters["ExpressionAttributeValues"]
    assert options == {
        "--table-name": "Shop",
        "--index-name": "GSI1",
        "--key-condition-expression": request.parameters["KeyConditionExpression"],
        "--limit": "1",
    }


def test_request_snippets_write_binary_values_for_boto3_and_base64_for_the_shell() -> None:
    item = {"PK": {"S": "x"}, "data": {"B": "AP8="}, "more": {"BS": ["AQ==", "Ag=="]}, "flag": {"BOOL": True}}
    requests = [
        Request(
            "CreateTable",
            {
                "TableName": "Files",
                "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            },
        ),
        Request("PutItem", {"TableName": "Files", "Item": item}),
        Request("GetItem", {"TableName": "Files", "Key": {"PK": {"S": "x"}}, "ConsistentRead": True}),
    ]
    with Engine("memory:") as engine, boto3_everywhere(engine):
        response = run_python(boto3_snippet(requests))
    assert response["Item"]["data"] == {"B": b"\x00\xff"}
    assert sorted(response["Item"]["more"]["BS"]) == [b"\x01", b"\x02"]
    commands = aws_cli_snippet(requests).split("\n\n")
    assert json.loads(options_of(commands[1])[1]["--item"]) == item
    assert options_of(commands[2])[1]["--consistent-read"] is True


def test_request_snippets_note_the_values_to_replace() -> None:
    request = Request(
        "UpdateItem", {"TableName": "Files", "Key": {"PK": {"S": "<total computed from the stored item>"}}}
    )
    assert "# replace <total computed from the stored item>" in boto3_snippet([request])
    words, options = options_of(aws_cli_snippet([request]))
    assert words == ["aws", "dynamodb", "update-item"]
    assert options["--table-name"] == "Files"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--as", "cli"), "--as cli needs one PATTERN"),
        (("orders_of_customer", "--as", "boto3"), "missing customer_id"),
        (("orders_of_customer", "--as", "go"), "invalid choice: 'go'"),
    ],
)
def test_the_explain_command_needs_one_pattern_and_its_arguments_for_a_snippet(
    arguments: tuple[str, ...], message: str
) -> None:
    refused = singletable("explain", SHOP, *arguments)
    assert refused.returncode == 2
    assert message in refused.stderr


def test_the_explain_command_gives_the_reason_instead_of_a_snippet_for_an_unsupported_pattern() -> None:
    model = "tests/verify/broken/shop_product_by_name.py"
    printed = singletable("explain", model, "product_called", "lamp", "--as", "cli")
    assert printed.returncode == 1
    assert "not supported: the partition key of the table is PRODUCT#{sku}" in printed.stdout
