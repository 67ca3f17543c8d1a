"""TransactWriteItems: invalid requests, and actions that cancel the transaction."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    INVALID,
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    create_indexed,
    error_fields,
    item,
    put,
    refusals,
    refused,
    scan,
    texts,
    values,
)

EMPTY = "One or more parameter values are not valid. "
EMPTY_KEY = f"{EMPTY}The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
NO_MATCH = "The provided key element does not match the schema"
A: Document = {"Put": {"TableName": "hash", "Item": texts(pk="a")}}


def transaction(*actions: Document) -> Document:
    return {"TransactItems": list(actions)}


def putting(item_: Document, table: str = "hash") -> Document:
    return {"Put": {"TableName": table, "Item": item_}}


def keyed(kind: str, key: Document, table: str = "hash") -> Document:
    """Return an update, delete or condition check of a key."""
    more = {
        "Update": {"UpdateExpression": "REMOVE v"},
        "Delete": {},
        "ConditionCheck": {"ConditionExpression": "attribute_not_exists(pk)"},
    }
    return {kind: {"TableName": table, "Key": key, **more[kind]}}


@refusals(
    Refused(
        "no actions",
        transaction(),
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have "
        "length greater than or equal to 1",
    ),
    Refused(
        "an action that is empty",
        transaction(A, {}),
        "TransactItems can only contain one of Check, Put, Update or Delete",
    ),
    Refused(
        "an action with two members",
        transaction({**A, **keyed("Delete", texts(pk="b"))}),
        "TransactItems can only contain one of Check, Put, Update or Delete",
    ),
    Refused(
        "one item twice",
        transaction(A, keyed("ConditionCheck", texts(pk="a"))),
        "Transaction request cannot include multiple operations on one item",
    ),
    Refused(
        "a missing table",
        transaction(A, putting(texts(pk="x"), "missing")),
        NOT_FOUND,
        "ResourceNotFoundException",
    ),
    Refused(
        "more than 4 MB",
        transaction(*(putting(texts(pk=f"{number:02}", v="x" * 399_995)) for number in range(12))),
        "Transaction payload size cannot exceed 4MB. Payload Size: 4400000",
    ),
    Refused(
        "an item that is too large",
        transaction(A, putting(texts(pk="b", v="x" * 409_600))),
        "Item size has exceeded the maximum allowed size",
    ),
    Refused(
        "an invalid value",
        transaction(A, putting({**texts(pk="b"), "v": {"SS": []}})),
        f"{INVALID}An string set  may not be empty",
    ),
    Refused(
        "an invalid condition",
        transaction(A, {"Delete": {"TableName": "hash", "Key": texts(pk="b"), "ConditionExpression": "v ="}}),
        'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="',
    ),
    Refused(
        "an invalid update",
        transaction(A, {"Update": {"TableName": "hash", "Key": texts(pk="b"), "UpdateExpression": ""}}),
        "Invalid UpdateExpression: The expression can not be empty;",
    ),
    Refused(
        "an unused value",
        transaction(
            {
                "Put": {
                    "TableName": "hash",
                    "Item": texts(pk="b"),
                    "ConditionExpression": "attribute_exists(pk)",
                    "ExpressionAttributeValues": values(unused="x"),
                }
            }
        ),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}",
    ),
    Refused("an empty key to put", transaction(A, putting(texts(pk=""))), EMPTY_KEY),
    Refused("an empty key to update", transaction(A, keyed("Update", texts(pk=""))), EMPTY_KEY),
    Refused("an empty key to delete", transaction(A, keyed("Delete", texts(pk=""))), EMPTY_KEY),
    Refused("an empty key to check", transaction(A, keyed("ConditionCheck", texts(pk=""))), EMPTY_KEY),
    Refused(
        "an empty key of an index to put",
        transaction(A, putting(texts(pk="a", sk="1", gsiPk=""), "indexed")),
        f"{EMPTY}A value specified for a secondary index key is not supported. The AttributeValue for a key attribute "
        "cannot contain an empty string value. IndexName: gsi, IndexKey: gsiPk",
    ),
    Refused(
        "an empty key of an index to update",
        transaction(
            A,
            {
                "Update": {
                    "TableName": "indexed",
                    "Key": texts(pk="a", sk="1"),
                    "UpdateExpression": "SET gsiPk = :v",
                    "ExpressionAttributeValues": values(v=""),
                }
            },
        ),
        f"{EMPTY}The update expression attempted to update a secondary index key to a value that is not supported. The "
        "AttributeValue for a key attribute cannot contain an empty string value.",
    ),
    Refused(
        "a long token",
        {**transaction(A), "ClientRequestToken": "x" * 37},
        f"1 validation error detected: Value '{'x' * 37}' at 'clientRequestToken' failed to satisfy constraint: Member "
        "must have length less than or equal to 36",
    ),
    Refused(
        "a check without a condition",
        transaction({"ConditionCheck": {"TableName": "hash", "Key": texts(pk="b")}}),
        "1 validation error detected: Value null at 'transactItems.1.member.conditionCheck.conditionExpression' failed "
        "to satisfy constraint: Member must not be null",
    ),
)
def test_transact_write_items_rejects_an_invalid_transaction_and_changes_nothing(engine: Engine, row: Refused) -> None:
    create_indexed(engine, "indexed")
    assert_refused(engine, "TransactWriteItems", row)
    assert scan(engine, "hash")["Items"] == scan(engine, "indexed")["Items"] == []


def test_transact_write_items_rejects_more_than_100_actions(engine: Engine) -> None:
    refusal = refused(engine, "TransactWriteItems", transaction(*(putting(texts(pk=f"{n}")) for n in range(101))))
    assert refusal.message.startswith("1 validation error detected: Value '[")
    assert refusal.message.endswith(
        "]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"
    )


def test_transact_write_items_rejects_more_than_4_mb(engine: Engine) -> None:
    def of(count: int) -> Document:
        return transaction(*(putting(texts(pk=f"{number}", v="x" * 350_000)) for number in range(count)))

    assert refused(engine, "TransactWriteItems", of(12)).code == "ValidationException"
    assert scan(engine, "hash", Select="COUNT")["Count"] == 0
    engine.call("TransactWriteItems", of(11))


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (putting(texts(v="v")), f"{INVALID}Missing the key pk in the item"),
        (putting(item(pk=1)), f"{INVALID}Type mismatch for key pk expected: S actual: N"),
        (keyed("Update", item(pk=1)), NO_MATCH),
        (keyed("Delete", texts(pk="b", sk="1")), NO_MATCH),
        (keyed("ConditionCheck", {"pk": {"BOOL": True}}), NO_MATCH),
        (
            putting(item(pk="a", sk="1", gsiPk=1), "indexed"),
            f"{INVALID}Type mismatch for Index Key gsiPk Expected: S Actual: N IndexName: gsi",
        ),
        (
            {"Update": {"TableName": "hash", "Key": texts(pk="b"), "UpdateExpression": "REMOVE pk"}},
            f"{INVALID}Cannot update attribute pk. This attribute is part of the key",
        ),
        (
            {"Update": {"TableName": "hash", "Key": texts(pk="b"), "UpdateExpression": "SET v.x = pk"}},
            "The document path provided in the update expression is invalid for update",
        ),
        (
            {
                "Update": {
                    "TableName": "hash",
                    "Key": texts(pk="b"),
                    "UpdateExpression": "SET v = :v",
                    "ExpressionAttributeValues": values(v="x" * 409_600),
                }
            },
            "Item size to update has exceeded the maximum allowed size",
        ),
    ],
)
def test_transact_write_items_returns_a_reason_for_an_action_that_does_not_fit_its_table(
    engine: Engine, action: Document, words: str
) -> None:
    create_indexed(engine, "indexed")
    refusal = refused(engine, "TransactWriteItems", transaction(A, action))
    assert refusal.code == "TransactionCanceledException"
    assert error_fields(refusal)["CancellationReasons"] == [
        {"Code": "None"},
        {"Code": "ValidationError", "Message": words},
    ]
    assert scan(engine, "hash")["Items"] == []


def test_transact_write_items_limits_the_size_of_an_update_to_that_of_a_put(engine: Engine) -> None:
    """UpdateItem has a lower limit (captured from AWS), because it also counts the changes."""
    update = {
        "TableName": "hash",
        "Key": texts(pk="k"),
        "UpdateExpression": "SET b = :v",
        "ExpressionAttributeValues": values(v="x" * (409_600 - 4)),
    }
    assert refused(engine, "UpdateItem", update).code == "ValidationException"
    engine.call("TransactWriteItems", transaction({"Update": update}))
    put(engine, texts(pk="l", b="x" * (409_600 - 4)), "hash")


def test_transact_write_items_gives_a_reason_only_for_the_first_invalid_action(engine: Engine) -> None:
    wrong = [{"Put": {"TableName": "table", "Item": {"pk": {"N": str(number)}, "sk": {"S": "1"}}}} for number in (7, 8)]
    good = {"Put": {"TableName": "table", "Item": texts(pk="a", sk="1")}}
    other = {"Put": {"TableName": "table", "Item": texts(pk="b", sk="1")}}
    refusal = refused(engine, "TransactWriteItems", {"TransactItems": [good, *wrong, other]})
    reasons = error_fields(refusal)["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ValidationError", "None", "None"]
    assert "Message" not in reasons[2]
