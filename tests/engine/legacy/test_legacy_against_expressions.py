"""Legacy parameters give the same results as equivalent expressions."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused
from tests.engine.oracle.generated_values import attribute, ordered_value, scalar, set_value, value
from tests.engine.oracle.seeded_choices import SeededChoices
from tests.engine.table_requests import Document, column, create, get, put, texts

ATTRIBUTES = ("a", "b", "n", "s", "l", "m")
COMPARATORS = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
FUNCTIONS = {
    "BEGINS_WITH": "begins_with(#{n}, {0})",
    "CONTAINS": "contains(#{n}, {0})",
    "NOT_CONTAINS": "(attribute_exists(#{n}) AND NOT contains(#{n}, {0}))",
    "NULL": "attribute_not_exists(#{n})",
    "NOT_NULL": "attribute_exists(#{n})",
    "BETWEEN": "#{n} BETWEEN {0} AND {1}",
}
SEED = st.integers(0, 2**32 - 1)


class EquivalentConditions:
    """One or more conditions, as legacy parameters and as an expression."""

    def __init__(self, chance: SeededChoices, attributes: tuple[str, ...] = ATTRIBUTES) -> None:
        self.conditions: Document = {}
        self.values: Document = {}
        self.texts: list[str] = []
        self.names: dict[str, str] = {}
        for name in chance.several(attributes, 1, 3):
            operator = chance.pick([*COMPARATORS, *FUNCTIONS, "IN"])
            operands = arguments(chance, operator)
            self.conditions[name] = {"ComparisonOperator": operator, "AttributeValueList": operands}
            self.texts.append(self._text(name, operator, operands))
        self.operator = chance.pick(["AND", "OR"]) if len(self.texts) > 1 else None

    def _text(self, name: str, operator: str, operands: list[Document]) -> str:
        placeholders = []
        for operand in operands:
            placeholders.append(f":v{len(self.values)}")
            self.values[placeholders[-1]] = operand
        self.names[f"#{name}"] = name
        if operator in COMPARATORS:
            return f"#{name} {COMPARATORS[operator]} {placeholders[0]}"
        if operator == "IN":
            return f"#{name} IN ({', '.join(placeholders)})"
        return FUNCTIONS[operator].replace("{n}", name).format(*placeholders)

    def old(self, parameter: str) -> Document:
        combined = {} if self.operator is None else {"ConditionalOperator": self.operator}
        return {parameter: self.conditions, **combined}

    def new(self, parameter: str) -> Document:
        text = f" {self.operator} ".join(self.texts)
        return {parameter: text, "ExpressionAttributeNames": self.names, **self.given()}

    def given(self) -> Document:
        return {"ExpressionAttributeValues": self.values} if self.values else {}


def arguments(chance: SeededChoices, operator: str) -> list[Document]:
    """Return values that the operator accepts, in order."""
    match operator:
        case "NULL" | "NOT_NULL":
            return []
        case "EQ" | "NE":
            return [value(chance)]
        case "CONTAINS" | "NOT_CONTAINS":
            return [scalar(chance)]
        case "BEGINS_WITH":
            return [ordered_value(chance, chance.pick("SB"))]
        case "IN":
            kind = chance.pick("SNB")
            return [ordered_value(chance, kind) for _ in chance.times(1, 4)]
        case "BETWEEN":
            lowest, highest = chance.pick(
                [({"S": ""}, {"S": "b"}), ({"N": "-1"}, {"N": "2"}), ({"B": ""}, {"B": "YWI="})]
            )
            return [lowest, highest]
        case _:
            return [ordered_value(chance)]


def filled(chance: SeededChoices) -> Engine:
    engine = Engine()
    create(engine)
    for number in range(12):
        attributes = {name: attribute(chance, name) for name in chance.several(ATTRIBUTES, 1, len(ATTRIBUTES))}
        put(engine, {**texts(pk=f"p{number % 2}", sk=str(number)), **attributes})
    return engine


@given(SEED)
def test_legacy_query_and_scan_filters_return_the_same_items_as_filter_expressions(seed: int) -> None:
    chance = SeededChoices(seed)
    with filled(chance) as engine:
        for _ in range(10):
            said = EquivalentConditions(chance)
            old = engine.call("Scan", {"TableName": "table", **said.old("ScanFilter")})
            new = engine.call("Scan", {"TableName": "table", **said.new("FilterExpression")})
            assert old == new
            queried: Document = {"TableName": "table", "KeyConditions": {"pk": equal(texts(pk="p1")["pk"])}}
            old = engine.call("Query", {**queried, **said.old("QueryFilter")})
            new = engine.call("Query", {**queried, **said.new("FilterExpression")})
            assert old == new


def equal(operand: Document) -> Document:
    return {"ComparisonOperator": "EQ", "AttributeValueList": [operand]}


@given(SEED)
def test_legacy_expected_conditions_hold_for_the_same_items_as_condition_expressions(seed: int) -> None:
    chance = SeededChoices(seed)
    with filled(chance) as engine:
        for _ in range(10):
            said = EquivalentConditions(chance, (*ATTRIBUTES, "missing"))
            key = texts(pk="p0", sk=chance.pick(["0", "2", "missing"]))
            before = get(engine, key)
            outcomes = [
                outcome(engine, "DeleteItem", {"Key": key, **said.old("Expected")}, before),
                outcome(engine, "DeleteItem", {"Key": key, **said.new("ConditionExpression")}, before),
            ]
            assert outcomes[0] == outcomes[1]


def outcome(engine: Engine, action: str, request: Document, before: Document | None) -> tuple[Any, Document | None]:
    """Return the response of a write and the item after it. Then restore the item."""
    try:
        answer: Any = engine.call(action, {"TableName": "table", **request})
    except RequestRefused as refusal:
        answer = refusal.code
    left = get(engine, request["Key"])
    engine.call("DeleteItem", {"TableName": "table", "Key": request["Key"]})
    if before is not None:
        put(engine, before)
    return answer, left


KEY_TEXTS = ("0", "1", "10", "2", "5", "55")


@given(SEED)
def test_legacy_key_conditions_select_the_same_range_as_key_condition_expressions(seed: int) -> None:
    chance = SeededChoices(seed)
    with filled(chance) as engine:
        for _ in range(10):
            operator = chance.pick([*COMPARATORS, "BETWEEN", "BEGINS_WITH"])
            bounds = sorted(chance.pick(KEY_TEXTS) for _ in range(2))[: 2 if operator == "BETWEEN" else 1]
            if operator == "NE" or (operator == "EQ" and bounds == [""]):
                continue
            said = {"ComparisonOperator": operator, "AttributeValueList": [{"S": bound} for bound in bounds]}
            placeholders = [f":v{at}" for at in range(len(bounds))]
            given_values = {name: {"S": bound} for name, bound in zip(placeholders, bounds, strict=True)}
            if operator in COMPARATORS:
                text = f"sk {COMPARATORS[operator]} :v0"
            else:
                text = FUNCTIONS[operator].replace("#{n}", "sk").format(*placeholders)
            old = {"KeyConditions": {"sk": said, "pk": equal({"S": "p0"})}}
            new = {
                "KeyConditionExpression": f"pk = :p AND {text}",
                "ExpressionAttributeValues": {":p": {"S": "p0"}, **given_values},
            }
            answers = [engine.call("Query", {"TableName": "table", **each}) for each in (old, new)]
            assert column(answers[0]["Items"]) == column(answers[1]["Items"])
            assert answers[0] == answers[1]


@given(SEED)
def test_legacy_attribute_updates_give_the_same_item_as_update_expressions(seed: int) -> None:
    chance = SeededChoices(seed)
    with filled(chance) as engine:
        for _ in range(10):
            updates, clauses, given_values, names = changes(chance)
            key = texts(pk="p0", sk=chance.pick(["0", "2", "missing"]))
            before = get(engine, key)
            new: Document = {
                "Key": key,
                "UpdateExpression": clauses,
                "ExpressionAttributeNames": names,
                "ReturnValues": "ALL_NEW",
            }
            if given_values:
                new["ExpressionAttributeValues"] = given_values
            old: Document = {"Key": key, "AttributeUpdates": updates, "ReturnValues": "ALL_NEW"}
            outcomes = [outcome(engine, "UpdateItem", request, before) for request in (old, new)]
            assert outcomes[0] == outcomes[1]


def changes(chance: SeededChoices) -> tuple[Document, str, Document, dict[str, str]]:
    """Return updates of some attributes, and the equivalent clauses of an expression."""
    updates: Document = {}
    clauses: dict[str, list[str]] = {}
    given_values: Document = {}
    names: dict[str, str] = {}
    for name in chance.several(ATTRIBUTES, 1, 3):
        action, clause, operand = change(chance, name)
        updates[name] = {"Action": action} | ({} if operand is None else {"Value": operand})
        clauses.setdefault(clause.split()[0], []).append(clause.split(maxsplit=1)[1])
        names[f"#{name}"] = name
        if operand is not None:
            given_values[f":{name}"] = operand
            if "empty" in clause:
                given_values[":empty"] = {"L": []}
    return updates, " ".join(f"{word} {', '.join(parts)}" for word, parts in clauses.items()), given_values, names


def change(chance: SeededChoices, name: str) -> tuple[str, str, Document | None]:
    match chance.below(6):
        case 0:
            return "DELETE", f"REMOVE #{name}", None
        case 1:
            return "DELETE", f"DELETE #{name} :{name}", set_value(chance)
        case 2:
            return "ADD", f"ADD #{name} :{name}", ordered_value(chance, "N")
        case 3:
            return "ADD", f"ADD #{name} :{name}", set_value(chance)
        case 4:
            appended = {"L": [value(chance) for _ in chance.times(0, 2)]}
            return "ADD", f"SET #{name} = list_append(if_not_exists(#{name}, :empty), :{name})", appended
        case _:
            return "PUT", f"SET #{name} = :{name}", value(chance)
