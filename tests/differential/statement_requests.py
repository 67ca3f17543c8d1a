"""PartiQL requests: single statements, batches and transactions."""

from __future__ import annotations

from typing import Any

from tests.differential.sides import Request
from tests.differential.world import World
from tests.engine.oracle.generated_requests import capacity
from tests.engine.oracle.generated_values import ATTRIBUTES, Given, attribute, ordered_value
from tests.engine.oracle.oracle_values import Item, Value
from tests.engine.oracle.seeded_choices import SeededChoices


class _Statement:
    """A statement under construction, with values as parameters or literals."""

    def __init__(self, chance: SeededChoices) -> None:
        self._chance = chance
        self.parameters: list[Value] = []

    def value(self, value: Value) -> str:
        literal = _literal(value)
        if literal is not None and not self._chance.one_in(3):
            return literal
        self.parameters.append(value)
        return "?"

    def request(self, text: str) -> Request:
        return {"Statement": text} | ({"Parameters": self.parameters} if self.parameters else {})


def _literal(value: Value) -> str | None:
    """Return the value as a PartiQL literal. Binaries have no literal."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return f"""'{content.replace("'", "''")}'"""
        case "N":
            return str(content)
        case "BOOL":
            return "true" if content else "false"
        case "NULL":
            return "NULL"
        case "SS" | "NS":
            members = [_literal({kind[0]: member}) for member in content]
            return f"<<{', '.join(str(member) for member in members)}>>"
        case "L":
            return _joined([_literal(each) for each in content], "[", "]")
        case "M":
            members = [_literal(each) for each in content.values()]
            pairs = [None if text is None else f"'{name}': {text}" for name, text in zip(content, members, strict=True)]
            return _joined(pairs, "{", "}")
        case _:
            return None


def _joined(parts: list[str | None], opening: str, closing: str) -> str | None:
    if any(part is None for part in parts):
        return None
    return opening + ", ".join(str(part) for part in parts) + closing


def _where_key(statement: _Statement, key: Item) -> str:
    return " AND ".join(f'"{name}" = {statement.value(value)}' for name, value in key.items())


def _test(chance: SeededChoices, statement: _Statement, given: Given) -> str:
    name = chance.pick(ATTRIBUTES)
    match chance.below(7):
        case 0:
            return f'"{name}" {chance.pick(["=", "<>", "<", "<=", ">", ">="])} {statement.value(ordered_value(chance))}'
        case 1:
            return f'"{name}" IS {chance.pick(["", "NOT "])}MISSING'
        case 2:
            return f'"{name}" IS {chance.pick(["", "NOT "])}NULL'
        case 3:
            return f'begins_with("{name}", {statement.value({"S": "a"})})'
        case 4:
            return f'contains("{name}", {statement.value(ordered_value(chance))})'
        case 5:
            low, high = statement.value({"N": "-1"}), statement.value({"N": "2"})
            return f'"{name}" BETWEEN {low} AND {high}'
        case _:
            members = ", ".join(statement.value(ordered_value(chance)) for _ in chance.times(1, 3))
            return f'"{name}" IN [{members}]'


def _select(chance: SeededChoices, given: Given, *, by_key: bool) -> Request:
    statement = _Statement(chance)
    what = chance.pick(["*", "*", '"pk"', '"pk", "a"', '"m"."a", "l"[0]', '"n"'])
    index = chance.pick(list(given.table.indexes)) if given.table.indexes and not by_key and chance.one_in(3) else None
    text = f'SELECT {what} FROM "{given.table.name}"' + (f'."{index}"' if index else "")
    tests = []
    if by_key or chance.one_in(2):
        key = given.key(chance)
        if not by_key and chance.one_in(2):
            key = {name: key[name] for name in given.table.key_names[:1]}
        tests.append(_where_key(statement, key))
    if not by_key and chance.one_in(2):
        tests.append(_test(chance, statement, given))
    return statement.request(text + (f" WHERE {' AND '.join(tests)}" if tests else ""))


def _write(chance: SeededChoices, given: Given) -> Request:
    statement = _Statement(chance)
    table = given.table.name
    match chance.below(4):
        case 0:
            members = [f"'{name}': {statement.value(value)}" for name, value in given.item(chance).items()]
            return statement.request(f'INSERT INTO "{table}" VALUE {{{", ".join(members)}}}')
        case 1 | 2:
            changes = []
            for name in chance.several(ATTRIBUTES, 1, 2):
                if chance.one_in(4):
                    changes.append(f'REMOVE "{name}"')
                else:
                    changes.append(f'SET "{name}" = {statement.value(attribute(chance, name))}')
            where = _where_key(statement, given.key(chance))
            if chance.one_in(4):
                where += f" AND {_test(chance, statement, given)}"
            returning = chance.pick(
                ["", "", " RETURNING ALL NEW *", " RETURNING MODIFIED OLD *", " RETURNING ALL OLD *"]
            )
            return statement.request(f'UPDATE "{table}" {" ".join(changes)} WHERE {where}{returning}')
        case _:
            where = _where_key(statement, given.key(chance))
            returning = chance.pick(["", " RETURNING ALL OLD *"])
            return statement.request(f'DELETE FROM "{table}" WHERE {where}{returning}')


def execute(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    request = _select(chance, given, by_key=chance.one_in(3)) if chance.one_in(2) else _write(chance, given)
    request["ReturnConsumedCapacity"] = capacity(chance)
    return request


def batch_execute(chance: SeededChoices, world: World) -> Request:
    """Generate reads by key, or writes. Some requests mix them, which is invalid."""
    return {"Statements": _statements(chance, world), "ReturnConsumedCapacity": capacity(chance)}


def execute_transaction(chance: SeededChoices, world: World) -> Request:
    return {"TransactStatements": _statements(chance, world), "ReturnConsumedCapacity": capacity(chance)}


def _statements(chance: SeededChoices, world: World) -> list[Any]:
    reads = chance.one_in(2)
    statements = []
    for _ in chance.times(1, 4):
        given = chance.pick(world.tables)
        is_read = reads != chance.one_in(12)
        statements.append(_select(chance, given, by_key=True) if is_read else _write(chance, given))
    return statements
