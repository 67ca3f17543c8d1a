"""UpdateItem: every clause and path, and return values. A rejected update changes nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.actions.conditions import FAILS, HOLDS, KEY, OLD, conditional
from tests.engine.table_requests import (
    INVALID,
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    error_fields,
    get,
    item,
    put,
    refusals,
    refused,
    scan,
    texts,
    update,
    values,
)

ITEM: Document = {
    **KEY,
    **item(n=10, s="text", kept="k"),
    "m": {"M": {"n": {"N": "1"}, "s": {"S": "in"}, "m": {"M": {"deep": {"S": "old"}}}}},
    "l": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}, {"S": "d"}]},
    "none_yet": {"L": []},
    "ss": {"SS": ["a", "b", "c"]},
    "ns": {"NS": ["1", "2"]},
}
V: Document = {
    **values(one=1, two=2, new="new"),
    ":list": {"L": [{"S": "e"}]},
    ":a": {"SS": ["a"]},
    ":abc": {"SS": ["a", "b", "c"]},
    ":cd": {"SS": ["c", "d"]},
    ":twos": {"NS": ["2", "3"]},
    ":map": {"M": {}},
}


def strings(*texts_: str) -> Document:
    return {"L": [{"S": text} for text in texts_]}


def parameters(expression: str) -> Document:
    """Return the parameters of an update, with only the values that it uses."""
    used = {name: V[name] for name in re.findall(r":\w+", expression)}
    return {"UpdateExpression": expression, **({"ExpressionAttributeValues": used} if used else {})}


def changed(engine: Engine, expression: str, key: Document = KEY, **more: Any) -> Document:
    return engine.call("UpdateItem", {"TableName": "table", "Key": key, **parameters(expression), **more})


CHANGES: list[tuple[str, Document]] = [
    ("SET n = :one", item(n=1)),
    ("SET brand_new = :new", texts(brand_new="new")),
    ("SET n = n + :one", item(n=11)),
    ("SET n = n - :one", item(n=9)),
    ("SET n = :one - :two", item(n=-1)),
    ("SET n = s, s = n", {"n": {"S": "text"}, "s": {"N": "10"}}),
    ("SET n = if_not_exists(n, :one)", item(n=10)),
    ("SET x = if_not_exists(x, :one)", item(x=1)),
    ("SET x = if_not_exists(n, :one)", item(x=10)),
    ("SET x = if_not_exists(x, :one) + :two", item(x=3)),
    ("SET l = list_append(l, :list)", {"l": strings("a", "b", "c", "d", "e")}),
    ("SET l = list_append(:list, l)", {"l": strings("e", "a", "b", "c", "d")}),
    ("SET x = list_append(if_not_exists(x, none_yet), :list)", {"x": strings("e")}),
    ("SET l[1] = :new", {"l": strings("a", "new", "c", "d")}),
    ("SET l[9] = :new", {"l": strings("a", "b", "c", "d", "new")}),
    ("SET l[9] = :new, l[7] = s", {"l": strings("a", "b", "c", "d", "text", "new")}),
    ("SET none_yet[0] = :new", {"none_yet": strings("new")}),
    ("REMOVE s", {"s": None}),
    ("REMOVE absent", {}),
    ("REMOVE m.absent", {}),
    ("REMOVE l[1]", {"l": strings("a", "c", "d")}),
    ("REMOVE l[3]", {"l": strings("a", "b", "c")}),
    ("REMOVE l[9]", {}),
    ("REMOVE l[0], l[2]", {"l": strings("b", "d")}),
    ("REMOVE l[0] SET l[1] = :new", {"l": strings("new", "c", "d")}),
    ("ADD n :one", item(n=11)),
    ("ADD x :one", item(x=1)),
    ("ADD ss :cd", {"ss": {"SS": ["a", "b", "c", "d"]}}),
    ("ADD ns :twos", {"ns": {"NS": ["1", "2", "3"]}}),
    ("ADD x :a", {"x": {"SS": ["a"]}}),
    ("ADD m.n :two", {"m": {"M": {**ITEM["m"]["M"], "n": {"N": "3"}}}}),
    ("DELETE ss :a", {"ss": {"SS": ["b", "c"]}}),
    ("DELETE ss :abc", {"ss": None}),
    ("DELETE x :a", {}),
    ("SET m.s = :new", {"m": {"M": {**ITEM["m"]["M"], "s": {"S": "new"}}}}),
    ("SET m.m.deep = :new", {"m": {"M": {**ITEM["m"]["M"], "m": {"M": {"deep": {"S": "new"}}}}}}),
    ("SET m.fresh = :map", {"m": {"M": {**ITEM["m"]["M"], "fresh": {"M": {}}}}}),
    ("SET m.n = m.n + :one", {"m": {"M": {**ITEM["m"]["M"], "n": {"N": "2"}}}}),
    ("REMOVE m.s", {"m": {"M": {name: ITEM["m"]["M"][name] for name in ("n", "m")}}}),
    ("SET n = :one REMOVE s ADD x :two DELETE ss :a", {**item(n=1, x=2), "s": None, "ss": {"SS": ["b", "c"]}}),
    ("set n = :one remove s", {**item(n=1), "s": None}),
]


@pytest.mark.parametrize(("expression", "expected"), CHANGES, ids=[expression for expression, _ in CHANGES])
def test_update_item_changes_only_what_it_names(engine: Engine, expression: str, expected: Document) -> None:
    put(engine, ITEM)
    assert changed(engine, expression) == {}
    stored = get(engine, KEY)
    assert stored is not None
    for name in ("ss", "ns"):
        for value in stored.get(name, {}).values():
            value.sort()
    assert stored == {name: value for name, value in {**ITEM, **expected}.items() if value is not None}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("SET n = :one", item(n=1)),
        ("ADD n :one, ss :a", {**item(n=1), "ss": {"SS": ["a"]}}),
        ("REMOVE n ADD ss :a", {"ss": {"SS": ["a"]}}),
        (None, {}),
    ],
)
def test_update_item_creates_a_missing_item(engine: Engine, expression: str | None, expected: Document) -> None:
    engine.call("UpdateItem", {"TableName": "table", "Key": KEY, **(parameters(expression) if expression else {})})
    assert get(engine, KEY) == {**KEY, **expected}


@pytest.mark.parametrize("expression", ["REMOVE n", "DELETE ss :a", "REMOVE n DELETE ss :a", "REMOVE m.x, l[0]"])
def test_update_item_creates_no_item_if_it_only_removes(engine: Engine, expression: str) -> None:
    for returned in ("ALL_NEW", "UPDATED_NEW"):
        request = {"TableName": "table", "Key": KEY, **parameters(expression), "ReturnValues": returned}
        assert engine.call("UpdateItem", request) == {}
    update = {"Update": {"TableName": "table", "Key": KEY, **parameters(expression)}}
    engine.call("TransactWriteItems", {"TransactItems": [update]})
    assert get(engine, KEY) is None


def test_update_item_with_legacy_parameters_creates_no_item_if_it_only_deletes(engine: Engine) -> None:
    delete = {"Action": "DELETE"}
    engine.call("UpdateItem", {"TableName": "table", "Key": KEY, "AttributeUpdates": {"n": delete}})
    assert get(engine, KEY) is None
    engine.call("UpdateItem", {"TableName": "table", "Key": KEY, "AttributeUpdates": {}})
    assert get(engine, KEY) == KEY


def test_update_item_checks_the_condition_of_an_update_that_only_removes(engine: Engine) -> None:
    request = {"TableName": "table", "Key": KEY, "UpdateExpression": "REMOVE n"}
    refusal = refused(engine, "UpdateItem", {**request, "ConditionExpression": "attribute_exists(pk)"})
    assert refusal.code == "ConditionalCheckFailedException"


def test_update_item_without_an_expression_changes_nothing(engine: Engine) -> None:
    put(engine, ITEM)
    answer = engine.call("UpdateItem", {"TableName": "table", "Key": KEY, "ReturnValues": "ALL_NEW"})
    assert answer == {"Attributes": ITEM}


SET_TWO = "SET n = :one, m.s = :new, x = :two REMOVE kept, l[0]"


@pytest.mark.parametrize(
    ("requested", "attributes"),
    [
        (None, None),
        ("NONE", None),
        ("ALL_OLD", ITEM),
        (
            "ALL_NEW",
            {
                **{name: value for name, value in ITEM.items() if name != "kept"},
                **item(n=1, x=2),
                "m": {"M": {**ITEM["m"]["M"], "s": {"S": "new"}}},
                "l": strings("b", "c", "d"),
            },
        ),
        (
            "UPDATED_OLD",
            {**item(n=10, kept="k"), "m": {"M": {"s": {"S": "in"}}}, "l": strings("a")},
        ),
        ("UPDATED_NEW", {**item(n=1, x=2), "m": {"M": {"s": {"S": "new"}}}, "l": strings("b")}),
    ],
)
def test_update_item_returns_the_requested_values(
    engine: Engine, requested: str | None, attributes: Document | None
) -> None:
    put(engine, ITEM)
    assert changed(engine, SET_TWO, ReturnValues=requested).get("Attributes") == attributes


@pytest.mark.parametrize(
    ("requested", "attributes"),
    [
        ("ALL_OLD", None),
        ("UPDATED_OLD", None),
        ("ALL_NEW", {**KEY, **item(n=1)}),
        ("UPDATED_NEW", item(n=1)),
    ],
)
def test_update_item_returns_no_old_values_of_a_new_item(
    engine: Engine, requested: str, attributes: Document | None
) -> None:
    assert changed(engine, "SET n = :one", ReturnValues=requested).get("Attributes") == attributes


def test_update_item_returns_no_new_values_if_it_removes_everything(engine: Engine) -> None:
    put(engine, ITEM)
    assert changed(engine, "REMOVE s", ReturnValues="UPDATED_NEW") == {}
    assert changed(engine, "REMOVE n", ReturnValues="UPDATED_OLD") == {"Attributes": item(n=10)}


@pytest.mark.parametrize("condition", HOLDS)
def test_update_item_changes_an_item_if_the_condition_holds(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    update(engine, KEY, "REMOVE words", **conditional(condition))
    assert get(engine, KEY) == {name: value for name, value in OLD.items() if name != "words"}


@pytest.mark.parametrize("condition", FAILS)
def test_update_item_changes_nothing_if_the_condition_fails(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    request = {"TableName": "table", "Key": KEY, "UpdateExpression": "REMOVE words", **conditional(condition)}
    refusal = refused(engine, "UpdateItem", request)
    assert (refusal.code, refusal.message) == ("ConditionalCheckFailedException", "The conditional request failed")
    assert get(engine, KEY) == OLD


@pytest.mark.parametrize("condition", ["attribute_exists(pk)", "n > :six", "attribute_exists(pk) AND n = :six"])
def test_update_item_creates_no_item_if_the_condition_fails(engine: Engine, condition: str) -> None:
    request = {"TableName": "table", "Key": KEY, "UpdateExpression": "REMOVE x", **conditional(condition)}
    assert refused(engine, "UpdateItem", request).code == "ConditionalCheckFailedException"
    assert get(engine, KEY) is None


def test_update_item_may_require_that_the_item_does_not_exist(engine: Engine) -> None:
    answer = changed(engine, "SET n = :one", ConditionExpression="attribute_not_exists(pk)", ReturnValues="ALL_NEW")
    assert answer["Attributes"] == {**KEY, **item(n=1)}


@pytest.mark.parametrize(("requested", "expected"), [("ALL_OLD", {"Item": OLD}), ("NONE", {}), (None, {})])
def test_update_item_returns_the_item_of_a_failed_condition_on_request(
    engine: Engine, requested: str | None, expected: Document
) -> None:
    put(engine, OLD)
    request = {
        "TableName": "table",
        "Key": KEY,
        "UpdateExpression": "REMOVE words",
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": requested,
    }
    assert error_fields(refused(engine, "UpdateItem", request)) == expected


def test_update_item_counts_exactly_to_38_digits(engine: Engine) -> None:
    put(engine, {**KEY, "n": {"N": "9" * 38}})
    assert changed(engine, "ADD n :one", ReturnValues="UPDATED_NEW")["Attributes"] == {"n": {"N": "1" + "0" * 38}}
    refusal = refused(engine, "UpdateItem", {"TableName": "table", "Key": KEY, **parameters("ADD n :one")})
    assert refusal.message == "Number overflow. Attempting to store a number with magnitude larger than supported range"


MISSING = "The provided expression refers to an attribute that does not exist in the item"
INVALID_PATH = "The document path provided in the update expression is invalid for update"
INCORRECT = "An operand in the update expression has an incorrect data type"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("SET absent.b.c = :new", INVALID_PATH),
        ("SET s.b = :new", INVALID_PATH),
        ("SET m[0] = :new", INVALID_PATH),
        ("SET l.x = :new", INVALID_PATH),
        ("SET absent[0] = :new", INVALID_PATH),
        ("SET x = absent", MISSING),
        ("SET x = x + :one", MISSING),
        ("SET x = l[9]", MISSING),
        ("SET n = s + :one", INCORRECT),
        ("SET x = list_append(s, :list)", INCORRECT),
        ("ADD s :one", INCORRECT),
        ("ADD ns :a", INCORRECT),
        ("DELETE ns :a", INCORRECT),
        ("DELETE s :a", INCORRECT),
    ],
)
def test_update_item_rejects_an_update_that_does_not_fit_the_item_and_changes_nothing(
    engine: Engine, expression: str, words: str
) -> None:
    put(engine, ITEM)
    request = {"TableName": "table", "Key": KEY, **parameters(f"{expression} REMOVE kept")}
    assert_refused(engine, "UpdateItem", Refused("", request, words))
    assert get(engine, KEY) == ITEM


@refusals(
    Refused("a missing table", {"TableName": "missing"}, NOT_FOUND, "ResourceNotFoundException"),
    Refused("a part of the key", {"Key": texts(pk="a")}, "The provided key element does not match the schema"),
    Refused(
        "an empty key",
        {"Key": texts(pk="a", sk="")},
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: sk",
    ),
    Refused(
        "the partition key",
        parameters("SET pk = :new"),
        f"{INVALID}Cannot update attribute pk. This attribute is part of the key",
    ),
    Refused(
        "both parts of the key, of which the first is reported",
        {"UpdateExpression": "SET sk = n, pk = n"},
        f"{INVALID}Cannot update attribute pk. This attribute is part of the key",
    ),
    Refused(
        "the sort key",
        parameters("REMOVE sk"),
        f"{INVALID}Cannot update attribute sk. This attribute is part of the key",
    ),
    Refused(
        "a path into a key",
        parameters("SET x = :new, sk.y = :one"),
        f"{INVALID}Cannot update attribute sk. This attribute is part of the key",
    ),
    Refused(
        "reading a path into a key",
        {"UpdateExpression": "SET x = sk.y"},
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: sk",
    ),
    Refused(
        "no expression at all",
        {"UpdateExpression": ""},
        "Invalid UpdateExpression: The expression can not be empty;",
    ),
    Refused(
        "an invalid expression",
        {"UpdateExpression": "INVALID SYNTAX HERE"},
        'Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"',
    ),
    Refused(
        "an undefined value",
        {"UpdateExpression": "SET a = :v"},
        "Invalid UpdateExpression: An expression attribute value used in expression is not defined; attribute "
        "value: :v",
    ),
    Refused(
        "an undefined name",
        {"UpdateExpression": "REMOVE #n"},
        "Invalid UpdateExpression: An expression attribute name used in the document path is not defined; attribute "
        "name: #n",
    ),
    Refused(
        "an unused name",
        {**parameters("SET a = :new"), "ExpressionAttributeNames": {"#unused": "b"}},
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}",
    ),
    Refused(
        "an unused value",
        {"UpdateExpression": "REMOVE a", "ExpressionAttributeValues": values(unused="b")},
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}",
    ),
    Refused(
        "a reserved word",
        {"UpdateExpression": "SET status = :s, name = :s", "ExpressionAttributeValues": values(s="s")},
        "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status",
    ),
    Refused(
        "one path twice",
        parameters("SET a = :one, a = :two"),
        "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these "
        "paths; path one: [a], path two: [a]",
    ),
    Refused(
        "a path in another",
        parameters("SET a = :one REMOVE a.b"),
        "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these "
        "paths; path one: [a], path two: [a, b]",
    ),
    Refused(
        "one clause twice",
        parameters("SET a = :one SET b = :two"),
        'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;',
    ),
    Refused(
        "values without an expression",
        {"ExpressionAttributeValues": values(v="v")},
        "ExpressionAttributeValues can only be specified when using expressions: UpdateExpression and "
        "ConditionExpression are null",
    ),
    Refused(
        "the update before the condition",
        {"UpdateExpression": "", "ConditionExpression": ""},
        "Invalid UpdateExpression: The expression can not be empty;",
    ),
    Refused(
        "an expression before a missing table",
        {"TableName": "missing", "UpdateExpression": ""},
        "Invalid UpdateExpression: The expression can not be empty;",
    ),
    Refused(
        "several wrong parameters are reported together",
        {"ReturnConsumedCapacity": "X", "ReturnValues": "Y"},
        "2 validation errors detected: Value 'X' at 'returnConsumedCapacity' failed to satisfy constraint: Member must "
        "satisfy enum value set: [INDEXES, TOTAL, NONE]; Value 'Y' at 'returnValues' failed to satisfy constraint: "
        "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
    ),
)
def test_update_item_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    put(engine, ITEM)
    assert_refused(engine, "UpdateItem", row, TableName="table", Key=KEY)
    assert scan(engine)["Items"] == [ITEM]
