"""A recording of the requests of boto3 clients to an engine, and its lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from singletable.catalogue import install
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client, boto3_resource


class RecordedClients:
    """A boto3 client and a resource of one engine, whose requests are recorded to a file."""

    def __init__(self, path: Path, url: str = "memory:") -> None:
        self.path = path
        self.engine = Engine(url)
        self.client = boto3_client(self.engine)
        self.resource = boto3_resource(self.engine)

    def create_table(self, name: str, *keys: str, index: tuple[str, ...] = ()) -> Any:
        """Create a table with string keys, and an index `by-NAME` of its first key."""
        schema = [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)]
        options: dict[str, Any] = {}
        if index:
            own = [{"AttributeName": key, "KeyType": kind} for key, kind in zip(index, ("HASH", "RANGE"), strict=False)]
            options["GlobalSecondaryIndexes"] = [
                {"IndexName": f"by-{index[0]}", "KeySchema": own, "Projection": {"ProjectionType": "ALL"}}
            ]
        self.client.create_table(
            TableName=name,
            KeySchema=schema,
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in sorted({*keys, *index})],
            BillingMode="PAY_PER_REQUEST",
            **options,
        )
        return self.resource.Table(name)

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines of the catalogue."""
        return [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]

    def shapes(self) -> list[dict[str, Any]]:
        """Return the shapes in the catalogue, without the fields that say where they come from."""
        found = [line for line in self.lines() if "shape" in line]
        return [{k: v for k, v in line.items() if k not in ("run", "shape", "caller")} for line in found]

    def requests(self) -> list[dict[str, Any]]:
        """Return the lines of requests."""
        return [line for line in self.lines() if "s" in line]


@contextmanager
def recorded(path: Path, clients: RecordedClients | None = None) -> Iterator[RecordedClients]:
    """Record the requests of these clients, or of new ones."""
    clients = clients or RecordedClients(path)
    with install(path):
        yield clients
