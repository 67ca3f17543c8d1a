"""Shared tables, short forms of requests, and parametrized error cases."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import pytest

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused

Document = dict[str, Any]

NOT_FOUND = "Requested resource not found"
INVALID = "One or more parameter values were invalid: "


def key_schema(*names: str) -> list[Document]:
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=False)]


def multi_key_schema(partition: str, sort: str = "") -> list[Document]:
    """Return the schema of a key with several attributes. Each has a name of one letter."""
    return [
        {"AttributeName": name, "KeyType": kind}
        for kind, names in (("HASH", partition), ("RANGE", sort))
        for name in names
    ]


def definitions(**kinds: str) -> list[Document]:
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()]


def projection(*included: str, kind: str = "INCLUDE") -> Document:
    return {"ProjectionType": kind, "NonKeyAttributes": list(included)} if included else {"ProjectionType": kind}


def index(name: str, *keys: str, holds: Document | None = None) -> Document:
    """Return a global or local index, with all attributes by default."""
    return {"IndexName": name, "KeySchema": key_schema(*keys), "Projection": holds or projection(kind="ALL")}


def create(engine: Engine, name: str = "table", **changed: Any) -> Document:
    """Create a table, with the string keys `pk` and `sk` by default."""
    request: Document = {
        "TableName": name,
        "KeySchema": key_schema("pk", "sk"),
        "AttributeDefinitions": definitions(pk="S", sk="S"),
        "BillingMode": "PAY_PER_REQUEST",
        **changed,
    }
    return engine.call("CreateTable", {key: value for key, value in request.items() if value is not None})


def create_hash(engine: Engine, name: str = "hash", kind: str = "S") -> None:
    """Create a table with a partition key only."""
    create(engine, name, KeySchema=key_schema("pk"), AttributeDefinitions=definitions(pk=kind))


def create_indexed(
    engine: Engine, name: str = "table", gsi: Document | None = None, lsi: Document | None = None
) -> None:
    """Create a table of `pk` and `sk` with a global index on `gsiPk` and a local one on `lsiSk`."""
    create(
        engine,
        name,
        AttributeDefinitions=definitions(pk="S", sk="S", gsiPk="S", lsiSk="S"),
        GlobalSecondaryIndexes=[index("gsi", "gsiPk", holds=gsi)],
        LocalSecondaryIndexes=[index("lsi", "pk", "lsiSk", holds=lsi)],
    )


def texts(**attributes: str) -> Document:
    """Return an item or key of strings."""
    return {name: {"S": value} for name, value in attributes.items()}


def item(**attributes: str | int | bytes) -> Document:
    """Return an item or key of strings, numbers and binaries."""
    return {name: _value(value) for name, value in attributes.items()}


def values(**given: str | int | bytes) -> Document:
    """Return expression attribute values: `values(a=1)` for `:a`."""
    return {f":{name}": _value(value) for name, value in given.items()}


def _value(value: str | int | bytes) -> Document:
    if isinstance(value, bytes):
        return {"B": b64encode(value).decode()}
    return {"N": str(value)} if isinstance(value, int) else {"S": value}


def put(engine: Engine, item: Document, table: str = "table", **parameters: Any) -> Document:
    return engine.call("PutItem", {"TableName": table, "Item": item, **parameters})


def get(engine: Engine, key: Document, table: str = "table", **parameters: Any) -> Document | None:
    return engine.call("GetItem", {"TableName": table, "Key": key, **parameters}).get("Item")


def update(engine: Engine, key: Document, expression: str, table: str = "table", **parameters: Any) -> Document:
    request = {"TableName": table, "Key": key, "UpdateExpression": expression, **parameters}
    return engine.call("UpdateItem", request)


def delete(engine: Engine, key: Document, table: str = "table", **parameters: Any) -> Document:
    return engine.call("DeleteItem", {"TableName": table, "Key": key, **parameters})


def query(engine: Engine, condition: str, given: Document, table: str = "table", **parameters: Any) -> Document:
    request = {"TableName": table, "KeyConditionExpression": condition, "ExpressionAttributeValues": given}
    return engine.call("Query", {**request, **parameters})


def scan(engine: Engine, table: str = "table", **parameters: Any) -> Document:
    return engine.call("Scan", {"TableName": table, **parameters})


def pages(engine: Engine, action: str, request: Document) -> list[Document]:
    """Return all pages of a Query or Scan."""
    answers = [engine.call(action, request)]
    while "LastEvaluatedKey" in answers[-1]:
        answers.append(engine.call(action, {**request, "ExclusiveStartKey": answers[-1]["LastEvaluatedKey"]}))
        assert len(answers) < 1000, "the pages never end"
    return answers


def column(items: Sequence[Document], name: str = "sk") -> list[Any]:
    """Return one attribute of several items."""
    return [next(iter(item[name].values())) for item in items]


def refused(engine: Engine, action: str, request: Document) -> RequestRefused:
    """Return the error of a request that must fail."""
    with pytest.raises(RequestRefused) as caught:
        engine.call(action, request)
    return caught.value


def error_fields(error: RequestRefused) -> Document:
    """Return the further members of an error, as a client reads them."""
    document: Document = msgspec.json.decode(msgspec.json.encode(error.fields))
    return document


class Refused(NamedTuple):
    """A request that fails, and the expected message."""

    claim: str
    request: Document
    words: str
    code: str = "ValidationException"


def refusals(*rows: Refused) -> pytest.MarkDecorator:
    """Parametrize a test with these rows."""
    return pytest.mark.parametrize("row", rows, ids=[row.claim for row in rows])


def assert_refused(engine: Engine, action: str, row: Refused, **common: Any) -> None:
    error = refused(engine, action, {**common, **row.request})
    assert (error.code, error.message) == (row.code, row.words)
