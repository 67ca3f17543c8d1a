"""`singletable serve` in its own process, with signature checks, for the tests of clients."""

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
# The documentation says that any credentials work; --access-key makes the server verify the signatures of each client.
KEY = "any"


@dataclass(frozen=True)
class LocalServer:
    """A running server."""

    url: str

    def environment(self, home: Path, **added: str) -> dict[str, str]:
        """Return the variables of docs/guides/clients.md, without the variables of the developer's shell."""
        inherited = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return {
            **inherited,
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
        """Return a boto3 client."""
        session = boto3.session.Session(KEY, KEY, region_name="us-east-1")
        return session.client(service, endpoint_url=self.url, config=Config(**config))

    def needs(self, *actions: str) -> None:
        """Skip the test if the engine does not support one of these actions."""
        for action in actions:
            if not self.supports(action):
                pytest.skip(f"the engine does not support {action} yet")

    def supports(self, action: str) -> bool:
        """Return whether the engine supports an action. Write `SERVICE:ACTION` for services other than DynamoDB."""
        service, _, name = action.rpartition(":")
        client = self.client(service or "dynamodb", parameter_validation=False)
        try:
            client._make_api_call(name, {})
        except ClientError as error:
            code: str = error.response["Error"]["Code"]
            return code != "UnknownOperationException"
        return True

    def needs_legacy_parameters(self) -> None:
        """Skip the test if the engine does not support legacy parameters, such as AttributesToGet and Expected."""
        try:
            self.client().scan(TableName="no-such-table", AttributesToGet=["n"])
        except ClientError as error:
            if "is not supported by this engine" in error.response["Error"]["Message"]:
                pytest.skip("the engine does not support legacy parameters yet")

    def run(self, command: list[str | Path], folder: Path, **added: str) -> str:
        """Run a client and return its output; the exit status must be 0."""
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
def serve(data: Path) -> Generator[LocalServer, None, None]:
    """Start a server with its own store. Fail at the end if it wrote to standard error."""
    command = [sys.executable, "-m", "singletable", "serve", "--port", "0", "--json", "--data", str(data)]
    process = subprocess.Popen(
        [*command, "--access-key", f"{KEY}:{KEY}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield LocalServer(json.loads(process.stdout.readline())["url"])
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=STOP_SECONDS_MAX)
    assert errors == ""
    assert process.returncode == 0
