"""ExecuteTransaction: atomic writes, or reads of one snapshot."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.partiql.statement_requests import member, members, transaction
from tests.engine.table_requests import INVALID, NOT_FOUND, Document, error_fields, get, item, put, refused, texts

NONE = {"Code": "None"}
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
DUPLICATE = {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}
MISMATCH = {"Code": "ValidationError", "Message": "The provided key element does not match the schema"}
IN_FIRST = "Validation failed in TransactStatements[0]: "
UPDATE_TWO = "UPDATE hash SET n = 2 WHERE pk = 'two'"


@pytest.fixture
def filled(engine: Engine) -> Engine:
    for key in ("one", "two"):
        put(engine, item(pk=key, n=1), "hash")
    put(engine, item(pk="a", sk="1", n=1))
    return engine


def cancelled(engine: Engine, *statements: str | Document) -> list[Document]:
    refusal = refused(engine, "ExecuteTransaction", {"TransactStatements": members(*statements)})
    assert refusal.code == "TransactionCanceledException", refusal
    reasons: list[Document] = error_fields(refusal)["CancellationReasons"]
    assert refusal.message.endswith(f"[{', '.join(reason['Code'] for reason in reasons)}]")
    return reasons


def words(engine: Engine, *statements: str | Document, **options: Any) -> str:
    refusal = refused(engine, "ExecuteTransaction", {"TransactStatements": members(*statements), **options})
    assert refusal.code == "ValidationException", refusal
    return refusal.message


def two(engine: Engine) -> Document | None:
    return get(engine, texts(pk="two"), "hash")


def test_execute_transaction_does_all_kinds_of_writes_atomically(filled: Engine) -> None:
    answer = transaction(
        filled,
        "INSERT INTO hash VALUE {'pk': 'new'}",
        member("UPDATE hash SET n = n + ? WHERE pk = 'two'", {"N": "4"}),
        "DELETE FROM \"table\" WHERE pk = 'a' AND sk = '1'",
        "EXISTS(SELECT * FROM hash WHERE pk = 'one' AND absent IS MISSING)",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer == {
        "Responses": [{}, {}, {}, {}],
        "ConsumedCapacity": [
            {"TableName": "hash", "CapacityUnits": 6.0, "WriteCapacityUnits": 6.0},
            {"TableName": "table", "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0},
        ],
    }
    assert get(filled, texts(pk="new"), "hash") == texts(pk="new")
    assert two(filled) == item(pk="two", n=5)
    assert get(filled, texts(pk="a", sk="1")) is None


@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        ("INSERT INTO hash VALUE {'pk': 'one'}", DUPLICATE),
        ("UPDATE hash SET n = 5 WHERE pk = 'absent'", FAILED),
        ("DELETE FROM hash WHERE pk = 'one' AND n = 5", FAILED),
        ("EXISTS(SELECT * FROM hash WHERE pk = 'one' AND n = 5)", FAILED),
        ("EXISTS(SELECT * FROM hash WHERE pk = 'absent' AND n IS MISSING)", FAILED),
        ("EXISTS(SELECT * FROM hash WHERE pk = 'one' AND pk = 'other' AND n = 1)", FAILED),
        (
            "UPDATE hash SET n = absent WHERE pk = 'one'",
            {
                "Code": "ValidationError",
                "Message": "The provided expression refers to an attribute that does not exist in the item",
            },
        ),
    ],
)
def test_execute_transaction_cancels_all_statements_if_one_fails(
    filled: Engine, failing: str, reason: Document
) -> None:
    assert cancelled(filled, UPDATE_TWO, failing) == [NONE, reason]
    assert two(filled) == item(pk="two", n=1)


def test_execute_transaction_may_return_the_item_of_a_failed_condition(filled: Engine) -> None:
    statement = "DELETE FROM hash WHERE pk = 'one' AND n = 5"
    (reason,) = cancelled(filled, member(statement, ReturnValuesOnConditionCheckFailure="ALL_OLD"))
    assert reason == {**FAILED, "Item": item(pk="one", n=1)}


def test_execute_transaction_reads_items_in_the_order_of_the_statements(filled: Engine) -> None:
    answer = transaction(
        filled,
        "SELECT * FROM hash WHERE pk = 'two'",
        "SELECT n FROM \"table\" WHERE (sk = '1') AND pk IN ['a'] AND pk = 'a'",
        "SELECT * FROM hash WHERE pk = 'absent'",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["Responses"] == [{"Item": item(pk="two", n=1)}, {"Item": {"n": {"N": "1"}}}, {}]
    assert answer["ConsumedCapacity"][0] == {"TableName": "hash", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}


KEY_NEEDED = "Select statements within ExecuteTransaction must specify the primary key in the where clause."
EXISTS_NEEDS = "EXISTS() must contain a single item read with additional condition"


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("SELECT * FROM hash WHERE", "Statement wasn't well formed, can't be processed: Unexpected term"),
        ("SELECT * FROM hash", KEY_NEEDED),
        ("SELECT * FROM hash WHERE pk = 'one' AND n = 1", KEY_NEEDED),
        ("SELECT * FROM hash WHERE pk IN ['other'] AND pk = 'one'", KEY_NEEDED),
        ("SELECT * FROM \"table\" WHERE pk = 'a'", KEY_NEEDED),
        ("SELECT * FROM hash.i WHERE pk = 'one'", "Reads on indices are not supported within transactions."),
        ("UPDATE hash.i SET n = 1 WHERE pk = 'one'", "This operation is not supported on an index"),
        (
            "UPDATE hash SET n = 1 WHERE pk = 'one' RETURNING ALL NEW *",
            "RETURNING clause is not supported in ExecuteTransaction.",
        ),
        ("EXISTS(SELECT * FROM hash WHERE pk = 'one')", EXISTS_NEEDS),
        ("EXISTS(SELECT * FROM hash WHERE n = 1)", EXISTS_NEEDS),
        ("EXISTS(SELECT * FROM hash WHERE pk IN ['one'] AND n = 1)", EXISTS_NEEDS),
        (
            "UPDATE hash SET n = n + [1] WHERE pk = 'one'",
            "Incorrect operand type for operator or function; operator or function: +, operand type: L",
        ),
        ("UPDATE hash SET n = ? WHERE pk = 'one'", "Number of parameters in request and statement don't match."),
    ],
)
def test_execute_transaction_reports_an_unsupported_statement_with_its_number(
    filled: Engine, statement: str, refusal: str
) -> None:
    assert words(filled, statement) == IN_FIRST + refusal


def test_execute_transaction_cannot_mix_reads_and_writes(filled: Engine) -> None:
    refusal = "ExecuteTransaction API does not support both read and write operations in the same request."
    assert words(filled, "SELECT * FROM hash WHERE pk = 'one'", UPDATE_TWO) == refusal


def test_execute_transaction_checks_parameters_before_it_parses_any_statement(filled: Engine) -> None:
    refusal = words(filled, "NONE", member(UPDATE_TWO, {"SS": ["a", "a"]}))
    assert refusal == f"{INVALID}Input collection [a, a] contains duplicates."


def test_execute_transaction_reports_a_missing_table_before_other_errors_of_its_statement(filled: Engine) -> None:
    missing = {"Code": "ResourceNotFound", "Message": NOT_FOUND}
    assert cancelled(filled, UPDATE_TWO, "DELETE FROM absent WHERE pk = 'x' RETURNING ALL OLD *") == [NONE, missing]
    assert cancelled(filled, "SELECT * FROM absent.i WHERE pk = 'x'") == [missing]
    refusal = words(filled, "DELETE FROM absent WHERE pk = 'x'", f"{UPDATE_TWO} RETURNING ALL NEW *")
    assert refusal.startswith("Validation failed in TransactStatements[1]: RETURNING")


def test_execute_transaction_gives_a_reason_for_a_write_that_does_not_name_one_item(filled: Engine) -> None:
    update = 'UPDATE "table" SET n = 1 WHERE'
    reasons = cancelled(
        filled,
        f"{update} pk = 'a'",
        f"{update} pk IN ['a'] AND sk = '1'",
        f"{update} pk = 'a' AND sk = 1",
        "INSERT INTO \"table\" VALUE {'pk': 'b'}",
        UPDATE_TWO,
    )
    lacking = {"Code": "ValidationError", "Message": f"{INVALID}Missing the key sk in the item"}
    assert reasons == [MISMATCH, MISMATCH, MISMATCH, lacking, NONE]
    assert cancelled(filled, "SELECT * FROM \"table\" WHERE pk = 'a' AND sk = 1") == [MISMATCH]


def test_execute_transaction_rejects_a_repeated_item(filled: Engine) -> None:
    twice = "Transaction request cannot include multiple operations on one item"
    assert words(filled, UPDATE_TWO, "EXISTS(SELECT * FROM hash WHERE pk = 'two' AND n = 1)") == twice
    select = "SELECT * FROM hash WHERE pk = 'one'"
    assert words(filled, select, "SELECT n FROM hash WHERE 'one' = pk") == twice
    assert cancelled(filled, select, select, "SELECT * FROM hash WHERE pk = 1") == [NONE, NONE, MISMATCH]


def test_execute_transaction_accepts_1_to_100_statements(filled: Engine) -> None:
    assert "Member must have length greater than or equal to 1" in words(filled)
    inserts = [f"INSERT INTO hash VALUE {{'pk': '{number}'}}" for number in range(101)]
    assert "Member must have length less than or equal to 100" in words(filled, *inserts)
    assert len(transaction(filled, *inserts[:100])["Responses"]) == 100


def test_execute_transaction_runs_once_for_a_repeated_token(filled: Engine) -> None:
    options = {"ClientRequestToken": "token", "ReturnConsumedCapacity": "TOTAL"}
    update = "UPDATE hash SET n = n + 1 WHERE pk = 'two'"
    first, second = transaction(filled, update, **options), transaction(filled, update, **options)
    assert first["ConsumedCapacity"] == [{"TableName": "hash", "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0}]
    assert second["ConsumedCapacity"] == [{"TableName": "hash", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}]
    assert two(filled) == item(pk="two", n=2)
    other = {"TransactStatements": members(UPDATE_TWO), **options}
    assert refused(filled, "ExecuteTransaction", other).code == "IdempotentParameterMismatchException"


def test_execute_transaction_is_cancelled_by_a_simulated_conflict(filled: Engine) -> None:
    filled.faults.conflicts_next = 1
    reasons = cancelled(filled, UPDATE_TWO, "DELETE FROM hash WHERE pk = 'one'")
    assert reasons == [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}, NONE]


def test_execute_transaction_shares_its_tokens_with_transact_write_items(filled: Engine) -> None:
    transaction(filled, UPDATE_TWO, ClientRequestToken="shared")
    delete = {"Delete": {"TableName": "hash", "Key": texts(pk="one")}}
    request = {"TransactItems": [delete], "ClientRequestToken": "shared"}
    assert refused(filled, "TransactWriteItems", request).code == "IdempotentParameterMismatchException"
