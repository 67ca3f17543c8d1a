"""The store for fuzzed requests: tables with all kinds of keys and indexes, and some items."""

from __future__ import annotations

from pathlib import Path

from singletable.engine.engine import Engine
from singletable.engine.signed_tokens import SignedTokens
from singletable.engine.streams.stream_reading import stream_label
from tests.engine.backup_requests import buckets, keep_some
from tests.engine.table_requests import (
    Document,
    create,
    create_indexed,
    definitions,
    index,
    item,
    key_schema,
    multi_key_schema,
    projection,
    texts,
)

KEY = texts(pk="a", sk="1")
TABLES = ("hash", "many", "table")

# A fixed time and signing secret make requests the same in every run.
NOW = 1_800_000_000.0
PLACES = SignedTokens(lambda: b"fuzz")
STREAM_ARN = f"arn:aws:dynamodb:us-east-1:000000000000:table/hash/stream/{stream_label(NOW)}"
SHARD = f"shardId-{int(NOW * 1000):020}-{1:08x}"


def filled(path: Path) -> Engine:
    engine = Engine(f"file:{path}", now=lambda: NOW, sweep_seconds=None, buckets=buckets())
    engine.signed_tokens = PLACES
    fill(engine)
    keep_some(engine)
    return engine


def fill(engine: Engine) -> None:
    """Create the missing tables with their items."""
    there = engine.call("ListTables", {})["TableNames"]
    for name in TABLES:
        if name not in there:
            _MAKE[name](engine)
            _put_items(engine, name)


def restore(engine: Engine) -> None:
    """Restore the initial state: delete other tables, and create changed tables and initial items again."""
    for name in engine.call("ListTables", {})["TableNames"]:
        description = engine.call("DescribeTable", {"TableName": name})["Table"]
        if name in TABLES and _indexes(description) == _INDEXES[name]:
            _put_items(engine, name)
            continue
        if description.get("DeletionProtectionEnabled"):
            engine.call("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
        engine.call("DeleteTable", {"TableName": name})
    fill(engine)


def _put_items(engine: Engine, name: str) -> None:
    puts = [{"PutRequest": {"Item": each}} for each in _ITEMS[name]]
    engine.call("BatchWriteItem", {"RequestItems": {name: puts}})


def _indexes(description: Document) -> list[str]:
    both = (*description.get("GlobalSecondaryIndexes", ()), *description.get("LocalSecondaryIndexes", ()))
    return [each["IndexName"] for each in both]


def _make_table(engine: Engine) -> None:
    create_indexed(engine, lsi=projection("n"))


def _make_hash(engine: Engine) -> None:
    create(
        engine,
        "hash",
        KeySchema=key_schema("pk"),
        AttributeDefinitions=definitions(pk="S"),
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )


def _make_many(engine: Engine) -> None:
    """Create a table with keys that are not strings, an index of several attributes, and provisioned units."""
    wide = {"IndexName": "wide", "KeySchema": multi_key_schema("xy", "zw"), "Projection": projection(kind="KEYS_ONLY")}
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    create(
        engine,
        "many",
        KeySchema=key_schema("pk", "sk"),
        AttributeDefinitions=definitions(pk="B", sk="N", x="S", y="N", z="B", w="S"),
        GlobalSecondaryIndexes=[{**wide, "ProvisionedThroughput": units}],
        LocalSecondaryIndexes=[index("lsi", "pk", "w")],
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units,
    )


_ITEMS = {
    "hash": [texts(pk="a")],
    "many": [item(pk=b"p", sk=number, x="x", y=number, z=b"z", w="w") for number in (-1, 0, 25)],
    "table": [
        {**KEY, **item(gsiPk="g", lsiSk="l", n=1, b=b"\x00"), "m": {"M": {"x": {"L": [{"N": "1"}]}}}},
        {**texts(pk="a", sk="2"), **item(gsiPk="g", b=b"\x00\xff"), "s": {"SS": ["a", "b"]}},
        {**texts(pk="b", sk="1"), **item(lsiSk="l"), "l": {"L": [{"NULL": True}, {"BOOL": False}]}},
    ],
}
_INDEXES = {"hash": [], "many": ["wide", "lsi"], "table": ["gsi", "lsi"]}
_MAKE = {"hash": _make_hash, "many": _make_many, "table": _make_table}
