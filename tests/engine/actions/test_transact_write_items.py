"""TransactWriteItems: all actions or none, with cancellation reasons."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.actions.conditions import FAILS, HOLDS, OLD, conditional
from tests.engine.table_requests import (
    Document,
    create_hash,
    create_indexed,
    error_fields,
    get,
    item,
    put,
    refused,
    scan,
    texts,
    values,
)

KEY = texts(pk="a", sk="1")
NONE = {"Code": "None"}
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}


def putting(item_: Document, table: str = "hash", **more: Any) -> Document:
    return {"Put": {"TableName": table, "Item": item_, **more}}


def deleting(key: Document, table: str = "hash", **more: Any) -> Document:
    return {"Delete": {"TableName": table, "Key": key, **more}}


def updating(key: Document, expression: str, table: str = "hash", **more: Any) -> Document:
    return {"Update": {"TableName": table, "Key": key, "UpdateExpression": expression, **more}}


def checking(key: Document, condition: str, table: str = "hash", **more: Any) -> Document:
    return {"ConditionCheck": {"TableName": table, "Key": key, "ConditionExpression": condition, **more}}


def transact(engine: Engine, *actions: Document, **parameters: Any) -> Document:
    return engine.call("TransactWriteItems", {"TransactItems": list(actions), **parameters})


def cancelled(engine: Engine, *actions: Document, **parameters: Any) -> list[Document]:
    """Return the cancellation reasons of a failed transaction. The message repeats their codes in order."""
    refusal = refused(engine, "TransactWriteItems", {"TransactItems": list(actions), **parameters})
    assert refusal.code == "TransactionCanceledException", refusal
    reasons: list[Document] = error_fields(refusal)["CancellationReasons"]
    codes = ", ".join(reason["Code"] for reason in reasons)
    words = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    assert refusal.message == words
    return reasons


@pytest.fixture
def filled(engine: Engine) -> Engine:
    for key in ("one", "two", "three"):
        put(engine, item(pk=key, n=1), "hash")
    return engine


def contents(engine: Engine) -> dict[str, str]:
    """Return `n` by key for the items of the table `hash`."""
    return {each["pk"]["S"]: each.get("n", {"N": ""})["N"] for each in scan(engine, "hash")["Items"]}


def test_transact_write_items_does_all_kinds_of_actions_atomically(filled: Engine) -> None:
    answer = transact(
        filled,
        putting(item(pk="new", n=7)),
        updating(texts(pk="one"), "SET n = n + :n", ExpressionAttributeValues=values(n=4)),
        deleting(texts(pk="two")),
        checking(texts(pk="three"), "n = :n", ExpressionAttributeValues=values(n=1)),
    )
    assert answer == {}
    assert contents(filled) == {"new": "7", "one": "5", "three": "1"}


def test_transact_write_items_writes_several_tables_atomically(filled: Engine) -> None:
    transact(filled, putting(KEY, "table"), deleting(texts(pk="one")))
    assert get(filled, KEY) == KEY
    assert "one" not in contents(filled)


@pytest.mark.parametrize(
    "failing",
    [
        putting(item(pk="two", n=9), ConditionExpression="attribute_not_exists(pk)"),
        updating(texts(pk="two"), "REMOVE n", ConditionExpression="attribute_not_exists(n)"),
        updating(texts(pk="absent"), "SET x = pk", ConditionExpression="attribute_exists(pk)"),
        deleting(texts(pk="two"), ConditionExpression="attribute_not_exists(pk)"),
        checking(texts(pk="absent"), "attribute_exists(pk)"),
    ],
    ids=["put", "update", "update of nothing", "delete", "check"],
)
def test_transact_write_items_cancels_all_actions_if_one_condition_fails(filled: Engine, failing: Document) -> None:
    before = contents(filled)
    reasons = cancelled(
        filled,
        putting(item(pk="new", n=1)),
        failing,
        deleting(texts(pk="three")),
        updating(texts(pk="one"), "ADD n :n", ExpressionAttributeValues=values(n=1)),
    )
    assert reasons == [NONE, FAILED, NONE, NONE]
    assert contents(filled) == before


def test_transact_write_items_returns_the_reason_of_every_failed_action_in_order(filled: Engine) -> None:
    reasons = cancelled(
        filled,
        checking(texts(pk="absent"), "attribute_exists(pk)"),
        putting(item(pk="new", n=1)),
        updating(texts(pk="one"), "SET n = absent"),
        putting(item(pk="two", n=1), ConditionExpression="attribute_not_exists(pk)"),
    )
    missing = "The provided expression refers to an attribute that does not exist in the item"
    assert reasons == [FAILED, NONE, {"Code": "ValidationError", "Message": missing}, FAILED]


@pytest.mark.parametrize("condition", HOLDS)
def test_transact_write_items_succeeds_if_its_condition_holds(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    parameters = conditional(condition)
    transact(engine, checking(KEY, parameters.pop("ConditionExpression"), "table", **parameters))
    assert get(engine, KEY) == OLD


@pytest.mark.parametrize("condition", FAILS)
def test_transact_write_items_is_cancelled_by_a_failed_condition(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    assert cancelled(engine, deleting(KEY, "table", **conditional(condition))) == [FAILED]
    assert get(engine, KEY) == OLD


@pytest.mark.parametrize(
    ("requested", "expected"), [("ALL_OLD", {"Item": item(pk="one", n=1)}), ("NONE", {}), (None, {})]
)
@pytest.mark.parametrize("kind", ["put", "update", "delete", "check"])
def test_transact_write_items_returns_the_item_in_a_reason_on_request(
    filled: Engine, kind: str, requested: str | None, expected: Document
) -> None:
    key, condition = texts(pk="one"), "attribute_not_exists(pk)"
    told_old: Document = {"ReturnValuesOnConditionCheckFailure": requested}
    if_new: Document = {"ConditionExpression": condition, **told_old}
    actions = {
        "put": putting(key, **if_new),
        "update": updating(key, "REMOVE n", **if_new),
        "delete": deleting(key, **if_new),
        "check": checking(key, condition, **told_old),
    }
    assert cancelled(filled, actions[kind]) == [{**FAILED, **expected}]


def test_transact_write_items_returns_no_missing_item_in_a_reason(filled: Engine) -> None:
    more = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    assert cancelled(filled, checking(texts(pk="absent"), "attribute_exists(pk)", **more)) == [FAILED]


def test_transact_write_items_updates_indexes_unless_it_is_cancelled(engine: Engine) -> None:
    create_indexed(engine, "indexed")
    transact(engine, putting(texts(pk="a", sk="1", gsiPk="g"), "indexed"))
    assert len(scan(engine, "indexed", IndexName="gsi")["Items"]) == 1
    cancelled(engine, deleting(KEY, "indexed"), checking(texts(pk="absent"), "attribute_exists(pk)"))
    assert len(scan(engine, "indexed", IndexName="gsi")["Items"]) == 1


def test_transact_write_items_does_100_actions(engine: Engine) -> None:
    transact(engine, *(putting(texts(pk=f"{number:03}")) for number in range(100)))
    assert len(contents(engine)) == 100


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(clock: Clock) -> Any:
    with Engine(now=clock) as engine:
        create_hash(engine)
        yield engine


ADD = updating(texts(pk="counter"), "ADD n :n", ExpressionAttributeValues=values(n=1))


def test_transact_write_items_is_idempotent_by_its_token_for_ten_minutes(timed: Engine, clock: Clock) -> None:
    for seconds in (0, 1, 598, 0.9):
        clock.now += seconds
        assert transact(timed, ADD, ClientRequestToken="token") == {}
        assert contents(timed) == {"counter": "1"}
    clock.now += 0.1
    transact(timed, ADD, ClientRequestToken="token")
    assert contents(timed) == {"counter": "2"}


def test_transact_write_items_with_another_token_or_none_is_another_transaction(timed: Engine) -> None:
    for parameters in ({"ClientRequestToken": "one"}, {"ClientRequestToken": "two"}, {}, {}):
        transact(timed, ADD, **parameters)
    assert contents(timed) == {"counter": "4"}


def test_transact_write_items_rejects_a_token_reused_for_another_transaction(timed: Engine, clock: Clock) -> None:
    transact(timed, putting(item(pk="a", n=1)), ClientRequestToken="token")
    request = {"TransactItems": [putting(item(pk="a", n=2))], "ClientRequestToken": "token"}
    assert refused(timed, "TransactWriteItems", request).code == "IdempotentParameterMismatchException"
    assert contents(timed) == {"a": "1"}
    clock.now += 600
    timed.call("TransactWriteItems", request)
    assert contents(timed) == {"a": "2"}


def test_transact_write_items_does_not_use_its_token_if_it_is_cancelled(timed: Engine) -> None:
    check = checking(texts(pk="a"), "attribute_exists(pk)")
    cancelled(timed, ADD, check, ClientRequestToken="token")
    put(timed, texts(pk="a"), "hash")
    transact(timed, ADD, check, ClientRequestToken="token")
    assert contents(timed)["counter"] == "1"


def test_transact_write_items_returns_read_units_if_it_is_repeated(timed: Engine) -> None:
    large = putting(texts(pk="large", v="x" * 9000))
    requested = {"ClientRequestToken": "token", "ReturnConsumedCapacity": "TOTAL"}
    assert transact(timed, large, **requested)["ConsumedCapacity"] == [
        {"TableName": "hash", "CapacityUnits": 18.0, "WriteCapacityUnits": 18.0}
    ]
    assert transact(timed, large, **requested)["ConsumedCapacity"] == [
        {"TableName": "hash", "CapacityUnits": 6.0, "ReadCapacityUnits": 6.0}
    ]
    # ReturnConsumedCapacity may differ between two uses of a token.
    assert transact(timed, large, ClientRequestToken="token") == {}


def test_transact_write_items_returns_a_simulated_transaction_conflict(filled: Engine) -> None:
    filled.faults.conflicts_next = 1
    reasons = cancelled(filled, deleting(texts(pk="one")), deleting(texts(pk="two")))
    assert reasons == [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}, NONE]
    assert len(contents(filled)) == 3
    transact(filled, deleting(texts(pk="one")), deleting(texts(pk="two")))
    assert contents(filled) == {"three": "1"}


def units(amount: float) -> Document:
    return {"CapacityUnits": amount, "WriteCapacityUnits": amount}


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("TOTAL", [{"TableName": "hash", **units(8.0)}, {"TableName": "indexed", **units(4.0)}]),
        (
            "INDEXES",
            [
                {"TableName": "hash", **units(8.0), "Table": units(8.0)},
                {
                    "TableName": "indexed",
                    **units(4.0),
                    "Table": units(2.0),
                    "GlobalSecondaryIndexes": {"gsi": units(1.0)},
                    "LocalSecondaryIndexes": {"lsi": units(1.0)},
                },
            ],
        ),
        ("NONE", None),
        (None, None),
    ],
)
def test_transact_write_items_consumes_double_units_of_tables_and_single_units_of_indexes(
    filled: Engine, requested: str | None, expected: list[Document] | None
) -> None:
    create_indexed(filled, "indexed")
    put(filled, texts(pk="large", v="x" * 2000), "hash")
    answer = transact(
        filled,
        putting(texts(pk="a", sk="1", gsiPk="g", lsiSk="l"), "indexed"),
        checking(texts(pk="large"), "attribute_exists(pk)"),  # reads two kilobytes
        deleting(texts(pk="absent")),
        updating(texts(pk="one"), "REMOVE n"),
        ReturnConsumedCapacity=requested,
    )
    assert answer.get("ConsumedCapacity") == expected


@pytest.mark.parametrize("requested", ["SIZE", "NONE", None])
def test_transact_write_items_returns_item_collection_metrics_for_local_indexes(
    engine: Engine, requested: str | None
) -> None:
    create_indexed(engine, "indexed")
    answer = transact(engine, putting(KEY, "indexed"), putting(texts(pk="a")), ReturnItemCollectionMetrics=requested)
    expected = {"indexed": [{"ItemCollectionKey": texts(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]}]}
    assert answer.get("ItemCollectionMetrics") == (expected if requested == "SIZE" else None)
