"""AttributesToGet: a read returns only the named attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import INVALID, Document, create_indexed, item, projection, put, refused, texts

KEY = texts(pk="a", sk="1")
ITEM: Document = {**KEY, **item(n=1, t="x", lsiSk="l", gsiPk="g"), "m": {"M": {"x": {"N": "1"}}}, "m.x": {"S": "dot"}}
EQ_A: Document = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create_indexed(made, gsi=projection("n"), lsi=projection(kind="KEYS_ONLY"))
        put(made, ITEM)
        yield made


def returned(engine: Engine, action: str, names: list[str]) -> Document:
    """Return the only item, as a read returns it."""
    requested: Document = {"AttributesToGet": names}
    if action == "BatchGetItem":
        answer = engine.call(action, {"RequestItems": {"table": {"Keys": [KEY], **requested}}})
        (found,) = answer["Responses"]["table"]
    elif action == "GetItem":
        found = engine.call(action, {"TableName": "table", "Key": KEY, **requested})["Item"]
    else:
        conditions = {"KeyConditions": EQ_A} if action == "Query" else {}
        (found,) = engine.call(action, {"TableName": "table", **requested, **conditions})["Items"]
    return dict(found)


@pytest.mark.parametrize("action", ["GetItem", "BatchGetItem", "Query", "Scan"])
@pytest.mark.parametrize("names", [["n"], ["t", "pk"], ["m"], ["m.x"], ["missing"], ["missing", "n"]])
def test_legacy_attributes_to_get_are_the_attributes_that_a_read_returns(
    engine: Engine, action: str, names: list[str]
) -> None:
    assert returned(engine, action, names) == {name: ITEM[name] for name in names if name in ITEM}


@pytest.mark.parametrize("action", ["GetItem", "BatchGetItem", "Query", "Scan"])
def test_legacy_attributes_to_get_cannot_repeat_a_name(engine: Engine, action: str) -> None:
    requested: Document = {"AttributesToGet": ["n", "t", "n"]}
    request: Document = {"TableName": "missing", **requested}
    if action == "BatchGetItem":
        request = {"RequestItems": {"missing": {"Keys": [KEY], **requested}}}
    elif action == "GetItem":
        request |= {"Key": KEY}
    elif action == "Query":
        request |= {"KeyConditions": EQ_A}
    assert refused(engine, action, request).message == f"{INVALID}Duplicate value in attribute name: n"


def test_legacy_attributes_to_get_cannot_contain_an_empty_name(engine: Engine) -> None:
    request = {"TableName": "table", "Key": KEY, "AttributesToGet": [""]}
    assert refused(engine, "GetItem", request).message == "Empty attribute name"


def test_an_invalid_key_is_reported_before_invalid_legacy_attributes_to_get(engine: Engine) -> None:
    request = {"TableName": "table", "Key": {"pk": {}}, "AttributesToGet": ["n", "n"]}
    assert refused(engine, "GetItem", request).message.startswith("Supplied AttributeValue is empty")


@pytest.mark.parametrize(
    ("names", "words"), [([], "greater than or equal to 1"), (["x"] * 256, "less than or equal to 255")]
)
def test_legacy_attributes_to_get_have_a_limited_number_of_names(engine: Engine, names: list[str], words: str) -> None:
    request = {"TableName": "table", "Key": KEY, "AttributesToGet": names}
    assert refused(engine, "GetItem", request).message.endswith(f"Member must have length {words}")


def test_legacy_attributes_to_get_of_a_local_index_may_be_unprojected(engine: Engine) -> None:
    request = {"TableName": "table", "IndexName": "lsi", "KeyConditions": EQ_A, "AttributesToGet": ["n"]}
    assert engine.call("Query", request)["Items"] == [item(n=1)]


def test_legacy_attributes_to_get_of_a_global_index_must_be_projected(engine: Engine) -> None:
    request: Document = {"TableName": "table", "IndexName": "gsi", "AttributesToGet": ["n"]}
    assert engine.call("Scan", request)["Items"] == [item(n=1)]
    request["AttributesToGet"] = ["t"]
    assert refused(engine, "Scan", request).message == f"{INVALID}Global secondary index gsi does not project [t]"


@pytest.mark.parametrize(
    ("select", "words"),
    [
        ("COUNT", "Cannot specify the AttributesToGet when choosing to get only the Count"),
        ("ALL_ATTRIBUTES", "Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES"),
    ],
)
def test_legacy_attributes_to_get_must_match_select(engine: Engine, select: str, words: str) -> None:
    request: dict[str, Any] = {"TableName": "table", "AttributesToGet": ["n"], "Select": select}
    assert refused(engine, "Scan", request).message == words
    request["Select"] = "SPECIFIC_ATTRIBUTES"
    assert engine.call("Scan", request)["Items"] == [item(n=1)]
