"""TransactWriteItems: all actions are done, or none, and each has its reason."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.actions.conditions import FAILS, HOLDS, OLD, conditional
from tests.engine.tables import (
    Document,
    create_hash,
    create_indexed,
    get,
    item,
    put,
    refused,
    scan,
    texts,
    told_fields,
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
    """The reasons of a transaction that must not succeed, whose codes its words repeat in order."""
    refusal = refused(engine, "TransactWriteItems", {"TransactItems": list(actions), **parameters})
    assert refusal.code == "TransactionCanceledException", refusal
    reasons: list[Document] = told_fields(refusal)["CancellationReasons"]
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
    """The items of the table `hash` as `n` by key."""
    return {each["pk"]["S"]: each.get("n", {"N": ""})["N"] for each in scan(engine, "hash")["Items"]}


def test_every_kind_of_action_is_done_at_once(filled: Engine) -> None:
    answer = transact(
        filled,
        putting(item(pk="new", n=7)),
        updating(texts(pk="one"), "SET n = n + :n", ExpressionAttributeValues=values(n=4)),
        deleting(texts(pk="two")),
        checking(texts(pk="three"), "n = :n", ExpressionAttributeValues=values(n=1)),
    )
    assert answer == {}
    assert contents(filled) == {"new": "7", "one": "5", "three": "1"}


def test_several_tables_are_written_at_once(filled: Engine) -> None:
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
def test_nothing_is_done_when_one_condition_fails(filled: Engine, failing: Document) -> None:
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


def test_every_action_that_fails_has_its_reason_in_order(filled: Engine) -> None:
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
def test_a_condition_that_holds_lets_a_transaction_through(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    parameters = conditional(condition)
    transact(engine, checking(KEY, parameters.pop("ConditionExpression"), "table", **parameters))
    assert get(engine, KEY) == OLD


@pytest.mark.parametrize("condition", FAILS)
def test_a_condition_that_fails_cancels_a_transaction(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    assert cancelled(engine, deleting(KEY, "table", **conditional(condition))) == [FAILED]
    assert get(engine, KEY) == OLD


@pytest.mark.parametrize(("asked", "told"), [("ALL_OLD", {"Item": item(pk="one", n=1)}), ("NONE", {}), (None, {})])
@pytest.mark.parametrize("kind", ["put", "update", "delete", "check"])
def test_a_reason_has_the_item_when_asked(filled: Engine, kind: str, asked: str | None, told: Document) -> None:
    key, condition = texts(pk="one"), "attribute_not_exists(pk)"
    told_old: Document = {"ReturnValuesOnConditionCheckFailure": asked}
    if_new: Document = {"ConditionExpression": condition, **told_old}
    actions = {
        "put": putting(key, **if_new),
        "update": updating(key, "REMOVE n", **if_new),
        "delete": deleting(key, **if_new),
        "check": checking(key, condition, **told_old),
    }
    assert cancelled(filled, actions[kind]) == [{**FAILED, **told}]


def test_a_reason_has_no_item_where_there_is_none(filled: Engine) -> None:
    more = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    assert cancelled(filled, checking(texts(pk="absent"), "attribute_exists(pk)", **more)) == [FAILED]


def test_indexes_follow_and_are_left_alone_when_it_is_cancelled(engine: Engine) -> None:
    create_indexed(engine, "indexed")
    transact(engine, putting(texts(pk="a", sk="1", gsiPk="g"), "indexed"))
    assert len(scan(engine, "indexed", IndexName="gsi")["Items"]) == 1
    cancelled(engine, deleting(KEY, "indexed"), checking(texts(pk="absent"), "attribute_exists(pk)"))
    assert len(scan(engine, "indexed", IndexName="gsi")["Items"]) == 1


def test_a_hundred_actions_are_done(engine: Engine) -> None:
    transact(engine, *(putting(texts(pk=f"{number:03}")) for number in range(100)))
    assert len(contents(engine)) == 100


class Clock:
    """Time that passes when it is told to."""

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


def test_a_transaction_with_a_token_is_done_once_in_ten_minutes(timed: Engine, clock: Clock) -> None:
    for seconds in (0, 1, 598, 0.9):
        clock.now += seconds
        assert transact(timed, ADD, ClientRequestToken="token") == {}
        assert contents(timed) == {"counter": "1"}
    clock.now += 0.1
    transact(timed, ADD, ClientRequestToken="token")
    assert contents(timed) == {"counter": "2"}


def test_another_token_or_none_is_another_transaction(timed: Engine) -> None:
    for parameters in ({"ClientRequestToken": "one"}, {"ClientRequestToken": "two"}, {}, {}):
        transact(timed, ADD, **parameters)
    assert contents(timed) == {"counter": "4"}


def test_one_token_for_two_transactions_is_refused(timed: Engine, clock: Clock) -> None:
    transact(timed, putting(item(pk="a", n=1)), ClientRequestToken="token")
    request = {"TransactItems": [putting(item(pk="a", n=2))], "ClientRequestToken": "token"}
    assert refused(timed, "TransactWriteItems", request).code == "IdempotentParameterMismatchException"
    assert contents(timed) == {"a": "1"}
    clock.now += 600
    timed.call("TransactWriteItems", request)
    assert contents(timed) == {"a": "2"}


def test_a_cancelled_transaction_leaves_its_token_free(timed: Engine) -> None:
    check = checking(texts(pk="a"), "attribute_exists(pk)")
    cancelled(timed, ADD, check, ClientRequestToken="token")
    put(timed, texts(pk="a"), "hash")
    transact(timed, ADD, check, ClientRequestToken="token")
    assert contents(timed)["counter"] == "1"


def test_a_replay_tells_the_units_of_reading(timed: Engine) -> None:
    large = putting(texts(pk="large", v="x" * 9000))
    asked = {"ClientRequestToken": "token", "ReturnConsumedCapacity": "TOTAL"}
    assert transact(timed, large, **asked)["ConsumedCapacity"] == [
        {"TableName": "hash", "CapacityUnits": 18.0, "WriteCapacityUnits": 18.0}
    ]
    assert transact(timed, large, **asked)["ConsumedCapacity"] == [
        {"TableName": "hash", "CapacityUnits": 6.0, "ReadCapacityUnits": 6.0}
    ]
    # What is told is asked for anew, and is no part of what the token stands for.
    assert transact(timed, large, ClientRequestToken="token") == {}


def test_a_conflict_can_be_made_to_happen(filled: Engine) -> None:
    filled.faults.conflicts_next = 1
    reasons = cancelled(filled, deleting(texts(pk="one")), deleting(texts(pk="two")))
    assert reasons == [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}, NONE]
    assert len(contents(filled)) == 3
    transact(filled, deleting(texts(pk="one")), deleting(texts(pk="two")))
    assert contents(filled) == {"three": "1"}


def units(amount: float) -> Document:
    return {"CapacityUnits": amount, "WriteCapacityUnits": amount}


@pytest.mark.parametrize(
    ("asked", "told"),
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
def test_a_transaction_consumes_double_on_tables_and_single_on_indexes(
    filled: Engine, asked: str | None, told: list[Document] | None
) -> None:
    create_indexed(filled, "indexed")
    put(filled, texts(pk="large", v="x" * 2000), "hash")
    answer = transact(
        filled,
        putting(texts(pk="a", sk="1", gsiPk="g", lsiSk="l"), "indexed"),
        checking(texts(pk="large"), "attribute_exists(pk)"),  # looks at two kilobytes
        deleting(texts(pk="absent")),
        updating(texts(pk="one"), "REMOVE n"),
        ReturnConsumedCapacity=asked,
    )
    assert answer.get("ConsumedCapacity") == told


@pytest.mark.parametrize("asked", ["SIZE", "NONE", None])
def test_sizes_of_collections_are_told_for_tables_with_local_indexes(engine: Engine, asked: str | None) -> None:
    create_indexed(engine, "indexed")
    answer = transact(engine, putting(KEY, "indexed"), putting(texts(pk="a")), ReturnItemCollectionMetrics=asked)
    told = {"indexed": [{"ItemCollectionKey": texts(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]}]}
    assert answer.get("ItemCollectionMetrics") == (told if asked == "SIZE" else None)
