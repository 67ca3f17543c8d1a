"""ListTables: the sorted names of all tables, in pages."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import Refused, assert_refused, create_hash, refusals

NAMES = ["Zebra", "alpha", "beta", "beta.2", "beta_2", "gamma"]  # in the order in which UTF-8 sorts them


@pytest.fixture
def engine(empty_engine: Engine) -> Engine:
    for name in reversed(NAMES):
        create_hash(empty_engine, name)
    return empty_engine


def test_list_tables_sorts_the_names(engine: Engine) -> None:
    assert engine.call("ListTables", {}) == {"TableNames": NAMES}


def test_list_tables_returns_no_names_for_a_store_without_tables(empty_engine: Engine) -> None:
    assert empty_engine.call("ListTables", {}) == {"TableNames": []}


@pytest.mark.parametrize("limit", range(1, 8))
def test_list_tables_returns_all_names_in_pages_of_any_length(engine: Engine, limit: int) -> None:
    names: list[str] = []
    start: dict[str, str] = {}
    while True:
        answer = engine.call("ListTables", {"Limit": limit, **start})
        assert len(answer["TableNames"]) <= limit
        names += answer["TableNames"]
        if "LastEvaluatedTableName" not in answer:
            break
        assert answer["LastEvaluatedTableName"] == names[-1]
        start = {"ExclusiveStartTableName": names[-1]}
    assert names == NAMES


@pytest.mark.parametrize("start", ["beta", "beta-never-there"])
def test_list_tables_may_start_a_page_after_a_missing_name(engine: Engine, start: str) -> None:
    names = engine.call("ListTables", {"ExclusiveStartTableName": start})["TableNames"]
    assert names == ["beta.2", "beta_2", "gamma"]


def test_list_tables_returns_pages_of_100_names_by_default(empty_engine: Engine) -> None:
    for number in range(101):
        create_hash(empty_engine, f"table{number:03}")
    answer = empty_engine.call("ListTables", {})
    assert len(answer["TableNames"]) == 100
    assert answer["LastEvaluatedTableName"] == "table099"


@refusals(
    Refused(
        "a limit of zero",
        {"Limit": 0},
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value "
        "greater than or equal to 1",
    ),
    Refused(
        "a limit over a hundred",
        {"Limit": 101},
        "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have value "
        "less than or equal to 100",
    ),
    Refused(
        "a start that is not a name",
        {"ExclusiveStartTableName": "a;"},
        "2 validation errors detected: Value 'a;' at 'exclusiveStartTableName' failed to satisfy constraint: Member "
        "must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'a;' at 'exclusiveStartTableName' failed to "
        "satisfy constraint: Member must have length greater than or equal to 3",
    ),
)
def test_list_tables_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "ListTables", row)
