from __future__ import annotations

import shutil
import subprocess

import pytest

from singletable.planner.planned_requests import Request
from singletable.studio.javascript_snippet import javascript_snippet

VALUES = {":a": {"S": 'quote " and \\ and \n'}, ":b": {"N": "1"}, ":c": {"B": "AAEC"}, ":d": {"L": [{"BOOL": True}]}}
REQUEST = Request(
    "Query", {"TableName": "T", "Limit": 3, "ExpressionAttributeValues": VALUES, "ProjectionExpression": "a"}
)


def test_the_javascript_snippet_of_a_request_is_a_command_of_the_sdk() -> None:
    text = javascript_snippet([REQUEST])
    assert 'import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";' in text
    assert "Limit: 3," in text
    assert '":b": { N: "1" },' in text
    assert '{ B: Buffer.from("AAEC", "base64") }' in text


def test_the_javascript_snippet_of_several_requests_has_a_response_each() -> None:
    text = javascript_snippet([REQUEST, Request("PutItem", {"TableName": "T"})])
    assert "const response1 = await client.send(new QueryCommand(" in text
    assert "const response2 = await client.send(new PutItemCommand(" in text
    assert "{ DynamoDBClient, PutItemCommand, QueryCommand }" in text


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_snippet_is_valid_javascript() -> None:
    checked = subprocess.run(
        ["node", "--input-type=module", "--check"], input=javascript_snippet([REQUEST]), text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr
