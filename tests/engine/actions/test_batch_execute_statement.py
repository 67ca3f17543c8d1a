"""BatchExecuteStatement: independent statements, each with its item or its error."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.partiql.statement_requests import batch, member, members
from tests.engine.table_requests import NOT_FOUND, Document, get, item, put, refused, texts

KEY_NEEDED = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: Expected data manipulation"


@pytest.fixture
def filled(engine: Engine) -> Engine:
    for key in ("one", "two"):
        put(engine, item(pk=key, n=1), "hash")
    put(engine, item(pk="a", sk="1", n=1))
    return engine


def responses(engine: Engine, *statements: str | Document) -> list[Document]:
    answer: list[Document] = batch(engine, *statements)["Responses"]
    return answer


def error(response: Document) -> tuple[str, str]:
    return response["Error"]["Code"], response["Error"]["Message"]


def words(engine: Engine, *statements: str | Document) -> str:
    refusal = refused(engine, "BatchExecuteStatement", {"Statements": members(*statements)})
    assert refusal.code == "ValidationException"
    return refusal.message


def test_batch_execute_statement_returns_items_in_the_order_of_the_statements(filled: Engine) -> None:
    assert responses(
        filled,
        "SELECT * FROM hash WHERE pk = 'two'",
        "SELECT n FROM \"table\" WHERE pk IN ['a'] AND sk = '1' AND 'a' = pk",
        member("SELECT pk FROM hash WHERE pk = ?", {"S": "absent"}),
    ) == [
        {"TableName": "hash", "Item": item(pk="two", n=1)},
        {"TableName": "table", "Item": {"n": {"N": "1"}}},
        {"TableName": "hash"},
    ]


def test_batch_execute_statement_runs_the_other_statements_after_a_failed_one(filled: Engine) -> None:
    answers = responses(
        filled,
        "INSERT INTO hash VALUE {'pk': 'new'}",
        "SLECT",
        "INSERT INTO hash VALUE {'pk': 'one'}",
        "UPDATE hash SET n = 7 WHERE pk = 'two' AND n = 9",
        "INSERT INTO absent VALUE {'pk': 'one'}",
        "DELETE FROM \"table\" WHERE pk = 'a' AND sk = '1' RETURNING ALL OLD *",
        "DELETE FROM hash WHERE n = 1",
        member("UPDATE hash SET n = ? WHERE pk = 'x'", {"SS": []}),
    )
    assert [error(each) if "Error" in each else None for each in answers] == [
        None,
        ("ValidationError", NOT_WELL_FORMED),
        ("DuplicateItem", "Duplicate primary key exists in table"),
        ("ConditionalCheckFailed", "The conditional request failed"),
        ("ResourceNotFound", NOT_FOUND),
        None,
        ("ValidationError", "Where clause does not contain a mandatory equality on all key attributes"),
        ("ValidationError", "One or more parameter values were invalid: An string set  may not be empty"),
    ]
    assert [each.get("TableName") for each in answers] == ["hash", None, "hash", "hash", None, "table", None, None]
    assert answers[5]["Item"] == item(pk="a", sk="1", n=1)
    assert get(filled, texts(pk="new"), "hash") == texts(pk="new")
    assert get(filled, texts(pk="two"), "hash") == item(pk="two", n=1)


def test_batch_execute_statement_fails_only_the_update_that_does_not_fit_its_item(filled: Engine) -> None:
    answers = responses(
        filled, "UPDATE hash SET n = n + absent WHERE pk = 'one'", "UPDATE hash SET n = 2 WHERE pk = 'two'"
    )
    does_not_exist = "The provided expression refers to an attribute that does not exist in the item"
    assert error(answers[0]) == ("ValidationError", does_not_exist)
    assert answers[0]["TableName"] == "hash"
    assert get(filled, texts(pk="two"), "hash") == item(pk="two", n=2)


def test_batch_execute_statement_returns_requested_values_as_the_item_of_a_response(filled: Engine) -> None:
    assert responses(filled, "UPDATE hash SET n = 2 WHERE pk = 'one' RETURNING MODIFIED NEW *") == [
        {"TableName": "hash", "Item": {"n": {"N": "2"}}}
    ]
    assert responses(filled, "UPDATE hash REMOVE n WHERE pk = 'one' RETURNING MODIFIED NEW *") == [
        {"TableName": "hash"}
    ]


def test_batch_execute_statement_may_return_the_item_of_a_failed_condition(filled: Engine) -> None:
    statement = "DELETE FROM hash WHERE pk = 'one' AND n = 9"
    (answer,) = responses(filled, member(statement, ReturnValuesOnConditionCheckFailure="ALL_OLD"))
    assert answer["Error"]["Item"] == item(pk="one", n=1)
    assert "Item" not in answer
    (answer,) = responses(filled, member(statement))
    assert "Item" not in answer["Error"]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM hash",
        "SELECT * FROM hash WHERE n = 1",
        "SELECT * FROM \"table\" WHERE pk = 'a'",
        "SELECT * FROM \"table\" WHERE pk = 'a' AND sk = '1' AND n = 1",
        "SELECT * FROM \"table\" WHERE pk = 'a' AND sk = '1' AND pk = 'b'",
        "SELECT * FROM \"table\" WHERE pk = 'a' AND sk > '1'",
        "SELECT * FROM \"table\" WHERE pk IN ['a', 'b'] AND sk = '1'",
        "SELECT * FROM \"table\".\"index\" WHERE pk = 'a' AND sk = '1'",
    ],
)
def test_batch_execute_statement_accepts_only_selects_by_exactly_the_key(filled: Engine, statement: str) -> None:
    bad, good = responses(filled, statement, "SELECT * FROM hash WHERE pk = 'two'")
    assert error(bad) == ("ValidationError", KEY_NEEDED)
    assert "TableName" not in bad
    assert good["Item"] == item(pk="two", n=1)


def test_batch_execute_statement_cannot_mix_reads_and_writes(filled: Engine) -> None:
    refusal = words(filled, "NONE", "SELECT * FROM hash WHERE pk = 'one'", "DELETE FROM hash WHERE pk = 'two'")
    assert refusal == "Read and write requests together in the same batch is not supported"
    assert get(filled, texts(pk="two"), "hash") is not None


def test_batch_execute_statement_rejects_a_repeated_item(filled: Engine) -> None:
    duplicates = "Provided list of item keys contains duplicates"
    insert, update = "INSERT INTO hash VALUE {'pk': 'new'}", "UPDATE hash SET n = 1 WHERE pk = 'new'"
    assert words(filled, "NONE", insert, update) == duplicates
    assert get(filled, texts(pk="new"), "hash") is None
    select = "SELECT * FROM hash WHERE pk = 'one'"
    assert words(filled, select, select) == duplicates


def test_batch_execute_statement_accepts_1_to_25_statements(filled: Engine) -> None:
    assert "Member must have length greater than or equal to 1" in words(filled)
    statements = [f"SELECT * FROM hash WHERE pk = '{number}'" for number in range(26)]
    assert "Member must have length less than or equal to 25" in words(filled, *statements)
    assert len(responses(filled, *statements[:25])) == 25


def test_batch_execute_statement_returns_consumed_capacity_per_table(filled: Engine) -> None:
    select = "SELECT * FROM hash WHERE pk = ?"
    answer = batch(
        filled,
        member(select, {"S": "one"}, ConsistentRead=True),
        member(select, {"S": "two"}),
        member("SELECT * FROM \"table\" WHERE pk = 'a' AND sk = '1'"),
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"] == [
        {"TableName": "hash", "CapacityUnits": 1.5},
        {"TableName": "table", "CapacityUnits": 0.5},
    ]
    answer = batch(filled, "DELETE FROM hash WHERE pk = 'one'", ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [{"TableName": "hash", "CapacityUnits": 1.0}]


def test_batch_execute_statement_returns_a_conflict_as_the_error_of_one_statement(filled: Engine) -> None:
    filled.faults.conflicts_next = 1
    first, second = responses(filled, "DELETE FROM hash WHERE pk = 'one'", "DELETE FROM hash WHERE pk = 'two'")
    assert error(first) == ("TransactionConflict", "Transaction is ongoing for the item")
    assert "Error" not in second
    assert get(filled, texts(pk="one"), "hash") is not None
