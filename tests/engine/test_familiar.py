"""Queries that were asked before answer, and are refused, as if they were asked for the first time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from tests.engine.tables import Document, create, definitions, index, projection

QUERY = "DynamoDB_20120810.Query"
CONDITIONS = (
    "#p = :p",
    "pk = :p",
    ":p = #p",
    "#p = :p AND sk = :s",
    "#p = :p AND #s = :s",
    "sk >= :s AND #p = :p",
    "#p = :p AND sk < :s",
    "#p = :p AND sk > :s",
    "#p = :p AND sk <= :s",
    "#p = :p AND begins_with(sk, :s)",
    "#p = :p AND sk BETWEEN :s AND :t",
    "#p = :p AND sk = :p",
    "#p = :p AND sk BETWEEN :p AND :p",
    "#p = :p AND other = :s",
    "#p = :p AND sk <> :s",
    "#p > :p",
    "#p = :p AND",
)
TEXTS = ("a", "b", "ab", "a\x00", "é", "", "x" * 1024, "x" * 1025, "x" * 2049)
VALUES: tuple[Document, ...] = (
    *({"S": text} for text in TEXTS),
    {"N": "1"},
    {"B": "YQ=="},
    {"NULL": True},
    {"S": "a", "N": "1"},
    {},
)

conditions = st.sampled_from(CONDITIONS)
values = st.dictionaries(st.sampled_from((":p", ":s", ":t", ":u")), st.sampled_from(VALUES), max_size=4)
plain = st.fixed_dictionaries(
    {name: st.sampled_from(({"S": "a"}, {"S": "b"}, {"S": "ab"})) for name in (":p", ":s", ":t")}
)
options = st.fixed_dictionaries(
    {},
    optional={
        "IndexName": st.sampled_from(("global", "local", "none")),
        "Limit": st.sampled_from((-1, 0, 1, 2, 100)),
        "ScanIndexForward": st.booleans(),
        "ConsistentRead": st.booleans(),
        "Select": st.sampled_from(("COUNT", "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES")),
        "ExclusiveStartKey": st.just({"pk": {"S": "a"}, "sk": {"S": "a"}}),
        "FilterExpression": st.just("attribute_exists(pk)"),
        "ProjectionExpression": st.just("other"),
        "ReturnConsumedCapacity": st.sampled_from(("TOTAL", "INDEXES")),
    },
)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine("memory:") as engine:
        _fill(engine)
        yield engine


def _fill(engine: Engine) -> None:
    create(
        engine,
        AttributeDefinitions=definitions(pk="S", sk="S", other="S"),
        GlobalSecondaryIndexes=[index("global", "sk", "pk")],
        LocalSecondaryIndexes=[index("local", "pk", "other", holds=projection(kind="KEYS_ONLY"))],
    )
    for partition in ("a", "b", "é"):
        for sort in ("a", "a\x00", "a\x00b", "ab", "b", "é"):
            item = {"pk": {"S": partition}, "sk": {"S": sort}, "other": {"S": sort * 2}}
            engine.call("PutItem", {"TableName": "table", "Item": item})


def _query(condition: str, values: Document, options: Document | None = None) -> Document:
    names = {placeholder: name for placeholder, name in (("#p", "pk"), ("#s", "sk")) if placeholder in condition}
    used = {"KeyConditionExpression": condition, "ExpressionAttributeValues": values}
    return {"TableName": "table", **used, **({"ExpressionAttributeNames": names} if names else {}), **(options or {})}


def _used(condition: str, values: Document) -> Document:
    return {name: value for name, value in values.items() if name in condition}


def _answer(engine: Engine, request: Document) -> tuple[int, Any]:
    answer = engine.answer(QUERY, msgspec.json.encode(request))
    return answer.status, msgspec.json.decode(answer.body)


def _familiar(engine: Engine) -> dict[Any, Any]:
    return engine.catalog.require("table").familiar


@given(conditions, values, plain, options)
def test_a_familiar_query_answers_as_an_unfamiliar_one(
    engine: Engine, condition: str, values: Document, plain: Document, options: Document
) -> None:
    _familiar(engine).clear()
    asked_first = _answer(engine, _query(condition, values, options))
    _familiar(engine).clear()
    _answer(engine, _query(condition, _used(condition, plain), {**options, "Limit": 1}))  # may become familiar by it
    assert _answer(engine, _query(condition, values, options)) == asked_first


@given(conditions, plain, plain, options)
def test_the_same_with_values_that_are_nearly_always_right(
    engine: Engine, condition: str, first: Document, second: Document, options: Document
) -> None:
    _familiar(engine).clear()
    asked_first = _answer(engine, _query(condition, _used(condition, second), options))
    _familiar(engine).clear()
    _answer(engine, _query(condition, _used(condition, first), options))
    assert _answer(engine, _query(condition, _used(condition, second), options)) == asked_first


@pytest.mark.parametrize("condition", CONDITIONS[:11])
def test_plain_queries_become_familiar(engine: Engine, condition: str) -> None:
    _familiar(engine).clear()
    values = {":p": {"S": "a"}, ":s": {"S": "a"}, ":t": {"S": "b"}}
    for _ in range(2):
        assert _answer(engine, _query(condition, _used(condition, values)))[0] == 200
    assert len(_familiar(engine)) == 1


@pytest.mark.parametrize("condition", CONDITIONS[11:])
def test_others_do_not(engine: Engine, condition: str) -> None:
    _familiar(engine).clear()
    _answer(engine, _query(condition, _used(condition, {":p": {"S": "a"}, ":s": {"S": "a"}})))
    assert not _familiar(engine)


def test_made_up_queries_do_not_fill_the_memory(engine: Engine) -> None:
    _familiar(engine).clear()
    for number in range(300):
        assert _answer(engine, _query(f"pk = :p{number}", {f":p{number}": {"S": "a"}}))[0] == 200
    assert len(_familiar(engine)) == 256
    _familiar(engine).clear()
    long = ":" + "p" * 250
    assert _answer(engine, _query("pk = " + " " * 2048 + long, {long: {"S": "a"}}))[0] == 200
    assert not _familiar(engine)


def test_an_index_that_another_process_dropped_is_missed(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store'}"
    with Engine(url) as engine, Engine(url) as other:
        _fill(engine)
        request = _query("sk = :s", {":s": {"S": "a"}}, {"IndexName": "global"})
        assert _answer(engine, request)[1]["Count"] == 3
        dropped = [{"Delete": {"IndexName": "global"}}]
        other.call("UpdateTable", {"TableName": "table", "GlobalSecondaryIndexUpdates": dropped})
        other.jobs.wait()
        status, answer = _answer(engine, request)
        assert (status, answer["message"]) == (400, "The table does not have the specified index: global")
