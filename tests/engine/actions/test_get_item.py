"""GetItem: one item by its key, complete or projected."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    create_hash,
    create_indexed,
    get,
    item,
    put,
    refusals,
    texts,
)

KEY = texts(pk="a", sk="1")
ITEM: Document = {
    **KEY,
    **item(a="alpha", c=99, status="open", size=1),
    "m": {"M": {"x": {"S": "in"}, "y": {"L": [{"N": "0"}, {"M": {"z": {"S": "deep"}}}]}, "k.l": {"S": "dotted"}}},
    "l": {"L": [{"S": "zero"}, {"S": "one"}, {"S": "two"}]},
}
SCALARS = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "


@pytest.mark.parametrize("consistent", [True, False, None])
def test_get_item_returns_an_item_by_its_key(engine: Engine, consistent: bool | None) -> None:
    put(engine, ITEM)
    assert get(engine, KEY, ConsistentRead=consistent) == ITEM


@pytest.mark.parametrize("key", [texts(pk="a", sk="2"), texts(pk="b", sk="1"), texts(pk="a1", sk="1")])
def test_get_item_may_read_a_missing_item(engine: Engine, key: Document) -> None:
    put(engine, ITEM)
    assert engine.call("GetItem", {"TableName": "table", "Key": key}) == {}


def test_get_item_returns_an_item_without_sort_key_by_its_partition_key(engine: Engine) -> None:
    put(engine, texts(pk="a", v="v"), "hash")
    assert get(engine, texts(pk="a"), "hash") == texts(pk="a", v="v")


@pytest.mark.parametrize(
    ("projection", "names", "expected"),
    [
        ("a, c", None, item(a="alpha", c=99)),
        ("pk, a", None, texts(pk="a", a="alpha")),
        ("absent", None, {}),
        ("m.x", None, {"m": {"M": {"x": {"S": "in"}}}}),
        ("m.absent, a", None, texts(a="alpha")),
        ("l[1]", None, {"l": {"L": [{"S": "one"}]}}),
        ("l[2], l[0]", None, {"l": {"L": [{"S": "zero"}, {"S": "two"}]}}),
        ("l[9]", None, {}),
        ("m.y[1].z", None, {"m": {"M": {"y": {"L": [{"M": {"z": {"S": "deep"}}}]}}}}),
        ("m.x, m.y[0]", None, {"m": {"M": {"x": {"S": "in"}, "y": {"L": [{"N": "0"}]}}}}),
        ("a.x, l.x, c[0]", None, {}),
        ("#s, #size", {"#s": "status", "#size": "size"}, item(status="open", size=1)),
        ("m.#dotted", {"#dotted": "k.l"}, {"m": {"M": {"k.l": {"S": "dotted"}}}}),
    ],
)
def test_get_item_returns_only_the_paths_of_a_projection(
    engine: Engine, projection: str, names: Document | None, expected: Document
) -> None:
    put(engine, ITEM)
    found = get(engine, KEY, ProjectionExpression=projection, ExpressionAttributeNames=names)
    assert found == expected


def test_get_item_returns_no_item_for_a_projection_of_a_missing_item(engine: Engine) -> None:
    request = {"TableName": "table", "Key": KEY, "ProjectionExpression": "a"}
    assert engine.call("GetItem", request) == {}


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("TOTAL", {"TableName": "table", "CapacityUnits": 0.5}),
        ("INDEXES", {"TableName": "table", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}),
        ("NONE", None),
        (None, None),
    ],
)
def test_get_item_returns_consumed_capacity_on_request(
    engine: Engine, requested: str | None, expected: Document | None
) -> None:
    put(engine, ITEM)
    for key in (KEY, texts(pk="absent", sk="1")):
        answer = engine.call("GetItem", {"TableName": "table", "Key": key, "ReturnConsumedCapacity": requested})
        assert answer.get("ConsumedCapacity") == expected


@refusals(
    Refused("a missing table", {"TableName": "missing"}, NOT_FOUND, "ResourceNotFoundException"),
    Refused(
        "no key",
        {"Key": None},
        "1 validation error detected: Value null at 'key' failed to satisfy constraint: Member must not be null",
    ),
    Refused("a part of the key", {"Key": texts(pk="a")}, "The provided key element does not match the schema"),
    Refused("too many attributes", {"Key": ITEM}, "The provided key element does not match the schema"),
    Refused("another attribute", {"Key": texts(pk="a", no="1")}, "The provided key element does not match the schema"),
    Refused("another type", {"Key": item(pk="a", sk=1)}, "The provided key element does not match the schema"),
    Refused(
        "an empty key",
        {"Key": texts(pk="a", sk="")},
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: sk",
    ),
    Refused(
        "a long key",
        {"Key": texts(pk="x" * 2049, sk="1")},
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes",
    ),
    Refused(
        "an invalid value",
        {"Key": {"pk": {}, "sk": {"S": "1"}}},
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
    Refused(
        "another level of capacity",
        {"ReturnConsumedCapacity": "SOME"},
        "1 validation error detected: Value 'SOME' at 'returnConsumedCapacity' failed to satisfy constraint: Member "
        "must satisfy enum value set: [INDEXES, TOTAL, NONE]",
    ),
    Refused(
        "no projection at all",
        {"ProjectionExpression": ""},
        "Invalid ProjectionExpression: The expression can not be empty;",
    ),
    Refused(
        "an invalid projection",
        {"ProjectionExpression": "!!! INVALID !!!"},
        'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"',
    ),
    Refused(
        "a reserved word",
        {"ProjectionExpression": "pk, status"},
        "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: status",
    ),
    Refused(
        "names without a projection",
        {"ExpressionAttributeNames": {"#a": "a"}},
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    Refused(
        "an unused name",
        {"ProjectionExpression": "a", "ExpressionAttributeNames": {"#a": "a"}},
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}",
    ),
    Refused(
        "overlapping paths",
        {"ProjectionExpression": "m, m.x"},
        "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these "
        "paths; path one: [m], path two: [m, x]",
    ),
    Refused("a path into a key", {"ProjectionExpression": "a, sk.x"}, f"{SCALARS}Key: sk"),
    Refused(
        "a projection before a missing table",
        {"TableName": "missing", "ProjectionExpression": "!"},
        'Invalid ProjectionExpression: Syntax error; token: "!", near: "!"',
    ),
    Refused(
        "a key that does not match the table before a path into a key",
        {"Key": texts(pk="a"), "ProjectionExpression": "sk.x"},
        "The provided key element does not match the schema",
    ),
)
def test_get_item_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "GetItem", row, TableName="table", Key=KEY)


def test_get_item_rejects_a_projection_with_a_path_into_an_index_key(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    row = Refused("", {"ProjectionExpression": "lsiSk[0]"}, f"{SCALARS}IndexKey: lsiSk")
    assert_refused(empty_engine, "GetItem", row, TableName="table", Key=KEY)


@pytest.mark.parametrize(("kind", "empty"), [("B", "binary"), ("S", "string")])
def test_get_item_names_the_type_of_an_empty_key_in_the_error(engine: Engine, kind: str, empty: str) -> None:
    create_hash(engine, "keys", kind)
    words = (
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        f"{empty} value. Key: pk"
    )
    assert_refused(engine, "GetItem", Refused("", {"Key": {"pk": {kind: ""}}}, words), TableName="keys")
