"""The oracle agrees with the documentation and with published captures of DynamoDB."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.oracle.oracle_conditions import (
    At,
    BeginsWith,
    Both,
    Compare,
    Condition,
    Contains,
    Exists,
    KeyCondition,
    Literal,
    Not,
    Size,
    printed,
)
from tests.engine.oracle.oracle_dynamodb import Answer, OracleDynamoDB, Refused
from tests.engine.oracle.oracle_table import OracleIndex, OracleTable
from tests.engine.oracle.oracle_updates import Arithmetic, IfNotExists, ListAppend, New, Old, Projection, Update
from tests.engine.oracle.oracle_values import Invalid, Item, Value, number_size, parts


def text(value: str) -> Value:
    return {"S": value}


def texts(*values: str) -> Value:
    return {"L": [text(value) for value in values]}


def table() -> OracleTable:
    """Return the table of the published captures: an index that includes `proj`, and a local one of everything."""
    plain = OracleTable("t", "pk", "sk", dict.fromkeys(("pk", "sk", "gsiPk", "lsiSk"), "S"))
    plain.indexes["gsi"] = OracleIndex("gsi", ("gsiPk",), (), "INCLUDE", ("proj",))
    plain.indexes["lsi"] = OracleIndex("lsi", ("pk",), ("lsiSk",), "ALL", is_local=True)
    return plain


@pytest.fixture
def plain() -> OracleDynamoDB:
    database = OracleDynamoDB(lambda: 0.0)
    database.tables["t"] = table()
    return database


def put(plain: OracleDynamoDB, item: dict[str, str], **more: Any) -> Answer:
    written: Item = {name: text(value) for name, value in item.items()}
    return plain.answer("PutItem", {"TableName": "t", "Item": written, "ReturnConsumedCapacity": "INDEXES", **more})


def units(answer: Answer) -> tuple[float, float | None, float | None]:
    consumed = answer["ConsumedCapacity"]
    nothing = {"gsi": {"CapacityUnits": None}, "lsi": {"CapacityUnits": None}}
    indexes = nothing | consumed.get("GlobalSecondaryIndexes", {}) | consumed.get("LocalSecondaryIndexes", {})
    return consumed["Table"]["CapacityUnits"], indexes["gsi"]["CapacityUnits"], indexes["lsi"]["CapacityUnits"]


@pytest.mark.parametrize(
    ("number", "size"),
    [("0", 1), ("1", 2), ("123", 3), ("100", 2), ("1010", 3), ("100.5", 4), ("0.0000001", 2), ("-42", 3), ("1E125", 2)],
)
def test_the_oracle_gives_numbers_the_captured_sizes(number: str, size: int) -> None:
    assert number_size(number) == size


BASE = {"pk": "b", "sk": "1", "gsiPk": "g", "lsiSk": "L1", "proj": "p", "other": "o"}


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        (Update(sets=((("other",), New(text("o2"))),)), (1, None, 1)),
        (Update(sets=((("proj",), New(text("p2"))),)), (1, 1, 1)),
        (Update(sets=((("gsiPk",), New(text("g2"))),)), (1, 2, 1)),
        (Update(removes=(("gsiPk",),)), (1, 1, 1)),
        (Update(sets=((("lsiSk",), New(text("L2"))),)), (1, None, 2)),
    ],
)
def test_the_oracle_consumes_the_captured_units_for_updates(
    plain: OracleDynamoDB, update: Update, expected: tuple[float, float | None, float | None]
) -> None:
    assert units(put(plain, BASE)) == (1, 1, 1)
    key = {"pk": text("b"), "sk": text("1")}
    request = {"TableName": "t", "Key": key, "UpdateExpression": update, "ReturnConsumedCapacity": "INDEXES"}
    assert units(plain.answer("UpdateItem", request)) == expected


def test_the_oracle_charges_a_put_for_the_larger_image_and_not_for_unchanged_entries(plain: OracleDynamoDB) -> None:
    large = {"pk": "a", "sk": "1", "gsiPk": "g", "proj": "x" * 3000}
    assert units(put(plain, large)) == (3, 3, None)
    assert units(put(plain, large)) == (3, None, None)
    assert units(put(plain, {**large, "proj": "p"})) == (3, 3, None)


LIST = {"l": texts("a", "b", "c", "d", "e")}


@pytest.mark.parametrize(
    ("update", "after"),
    [
        (Update(removes=(("l", 1), ("l", 2))), texts("a", "d", "e")),
        (
            Update(sets=((("l", 9), New(text("y"))), (("l", 7), New(text("x"))))),
            texts("a", "b", "c", "d", "e", "x", "y"),
        ),
        (Update(sets=((("l", 2), New(text("x"))),), removes=(("l", 0),)), texts("b", "x", "d", "e")),
        (Update(sets=((("l",), ListAppend(New(texts("x")), Old(("l",)))),)), texts("x", "a", "b", "c", "d", "e")),
    ],
)
def test_the_oracle_takes_list_positions_from_the_item_before_the_update(update: Update, after: Value) -> None:
    assert update.applied(LIST)["l"] == after


def test_the_oracle_reads_operands_from_the_item_before_the_update() -> None:
    update = Update(
        sets=(
            (("a",), Arithmetic("+", Old(("a",)), New({"N": "1"}))),
            (("b",), Old(("a",))),
            (("c",), IfNotExists(("c",), Old(("a",)))),
        )
    )
    assert update.applied({"a": {"N": "1.0"}}) == {"a": {"N": "2"}, "b": {"N": "1"}, "c": {"N": "1"}}


def test_the_oracle_removes_a_set_with_its_last_member() -> None:
    update = Update(adds=((("n",), {"N": "5"}),), deletes=((("s",), {"SS": ["a", "b"]}),))
    assert update.applied({"s": {"SS": ["b", "a"]}}) == {"n": {"N": "5"}}


@pytest.mark.parametrize(
    "update",
    [
        Update(sets=((("m", "a"), New(text("x"))),)),
        Update(removes=(("m", "a"),)),
        Update(sets=((("a",), Old(("missing",))),)),
        Update(sets=((("a",), Arithmetic("-", Old(("s",)), New({"N": "1"}))),)),
        Update(adds=((("s",), {"N": "1"}),)),
        Update(deletes=((("s",), {"SS": ["a"]}),)),
    ],
)
def test_the_oracle_rejects_an_update_that_does_not_fit_the_item(update: Update) -> None:
    with pytest.raises(Invalid):
        update.applied({"s": text("a")})


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Compare("<>", At(("missing",)), Literal({"N": "1"})), True),
        (Compare("=", At(("missing",)), At(("other",))), False),
        (Compare("<", At(("n",)), Literal(text("z"))), False),
        (Compare("<", At(("n",)), Literal({"N": "10"})), True),
        (Compare("=", At(("n",)), Literal({"N": "9.0"})), True),
        (Compare("=", At(("s",)), Literal({"SS": ["b", "a"]})), True),
        (Compare("=", Size(("e",)), Literal({"N": "2"})), True),
        (Compare("<>", Size(("n",)), Literal({"N": "2"})), True),
        (Contains(("s",), text("a")), True),
        (Contains(("e",), {"N": "1"}), False),
        (BeginsWith(("e",), text("")), True),
        (Not(Exists(("missing", 0))), True),
    ],
)
def test_the_oracle_finds_missing_and_differently_typed_values_not_equal(condition: Condition, holds: bool) -> None:
    item: Item = {"n": {"N": "9"}, "s": {"SS": ["a", "b"]}, "e": text("\U0001f600")}
    assert condition.holds(item) is holds


def test_the_oracle_prints_the_parentheses_that_a_condition_needs() -> None:
    one, two, three = (Exists((name,)) for name in "abc")
    bare = Both("OR", one, Both("AND", two, Not(three)), is_bare=True)
    condition = Both("AND", bare, three, is_bare=True)
    assert printed({"FilterExpression": condition}) == {
        "FilterExpression": "(attribute_exists(#n0) OR attribute_exists(#n1) AND NOT attribute_exists(#n2)) "
        "AND attribute_exists(#n2)",
        "ExpressionAttributeNames": {"#n0": "a", "#n1": "b", "#n2": "c"},
    }


def test_the_oracle_closes_up_projected_list_elements() -> None:
    item = {"l": texts("a", "b", "c"), "m": {"M": {"a": text("x"), "b": text("y")}}}
    projection = Projection((("l", 2), ("l", 0), ("l", 7), ("m", "b"), ("m", "z"), ("n",)))
    assert projection.of(item) == {"l": texts("a", "c"), "m": {"M": {"b": text("y")}}}
    assert parts(item, [("m", "z")]) == {}


def test_the_oracle_gives_a_page_at_its_limit_a_last_evaluated_key_even_at_the_end(plain: OracleDynamoDB) -> None:
    keys = []
    for sort in "123":
        put(plain, {"pk": "a", "sk": sort})
        keys.append(plain.tables["t"].key_of({"pk": text("a"), "sk": text(sort)}))
    request = {"TableName": "t", "Limit": 3, "KeyConditionExpression": KeyCondition((("pk", text("a")),))}
    answer = plain.page(request, keys)
    assert answer["LastEvaluatedKey"] == {"pk": text("a"), "sk": text("3")}
    after = plain.page({**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}, keys)
    assert after == {"Count": 0, "ScannedCount": 0, "Items": []}


def test_the_oracle_cancels_a_transaction_with_a_reason_for_every_action_and_no_change(plain: OracleDynamoDB) -> None:
    put(plain, {"pk": "a", "sk": "1"})
    key = {"pk": text("a"), "sk": text("1")}
    actions = [
        {"Put": {"TableName": "t", "Item": {"pk": text("b"), "sk": text("1")}}},
        {
            "Delete": {
                "TableName": "t",
                "Key": key,
                "ConditionExpression": Exists(("x",)),
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        },
    ]
    with pytest.raises(Refused) as caught:
        plain.answer("TransactWriteItems", {"TransactItems": actions})
    assert caught.value.reasons == [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Item": key}]
    assert len(plain.tables["t"].items) == 1
