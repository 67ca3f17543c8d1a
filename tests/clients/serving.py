"""`singletable serve` as a client meets it: a process of its own, asked over HTTP, which checks every signature."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import ClientError  # type: ignore[import-untyped]

CLIENT_SECONDS_MAX = 120
STOP_SECONDS_MAX = 30
# The pages say that any credentials will do; asked to check them, the server proves that each client signs as AWS asks.
KEY = "any"


@dataclass(frozen=True)
class Served:
    """A server under test."""

    url: str

    def environment(self, home: Path, **added: str) -> dict[str, str]:
        """The variables of docs/clients.md, and nothing of whoever runs the tests."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return {
            **kept,
            "HOME": str(home),
            "AWS_ENDPOINT_URL_DYNAMODB": self.url,
            "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": self.url,
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": KEY,
            "AWS_EC2_METADATA_DISABLED": "true",
            **added,
        }

    def client(self, service: str = "dynamodb", **config: Any) -> Any:
        """A boto3 client."""
        session = boto3.session.Session(KEY, KEY, region_name="us-east-1")
        return session.client(service, endpoint_url=self.url, config=Config(**config))

    def needs(self, *actions: str) -> None:
        """Skip the test while the engine does not answer one of these actions."""
        for action in actions:
            if not self.answers(action):
                pytest.skip(f"the engine does not answer {action} yet")

    def answers(self, action: str) -> bool:
        """Whether the engine knows an action, `SERVICE:ACTION` for one of another service than DynamoDB itself."""
        service, _, name = action.rpartition(":")
        client = self.client(service or "dynamodb", parameter_validation=False)
        try:
            client._make_api_call(name, {})
        except ClientError as refused:
            code: str = refused.response["Error"]["Code"]
            return code != "UnknownOperationException"
        return True

    def needs_parameters_from_before_expressions(self) -> None:
        """Skip the test while the engine refuses AttributesToGet, Expected and their like."""
        try:
            self.client().scan(TableName="no-such-table", AttributesToGet=["n"])
        except ClientError as refused:
            if "is not served by this engine" in refused.response["Error"]["Message"]:
                pytest.skip("the engine does not serve parameters from before expressions yet")

    def run(self, command: list[str | Path], folder: Path, **added: str) -> str:
        """What a client's program printed; it has to succeed."""
        finished = subprocess.run(
            command,
            cwd=folder,
            env=self.environment(folder, **added),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=CLIENT_SECONDS_MAX,
            check=False,
        )
        assert finished.returncode == 0, f"{command[0]} exits with {finished.returncode}\n{finished.stdout}"
        return finished.stdout


@contextmanager
def serve(data: Path) -> Generator[Served, None, None]:
    """A server of a store of its own. A fault of ours is on its standard error, and fails whoever stops it."""
    command = [sys.executable, "-m", "singletable", "serve", "--port", "0", "--json", "--data", str(data)]
    process = subprocess.Popen(
        [*command, "--access-key", f"{KEY}:{KEY}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield Served(json.loads(process.stdout.readline())["url"])
    finally:
        process.terminate()
        _, said = process.communicate(timeout=STOP_SECONDS_MAX)
    assert said == ""
    assert process.returncode == 0
