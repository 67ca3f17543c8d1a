"""The fast path of a repeated Query gives the same results and errors as the full check."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.engine.items.query_ranges import FAST_QUERIES
from tests.engine.table_requests import Document, create, definitions, index, projection

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


def _fast_paths(engine: Engine) -> dict[Any, Any]:
    return engine.catalog.require("table").query_fast_paths


@given(conditions, values, plain, options)
def test_the_fast_path_of_query_ranges_returns_the_same_result_as_the_full_check(
    engine: Engine, condition: str, values: Document, plain: Document, options: Document
) -> None:
    _fast_paths(engine).clear()
    expected = _answer(engine, _query(condition, values, options))
    _fast_paths(engine).clear()
    # the request may create a fast path
    _answer(engine, _query(condition, _used(condition, plain), {**options, "Limit": 1}))
    assert _answer(engine, _query(condition, values, options)) == expected


@given(conditions, plain, plain, options)
def test_the_fast_path_of_query_ranges_agrees_for_almost_valid_values(
    engine: Engine, condition: str, first: Document, second: Document, options: Document
) -> None:
    _fast_paths(engine).clear()
    expected = _answer(engine, _query(condition, _used(condition, second), options))
    _fast_paths(engine).clear()
    _answer(engine, _query(condition, _used(condition, first), options))
    assert _answer(engine, _query(condition, _used(condition, second), options)) == expected


@pytest.mark.parametrize("condition", CONDITIONS[:11])
def test_query_ranges_have_a_fast_path_for_simple_queries(engine: Engine, condition: str) -> None:
    _fast_paths(engine).clear()
    values = {":p": {"S": "a"}, ":s": {"S": "a"}, ":t": {"S": "b"}}
    hits, misses = FAST_QUERIES.hits, FAST_QUERIES.misses
    for _ in range(2):
        assert _answer(engine, _query(condition, _used(condition, values)))[0] == 200
    assert len(_fast_paths(engine)) == 1
    assert (FAST_QUERIES.hits - hits, FAST_QUERIES.misses - misses) == (1, 1)


@pytest.mark.parametrize("condition", CONDITIONS[11:])
def test_query_ranges_have_no_fast_path_for_other_queries(engine: Engine, condition: str) -> None:
    _fast_paths(engine).clear()
    _answer(engine, _query(condition, _used(condition, {":p": {"S": "a"}, ":s": {"S": "a"}})))
    assert not _fast_paths(engine)


def test_query_ranges_of_generated_queries_do_not_fill_the_memory(engine: Engine) -> None:
    _fast_paths(engine).clear()
    for number in range(300):
        assert _answer(engine, _query(f"pk = :p{number}", {f":p{number}": {"S": "a"}}))[0] == 200
    assert len(_fast_paths(engine)) == 256
    _fast_paths(engine).clear()
    long = ":" + "p" * 250
    assert _answer(engine, _query("pk = " + " " * 2048 + long, {long: {"S": "a"}}))[0] == 200
    assert not _fast_paths(engine)


def test_the_fast_path_of_query_ranges_notices_an_index_dropped_by_another_process(tmp_path: Path) -> None:
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
