"""AttributesToGet: a read returns the attributes that it names, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.tables import INVALID, Document, create_indexed, item, projection, put, refused, texts

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
    """The one item that there is, as a read returns it."""
    asked: Document = {"AttributesToGet": names}
    if action == "BatchGetItem":
        answer = engine.call(action, {"RequestItems": {"table": {"Keys": [KEY], **asked}}})
        (found,) = answer["Responses"]["table"]
    elif action == "GetItem":
        found = engine.call(action, {"TableName": "table", "Key": KEY, **asked})["Item"]
    else:
        conditions = {"KeyConditions": EQ_A} if action == "Query" else {}
        (found,) = engine.call(action, {"TableName": "table", **asked, **conditions})["Items"]
    return dict(found)


@pytest.mark.parametrize("action", ["GetItem", "BatchGetItem", "Query", "Scan"])
@pytest.mark.parametrize("names", [["n"], ["t", "pk"], ["m"], ["m.x"], ["missing"], ["missing", "n"]])
def test_a_read_returns_the_attributes_it_names(engine: Engine, action: str, names: list[str]) -> None:
    assert returned(engine, action, names) == {name: ITEM[name] for name in names if name in ITEM}


@pytest.mark.parametrize("action", ["GetItem", "BatchGetItem", "Query", "Scan"])
def test_a_name_is_given_once(engine: Engine, action: str) -> None:
    asked: Document = {"AttributesToGet": ["n", "t", "n"]}
    request: Document = {"TableName": "missing", **asked}
    if action == "BatchGetItem":
        request = {"RequestItems": {"missing": {"Keys": [KEY], **asked}}}
    elif action == "GetItem":
        request |= {"Key": KEY}
    elif action == "Query":
        request |= {"KeyConditions": EQ_A}
    assert refused(engine, action, request).message == f"{INVALID}Duplicate value in attribute name: n"


def test_a_name_is_not_empty(engine: Engine) -> None:
    request = {"TableName": "table", "Key": KEY, "AttributesToGet": [""]}
    assert refused(engine, "GetItem", request).message == "Empty attribute name"


def test_the_key_is_checked_before(engine: Engine) -> None:
    request = {"TableName": "table", "Key": {"pk": {}}, "AttributesToGet": ["n", "n"]}
    assert refused(engine, "GetItem", request).message.startswith("Supplied AttributeValue is empty")


@pytest.mark.parametrize(
    ("names", "words"), [([], "greater than or equal to 1"), (["x"] * 256, "less than or equal to 255")]
)
def test_there_are_one_to_255_names(engine: Engine, names: list[str], words: str) -> None:
    request = {"TableName": "table", "Key": KEY, "AttributesToGet": names}
    assert refused(engine, "GetItem", request).message.endswith(f"Member must have length {words}")


def test_a_local_index_fetches_what_it_lacks(engine: Engine) -> None:
    request = {"TableName": "table", "IndexName": "lsi", "KeyConditions": EQ_A, "AttributesToGet": ["n"]}
    assert engine.call("Query", request)["Items"] == [item(n=1)]


def test_a_global_index_returns_what_it_holds(engine: Engine) -> None:
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
def test_select_agrees_with_it(engine: Engine, select: str, words: str) -> None:
    request: dict[str, Any] = {"TableName": "table", "AttributesToGet": ["n"], "Select": select}
    assert refused(engine, "Scan", request).message == words
    request["Select"] = "SPECIFIC_ATTRIBUTES"
    assert engine.call("Scan", request)["Items"] == [item(n=1)]
