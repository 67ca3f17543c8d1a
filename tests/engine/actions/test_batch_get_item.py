"""BatchGetItem: up to 100 items of several tables. Keys beyond 16 MB are unprocessed."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    item,
    put,
    refusals,
    texts,
)

DUPLICATES = "Provided list of item keys contains duplicates"
CONSTRAINT = "failed to satisfy constraint: Member must"


def hash_keys(count: int) -> list[Document]:
    return [texts(pk=f"{number:03}") for number in range(count)]


def requested(**tables: Document) -> Document:
    return {"RequestItems": tables}


def batch(engine: Engine, keys: list[Document], **parameters: object) -> Document:
    """Run a batch on one table, `hash`."""
    return engine.call("BatchGetItem", requested(hash={"Keys": keys, **parameters}))


@pytest.mark.parametrize("consistent", [True, False, None])
def test_batch_get_item_returns_existing_items(engine: Engine, consistent: bool | None) -> None:
    for key in hash_keys(5):
        put(engine, {**key, **texts(v="v")}, "hash")
    answer = batch(engine, [*hash_keys(7), texts(pk="never")], ConsistentRead=consistent)
    assert answer["UnprocessedKeys"] == {}
    found = answer["Responses"]["hash"]
    assert sorted(found, key=lambda each: str(each["pk"]["S"])) == [{**key, **texts(v="v")} for key in hash_keys(5)]


def test_batch_get_item_accepts_100_keys(engine: Engine) -> None:
    for key in hash_keys(100):
        put(engine, key, "hash")
    assert len(batch(engine, hash_keys(100))["Responses"]["hash"]) == 100


def test_batch_get_item_reads_several_tables(engine: Engine) -> None:
    put(engine, texts(pk="a", v="hash"), "hash")
    put(engine, texts(pk="a", sk="1", v="table"))
    request = requested(
        hash={"Keys": [texts(pk="a"), texts(pk="b")]},
        table={"Keys": [texts(pk="a", sk="1")], "ProjectionExpression": "v"},
    )
    answer = engine.call("BatchGetItem", request)
    assert answer == {
        "Responses": {"hash": [texts(pk="a", v="hash")], "table": [texts(v="table")]},
        "UnprocessedKeys": {},
    }


def test_batch_get_item_returns_an_empty_list_for_a_table_without_found_items(engine: Engine) -> None:
    assert batch(engine, [texts(pk="a")]) == {"Responses": {"hash": []}, "UnprocessedKeys": {}}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"ProjectionExpression": "a, c"}, item(a="alpha", c=9)),
        ({"ProjectionExpression": "#b", "ExpressionAttributeNames": {"#b": "b"}}, texts(b="beta")),
        ({"ProjectionExpression": "m.x"}, {"m": {"M": {"x": {"N": "1"}}}}),
    ],
)
def test_batch_get_item_returns_the_paths_of_a_projection(
    engine: Engine, parameters: Document, expected: Document
) -> None:
    put(engine, {**item(pk="a", a="alpha", b="beta", c=9), "m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}}, "hash")
    assert batch(engine, [texts(pk="a")], **parameters)["Responses"]["hash"] == [expected]


def test_batch_get_item_returns_keys_beyond_16_mb_as_unprocessed(engine: Engine) -> None:
    size = 400_000
    keys = hash_keys(50)
    for key in keys:
        put(engine, {**key, "v": {"S": "x" * (size - len("pk000v"))}}, "hash")
    put(engine, texts(pk="a", sk="1"))
    request = {
        **requested(
            hash={"Keys": keys, "ConsistentRead": True, "ProjectionExpression": "pk, v"},
            table={"Keys": [texts(pk="a", sk="1")]},
        ),
        "ReturnConsumedCapacity": "TOTAL",
    }
    answer = engine.call("BatchGetItem", request)
    fitting = 16 * 1024 * 1024 // size
    assert len(answer["Responses"]["hash"]) == fitting == 41
    left = answer["UnprocessedKeys"]
    assert left["hash"] == {**request["RequestItems"]["hash"], "Keys": keys[fitting:]}
    of_hash = next(each for each in answer["ConsumedCapacity"] if each["TableName"] == "hash")
    assert of_hash["CapacityUnits"] == fitting * 98  # unprocessed keys consume nothing
    rest = engine.call("BatchGetItem", {"RequestItems": left})
    assert len(rest["Responses"]["hash"]) == 50 - fitting
    assert rest["UnprocessedKeys"] == {}


@pytest.mark.parametrize(
    ("requested_level", "expected"),
    [
        (
            "TOTAL",
            [{"TableName": "hash", "CapacityUnits": 1.5}, {"TableName": "table", "CapacityUnits": 1.0}],
        ),
        (
            "INDEXES",
            [
                {"TableName": "hash", "CapacityUnits": 1.5, "Table": {"CapacityUnits": 1.5}},
                {"TableName": "table", "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}},
            ],
        ),
        ("NONE", None),
        (None, None),
    ],
)
def test_batch_get_item_returns_consumed_capacity_per_table(
    engine: Engine, requested_level: str | None, expected: list[Document] | None
) -> None:
    put(engine, texts(pk="a", v="x" * 5000), "hash")  # two units for this item, and one for a missing item
    request = requested(
        hash={"Keys": [texts(pk="a"), texts(pk="b")]},
        table={"Keys": [texts(pk="a", sk="1")], "ConsistentRead": True},
    )
    answer = engine.call("BatchGetItem", {**request, "ReturnConsumedCapacity": requested_level})
    assert answer.get("ConsumedCapacity") == expected


MIXED = (
    "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
    "{AttributesToGet} Expression parameters: {ProjectionExpression}"
)
A = texts(pk="a")


@refusals(
    Refused("nothing to read", requested(), "The requestItems parameter is required for BatchGetItem"),
    Refused(
        "no keys",
        requested(hash={"Keys": []}),
        f"1 validation error detected: Value '[]' at 'requestItems.hash.member.keys' {CONSTRAINT} have length greater "
        "than or equal to 1",
    ),
    Refused(
        "more than a hundred keys of one table",
        requested(hash={"Keys": hash_keys(101)}),
        f"1 validation error detected: Value at 'RequestItems.hash.member.Keys' {CONSTRAINT} have length less than or "
        "equal to 100",
    ),
    Refused(
        "more than a hundred keys of several tables",
        requested(hash={"Keys": hash_keys(100)}, table={"Keys": [texts(pk="a", sk="1")]}),
        "Too many items requested for the BatchGetItem call",
    ),
    Refused("one key twice", requested(hash={"Keys": [A, A]}), DUPLICATES),
    Refused(
        "one key twice, in another order",
        requested(table={"Keys": [texts(pk="a", sk="1"), texts(sk="1", pk="a")]}),
        DUPLICATES,
    ),
    Refused("one key twice before a missing table", requested(missing={"Keys": [A, A]}), DUPLICATES),
    Refused("a missing table", requested(missing={"Keys": [A]}), NOT_FOUND, "ResourceNotFoundException"),
    Refused(
        "a missing table with one that is",
        requested(hash={"Keys": [A]}, missing={"Keys": [A]}),
        NOT_FOUND,
        "ResourceNotFoundException",
    ),
    Refused(
        "a key that does not match the table",
        requested(table={"Keys": [A]}),
        "The provided key element does not match the schema",
    ),
    Refused(
        "an empty key",
        requested(hash={"Keys": [texts(pk="")]}),
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: pk",
    ),
    Refused(
        "an invalid value",
        requested(missing={"Keys": [{"pk": {"NS": []}}]}),
        f"{INVALID}An number set  may not be empty",
    ),
    Refused(
        "an invalid projection",
        requested(missing={"Keys": [A], "ProjectionExpression": ""}),
        "Invalid ProjectionExpression: The expression can not be empty;",
    ),
    Refused(
        "a path into a key",
        requested(hash={"Keys": [A], "ProjectionExpression": "pk.x"}),
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk",
    ),
    Refused(
        "legacy parameters and expressions",
        requested(hash={"Keys": [A], "ProjectionExpression": "v", "AttributesToGet": ["v"]}),
        MIXED,
    ),
    Refused(
        "legacy parameters and expressions for different tables",
        requested(
            hash={"Keys": [A], "ProjectionExpression": "v"},
            table={"Keys": [texts(pk="a", sk="1")], "AttributesToGet": ["v"]},
        ),
        MIXED,
    ),
)
def test_batch_get_item_rejects_an_invalid_batch(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "BatchGetItem", row)
