"""Mutations of expressions: keywords, placeholders, functions and the types of operands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.differential.sides import Request
from tests.engine.oracle.seeded_choices import SeededChoices

TOKEN = re.compile(r"[#:]?\w+|<>|<=|>=|\S")

CONDITIONS = (
    *("", " ", "a", "a =", "= :x", "a = b", "a = = b", "(a = b", "a = b)", "((a = b))", "a == b", "a != b"),
    *("NOT a", "NOT NOT a = b", "a AND b", "a = b AND", "a = b and not b = c or a <> c", "a BETWEEN b", "a IN ()"),
    *("a BETWEEN b AND c", "a IN (b, c)", "a IN b", "size(a) > size(b)", "size(a)", "size(size(a)) = b"),
    *("attribute_exists(a", "attribute_exists()", "attribute_exists(a, b)", "attribute_exists(:v0)"),
    *("attribute_type(a, b)", "begins_with(a, a)", "begins_with(a)", "contains(a, a)", "contains(a, b)"),
    *("nothing(a)", "Attribute_exists(a)", "a = a", "a <> a", "a.b.c[0][1] = b", "a[-1] = b", "a[0 = b"),
    *("a[99999999999] = b", "a.[0] = b", "a..b = c", "#a = b", ":x = b", "name = b", "status = b", "1a = b", "_a = b"),
    *("a = 'text'", "a = 5", 'a = "x"', "a\t=\nb", "pk = sk", "pk.a = b", "pk[0] = b", "attribute_exists(pk.a)"),
    *("if_not_exists(a, b) = c", "list_append(a, b) = c", "a = b; c = d", "é = b", "a" * 256 + " = b"),
    *("a + b = c", "(a) = b", "(((a))) = b", "a = (b)", "size(a) = size(a)", "contains(size(a), b)", "a < b < c"),
    *("a = b OR " * 60 + "a = b", "a = b OR " * 320 + "a = b", "NOT " * 40 + "a = b", "(" * 40 + "a = b" + ")" * 40),
)
UPDATES = (
    *("", " ", "SET", "SET a", "SET a =", "SET a = b", "SET a = b,", "SET a = b SET c = d", "SET a = b, a = c"),
    *(
        "SET a.b = c, a = d",
        "SET a[0] = b, a[0] = c",
        "SET a = b + c",
        "SET a = b + c + d",
        "SET a = b - c",
        "SET a += b",
    ),
    *(
        "SET a = b * c",
        "SET a = if_not_exists(b, c)",
        "SET a = if_not_exists(b)",
        "SET a = list_append(b)",
        "SET pk = a",
    ),
    *(
        "SET a = list_append(b, c)",
        "SET a = if_not_exists(:v0, b)",
        "SET a = size(b)",
        "SET a = nothing(b)",
        "SET sk = a",
    ),
    *(
        "SET a = attribute_exists(b)",
        "SET pk.a = b",
        "REMOVE",
        "REMOVE a, a",
        "REMOVE a, a.b",
        "REMOVE a b",
        "REMOVE pk",
    ),
    *(
        "REMOVE a[0], a[1]",
        "REMOVE a = b",
        "ADD a",
        "ADD a b",
        "ADD a :v0, a :v0",
        "ADD pk :v0",
        "ADD a.b :v0",
        "ADD a[0] :v0",
    ),
    *(
        "DELETE a",
        "DELETE a b",
        "DELETE a :v0",
        "DELETE pk :v0",
        "set a = b remove c",
        "SET a = b REMOVE a",
        "UPDATE a = b",
    ),
    *("SET #x = b", "SET a = :x", "SET name = b", "SET a = (b)", "SET (a) = b", "SET a = (b + c)", "SET a = b + :v0"),
    *("SET a = if_not_exists(a, b) + c", "SET a = list_append(if_not_exists(a, b), c)", "SET a[0] = b", "SET a = 1"),
    *(
        "SET a = b REMOVE c ADD d :v0 DELETE e :v0",
        "REMOVE a SET b = c",
        "ADD a :v0 ADD b :v0",
        "SET a = b REMOVE",
        "a = b",
    ),
    *(
        "SET a = list_append(b, c) + d",
        "SET a = if_not_exists(if_not_exists(a, b), c)",
        "SET m.a.b.c = a",
        "REMOVE m.zz.yy",
    ),
)
PROJECTIONS = (
    *(
        "",
        " ",
        "a,",
        ",a",
        "a b",
        "a, a",
        "a, a.b",
        "a.b, a.c",
        "a[0], a[1]",
        "a[0], a.b",
        "a[-1]",
        "a[",
        "a.",
        ".a",
        "a.0",
    ),
    *("#x", ":v0", "name", "status", "1a", "*", "a, *", "size(a)", "(a)", "a = b", "pk", "pk, sk, a", "pk.a", "pk[0]"),
    *("a[0].b[1].c", "a[00]", "a[1.5]", "é", "a" * 256, ", ".join(f"a{number}" for number in range(300))),
    *(".".join("a" * 32), ".".join("a" * 33), "a" + "[0]" * 31, "a" + "[0]" * 32),
)
KEY_CONDITIONS = (
    *(
        "",
        " ",
        "pk",
        "pk = :v0",
        "pk = :v0 AND",
        "pk > :v0",
        "pk = :v0 OR sk = :v0",
        "NOT pk = :v0",
        "pk = :v0 AND pk = :v0",
    ),
    *(
        "pk = :v0 AND sk <> :v0",
        "pk = :v0 AND sk IN (:v0)",
        "pk = :v0 AND a = :v0",
        "pk = :v0 AND sk = :v0 AND sk = :v0",
    ),
    *(
        "sk = :v0",
        "pk = :v0 AND sk > :v0 AND sk < :v0",
        "pk = :v0 AND contains(sk, :v0)",
        "pk = :v0 AND size(sk) = :v0",
    ),
    *(
        "pk = :v0 AND attribute_exists(sk)",
        "pk = sk",
        ":v0 = pk",
        "(pk = :v0)",
        "((pk = :v0))",
        "(pk = :v0) AND (sk > :v0)",
    ),
    *(
        "begins_with(pk, :v0)",
        "pk BETWEEN :v0 AND :v0",
        "pk = :v0 AND begins_with(sk, :v0)",
        "pk = :v0 AND begins_with(:v0, sk)",
    ),
    *(
        "pk = :v0 AND sk BETWEEN :v0 AND :v0",
        "pk.a = :v0",
        "pk = :x",
        "#x = :v0",
        "sk > :v0 AND pk = :v0",
        "pk = :v0 AND sk",
    ),
    *(
        "pk = :v0, sk = :v0",
        "size(pk) = :v0",
        "pk = :v0 AND NOT sk = :v0",
        "pk = :v0 AND (sk = :v0 OR sk = :v0)",
        "pk IN (:v0)",
    ),
)
TEXTS = {
    "ConditionExpression": CONDITIONS,
    "FilterExpression": CONDITIONS,
    "UpdateExpression": UPDATES,
    "ProjectionExpression": PROJECTIONS,
    "KeyConditionExpression": KEY_CONDITIONS,
}
NAMES, VALUES = "ExpressionAttributeNames", "ExpressionAttributeValues"


def break_an_expression(chance: SeededChoices, action: str, request: Request) -> bool:
    """Change one of the expressions of a request, or its placeholders."""
    holders = [each for each in _objects(request) if any(isinstance(each.get(name), str) for name in TEXTS)]
    if not holders:
        return _add_one(chance, action, request)
    holder = chance.pick(holders)
    name = chance.pick([each for each in TEXTS if isinstance(holder.get(each), str)])
    return chance.pick(_WAYS)(chance, holder, name)


def _objects(node: Any) -> list[Request]:
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    found = [each for member in inner for each in _objects(member)]
    return [node, *found] if isinstance(node, dict) else found


def _add_one(chance: SeededChoices, action: str, request: Request) -> bool:
    name = {"Query": "FilterExpression", "Scan": "FilterExpression", "GetItem": "ProjectionExpression"}.get(action)
    if action in ("PutItem", "UpdateItem", "DeleteItem"):
        name = "ConditionExpression"
    if name is None:
        return False
    request[name] = chance.pick(TEXTS[name])
    return True


def _replace(chance: SeededChoices, holder: Request, name: str) -> bool:
    """Replace an expression, and usually remove the placeholders that it does not use."""
    holder[name] = chance.pick(TEXTS[name])
    if not chance.one_in(4):
        texts = " ".join(str(holder[each]) for each in TEXTS if each in holder)
        for beside in (NAMES, VALUES):
            used = {
                key: value
                for key, value in (holder.get(beside) or {}).items()
                if re.search(re.escape(key) + r"\b", texts)
            }
            holder.pop(beside, None)
            if used:
                holder[beside] = used
    return True


def _drop_a_token(chance: SeededChoices, holder: Request, name: str) -> bool:
    tokens = TOKEN.findall(holder[name])
    if not tokens:
        return False
    del tokens[chance.below(len(tokens))]
    holder[name] = " ".join(tokens)
    return True


def _double_a_token(chance: SeededChoices, holder: Request, name: str) -> bool:
    tokens = TOKEN.findall(holder[name])
    if not tokens:
        return False
    position = chance.below(len(tokens))
    tokens.insert(position, tokens[position])
    holder[name] = " ".join(tokens)
    return True


def _swap_a_token(chance: SeededChoices, holder: Request, name: str) -> bool:
    tokens = TOKEN.findall(holder[name])
    if not tokens:
        return False
    others = [*tokens, "AND", "OR", "NOT", "(", ")", ",", "=", "<", "+", ".", "size", "#n9", ":v9", "status", "@"]
    tokens[chance.below(len(tokens))] = chance.pick(others)
    holder[name] = " ".join(tokens)
    return True


def _change_placeholders(chance: SeededChoices, holder: Request, name: str) -> bool:
    """Add an unused placeholder, remove one, or give it an invalid name."""
    beside = chance.pick([NAMES, VALUES])
    sign, value = ("#", "more") if beside == NAMES else (":", {"S": "more"})
    known: dict[str, Any] = holder.setdefault(beside, {})
    match chance.below(5):
        case 0:
            known[f"{sign}unused"] = value
        case 1 if known:
            known.pop(chance.pick(sorted(known)))
        case 2:
            known[
                chance.pick(["", sign, "plain", f"{sign}a-b", f"{sign}a b", f"{sign}{'x' * 255}", f"{sign}1", sign * 2])
            ] = value
        case 3 if known:
            known[chance.pick(sorted(known))] = chance.pick(["", "x" * 65_536, "a.b"]) if sign == "#" else {}
        case _:
            holder[beside] = {}
    return True


def _change_a_literal(chance: SeededChoices, holder: Request, name: str) -> bool:
    """Replace a value with a value of another type."""
    values = holder.get(VALUES)
    if not values:
        return False
    others: list[Any] = [{"S": "a"}, {"N": "1"}, {"B": "YQ=="}, {"BOOL": True}, {"NULL": True}, {"L": []}, {"M": {}}]
    others += [{"SS": ["a"]}, {"NS": ["1"]}, {"BS": ["YQ=="]}]
    values[chance.pick(sorted(values))] = chance.pick(others)
    return True


_WAYS: tuple[Callable[[SeededChoices, Request, str], bool], ...] = (
    _replace,
    _replace,
    _drop_a_token,
    _double_a_token,
    _swap_a_token,
    _change_placeholders,
    _change_a_literal,
    _change_a_literal,
)
