"""Random requests: conditions, updates, projections and the actions that use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.engine.oracle.generated_values import (
    ATTRIBUTES,
    INDEX_ATTRIBUTES,
    PATHS,
    SCALARS,
    Given,
    attribute,
    list_value,
    ordered_value,
    scalar,
    set_value,
    value,
)
from tests.engine.oracle.oracle_conditions import (
    At,
    BeginsWith,
    Between,
    Both,
    Compare,
    Condition,
    Contains,
    Exists,
    In,
    KeyCondition,
    Literal,
    Not,
    OfType,
    Size,
)
from tests.engine.oracle.oracle_table import OracleIndex
from tests.engine.oracle.oracle_updates import (
    Arithmetic,
    IfNotExists,
    ListAppend,
    New,
    Old,
    Projection,
    Source,
    Update,
    overlap,
)
from tests.engine.oracle.oracle_values import Item, Path, Value, at, kind_of, sort_key
from tests.engine.oracle.seeded_choices import SeededChoices

KINDS = ("S", "N", "B", "SS", "NS", "BS", "L", "M", "BOOL", "NULL")
Request = dict[str, Any]


# Conditions


def condition(
    chance: SeededChoices, given: Given, item: Item, without: Sequence[str] = (), depth: int = 0
) -> Condition:
    """Return a condition of a few tests with values like those of an item. It omits the attributes in `without`."""
    match chance.below(4 if depth < 2 else 2):
        case 2:
            left, right = (condition(chance, given, item, without, depth + 1) for _ in range(2))
            return Both(chance.pick(["AND", "OR"]), left, right, is_bare=chance.one_in(2))
        case 3:
            return Not(condition(chance, given, item, without, depth + 1))
        case _:
            return _test(chance, given, item, without)


def _path(chance: SeededChoices, given: Given, without: Sequence[str] = ()) -> Path:
    """Return a path into items, or a key attribute, which is a scalar."""
    names = [name for name in (*given.table.key_names, *INDEX_ATTRIBUTES) if name not in without]
    return (chance.pick(names),) if names and chance.one_in(3) else chance.pick(PATHS)


def _test(chance: SeededChoices, given: Given, item: Item, without: Sequence[str]) -> Condition:
    """Return one valid test of an item."""
    path = _path(chance, given, without)
    known = at(item, path)

    def literal() -> Value:
        if known is not None and chance.one_in(2):
            return known
        return given.key_value(chance, str(path[0])) if path[0] in given.pools else value(chance)

    def ordered() -> Value:
        if path[0] in given.pools:
            return given.key_value(chance, str(path[0]))
        kind = kind_of(known) if known is not None else ""
        return ordered_value(chance, kind if kind in ("S", "N", "B") and not chance.one_in(4) else None)

    match chance.below(9):
        case 0:
            return Compare(chance.pick(["=", "<>"]), At(path), Literal(literal()))
        case 1:
            return Compare(chance.pick(["<", "<=", ">", ">="]), At(path), Literal(ordered()))
        case 2:
            other = _path(chance, given, without)
            if other != path:
                return Compare(chance.pick(["=", "<>", "<", ">="]), At(path), At(other))
            return Compare(chance.pick(["=", "<>"]), Literal(literal()), At(path))
        case 3:
            return Exists(path, not chance.one_in(2))
        case 4:
            is_known = known is not None and chance.one_in(2)
            return OfType(path, kind_of(known) if known is not None and is_known else chance.pick(KINDS))
        case 5:
            return BeginsWith(path, ordered_value(chance, chance.pick("SB")))
        case 6:
            return Contains(path, _part(chance, known) or scalar(chance))
        case 7:
            return _between(chance, path, ordered())
        case _ if chance.one_in(2):
            return Compare(chance.pick(["=", "<>", "<", ">="]), Size(path), Literal({"N": str(chance.below(4))}))
        case _:
            return In(At(path), tuple(Literal(literal()) for _ in chance.times(1, 3)))


def _part(chance: SeededChoices, known: Value | None) -> Value | None:
    """Return, in half of the cases, a part of the value."""
    if known is None or chance.one_in(2):
        return None
    ((kind, content),) = known.items()
    if kind in ("L", "SS", "NS", "BS") and content:
        return chance.pick(content) if kind == "L" else {kind[0]: chance.pick(content)}
    return known if kind in ("S", "B") else None


def _between(chance: SeededChoices, path: Path, one: Value) -> Condition:
    other = ordered_value(chance, kind_of(one))
    low, high = sorted([one, other], key=sort_key)
    return Between(At(path), Literal(low), Literal(high))


# Updates and projections


def update(chance: SeededChoices, given: Given, item: Item, *, fits: bool = False) -> Update:
    """Return one to four changes, mostly valid for the item; they include index keys."""
    sets, removes, adds, deletes = [], [], [], []
    is_wild = chance.one_in(4)
    chosen = (_changed_path(chance, given, fits) for _ in chance.times(1, 4))
    for path in _without_overlaps(chosen):
        known = at(item, path)
        if not is_wild and len(path) > 1 and not _has_place(item, path):
            continue
        kind = None if is_wild else kind_of(known) if known is not None else ""
        set_kind = kind if kind in ("SS", "NS", "BS") else None
        action = chance.below(6)
        if action == 0:
            removes.append(path)
        elif action == 1 and kind in (None, "", "N", "SS", "NS", "BS"):
            is_number = kind == "N" or (kind in (None, "") and chance.one_in(2))
            adds.append((path, ordered_value(chance, "N") if is_number else set_value(chance, set_kind)))
        elif action == 2 and kind in (None, "", "SS", "NS", "BS"):
            deletes.append((path, set_value(chance, set_kind)))
        else:
            sets.append((path, _source(chance, given, path, kind, item)))
    if not (sets or removes or adds or deletes):
        removes.append((chance.pick(ATTRIBUTES),))
    return Update(tuple(sets), tuple(removes), tuple(adds), tuple(deletes))


def _has_place(item: Item, path: Path) -> bool:
    """Return whether a path can be written, because it is inside a map or a list."""
    inside = at(item, path[:-1])
    return inside is not None and ("M" if isinstance(path[-1], str) else "L") in inside


def _changed_path(chance: SeededChoices, given: Given, fits: bool) -> Path:
    if fits or not chance.one_in(3):
        return chance.pick(PATHS)
    return (chance.pick(given.table.key_names if chance.one_in(30) else INDEX_ATTRIBUTES),)


def _without_overlaps(chosen: Any) -> tuple[Path, ...]:
    distinct: list[Path] = []
    for path in chosen:
        if not any(overlap(path, other) for other in distinct):
            distinct.append(path)
    return tuple(distinct)


def _source(chance: SeededChoices, given: Given, path: Path, kind: str | None, item: Item) -> Source:
    """Return the right side of an assignment. It has the type `kind` unless that is None."""
    if path[0] in given.pools:
        return New(given.index_value(chance, str(path[0])))
    others = [other for other in PATHS if kind is None or at(item, other) is not None] or [path]
    other = chance.pick(others)
    case = chance.below(6)
    if kind is not None:
        allowed = [0, 1] if at(item, other) is None else [0, 1, 5]
        allowed += {"N": [3, 3, 3], "L": [2, 2, 2], "": [3]}.get(kind, [])
        case = chance.pick(allowed)
        other = path if case in (2, 3) else other
    match case:
        case 0:
            return New(attribute(chance, str(path[0])) if len(path) == 1 else value(chance))
        case 1:
            return IfNotExists(other, New(value(chance)))
        case 2:
            first = chance.pick([Old(other), IfNotExists(other, New({"L": []})), New(list_value(chance))])
            second = New(list_value(chance, 2))
            return ListAppend(second, first) if chance.one_in(2) else ListAppend(first, second)
        case 3 | 4:
            either = IfNotExists(path, New({"N": "0"}))
            left = either if kind == "" else chance.pick([Old(path), Old(other), either, Old(path)])
            return Arithmetic(chance.pick("+-"), left, New({"N": chance.pick(SCALARS["N"])}))
        case _:
            return Old(other)


def projection(chance: SeededChoices, given: Given, allowed: Sequence[str] | None = None) -> Projection:
    """Return one to four paths into the `allowed` attributes."""
    if allowed is None:
        return Projection(_without_overlaps(_path(chance, given) for _ in chance.times(1, 4)))
    paths = [*((name,) for name in allowed), *(path for path in PATHS if path[0] in allowed)]
    return Projection(_without_overlaps(chance.pick(paths) for _ in chance.times(1, 4)))


# Writes and reads of single items


def write(chance: SeededChoices, given: Given, action: str, *, fits: bool = False) -> Request:
    """Return the members that single writes and actions of a transaction share."""
    request: Request = {"TableName": given.table.name}
    if action in ("PutItem", "Put"):
        request["Item"] = given.item(chance, fits=fits)
    else:
        request["Key"] = given.key(chance)
    named: Item = request["Item"] if "Item" in request else request["Key"]
    item = given.table.items.get(given.table.key_of(named), {})
    if action in ("UpdateItem", "Update"):
        is_empty = action == "UpdateItem" and chance.one_in(20)
        request["UpdateExpression"] = None if is_empty else update(chance, given, item, fits=fits)
    if action == "ConditionCheck" or chance.one_in(3 if action.endswith("Item") else 6):
        request["ConditionExpression"] = condition(chance, given, item)
        if chance.one_in(2):
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return request


def single_write(chance: SeededChoices, given: Given, action: str) -> Request:
    request = write(chance, given, action)
    words = ["NONE", "ALL_OLD"]
    if action == "UpdateItem":
        words += ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"]
    request["ReturnValues"] = chance.pick(words)
    request["ReturnConsumedCapacity"] = capacity(chance)
    if chance.one_in(3):
        request["ReturnItemCollectionMetrics"] = "SIZE"
    return request


def capacity(chance: SeededChoices) -> str:
    return chance.pick(["INDEXES", "INDEXES", "TOTAL", "NONE"])


def reading(chance: SeededChoices, given: Given) -> Request:
    """Return the read options of an item, alone or in a batch."""
    request: Request = {}
    if chance.one_in(3):
        request["ProjectionExpression"] = projection(chance, given)
    if chance.one_in(2):
        request["ConsistentRead"] = True
    return request


def get(chance: SeededChoices, given: Given) -> Request:
    request = {"TableName": given.table.name, "Key": given.key(chance), **reading(chance, given)}
    return request | {"ReturnConsumedCapacity": capacity(chance)}


# Batches and transactions over several tables.


def batch_write(chance: SeededChoices, tables: Sequence[Given]) -> Request:
    requests: dict[str, list[Request]] = {}
    for _ in chance.times(1, 6):
        given = chance.pick(tables)
        if chance.one_in(3):
            one: Request = {"DeleteRequest": {"Key": given.key(chance)}}
        else:
            one = {"PutRequest": {"Item": given.item(chance, fits=False)}}
        requests.setdefault(given.table.name, []).append(one)
    return {"RequestItems": _mostly_distinct(chance, tables, requests), "ReturnConsumedCapacity": capacity(chance)}


def _mostly_distinct(chance: SeededChoices, tables: Sequence[Given], requests: dict[str, list[Request]]) -> Request:
    """Return keys that are distinct in most batches. DynamoDB rejects the other batches."""
    if chance.one_in(10):
        return requests
    for given in tables:
        by_key = {}
        for one in requests.get(given.table.name, ()):
            (inner,) = one.values()
            by_key[given.table.key_of(inner.get("Item", inner.get("Key")))] = one
        if by_key:
            requests[given.table.name] = list(by_key.values())
    return requests


def batch_get(chance: SeededChoices, tables: Sequence[Given]) -> Request:
    requests: dict[str, Request] = {}
    for given in chance.several(tables, 1, len(tables)):
        keys = [given.key(chance) for _ in chance.times(1, 6)]
        if not chance.one_in(10):
            keys = list({given.table.key_of(key): key for key in keys}.values())
        requests[given.table.name] = {"Keys": keys, **reading(chance, given)}
    return {"RequestItems": requests, "ReturnConsumedCapacity": capacity(chance)}


def transact_write(chance: SeededChoices, tables: Sequence[Given], *, fits: bool = False) -> Request:
    actions = []
    for _ in chance.times(1, 4):
        given = chance.pick(tables)
        word = chance.pick(["Put", "Put", "Put", "Update", "Update", "Update", "Delete", "ConditionCheck"])
        actions.append({word: write(chance, given, word, fits=fits)})
    return {"TransactItems": _mostly_apart(chance, tables, actions), "ReturnConsumedCapacity": capacity(chance)}


def transact_get(chance: SeededChoices, tables: Sequence[Given]) -> Request:
    gets = []
    for _ in chance.times(1, 4):
        given = chance.pick(tables)
        get_one: Request = {"TableName": given.table.name, "Key": given.key(chance)}
        if chance.one_in(3):
            get_one["ProjectionExpression"] = projection(chance, given)
        gets.append({"Get": get_one})
    return {"TransactItems": _mostly_apart(chance, tables, gets), "ReturnConsumedCapacity": capacity(chance)}


def _mostly_apart(chance: SeededChoices, tables: Sequence[Given], actions: list[Request]) -> list[Request]:
    """Return transactions that mostly have one action per item. DynamoDB rejects the others."""
    if chance.one_in(10):
        return actions
    by_name = {given.table.name: given.table for given in tables}
    apart = {}
    for action in actions:
        (one,) = action.values()
        table = by_name[one["TableName"]]
        apart[table.name, table.key_of(one.get("Item", one.get("Key")))] = action
    return list(apart.values())


# Pages


def key_condition(chance: SeededChoices, given: Given, index: OracleIndex | None) -> KeyCondition:
    table = given.table
    partition = table.key_names[:1] if index is None else index.partition
    sort = table.key_names[1:] if index is None else index.sort
    reach = chance.below(len(sort) + 1)
    names = [*partition, *sort[: max(0, reach - 1)]]
    entries = list(table.entries(index).values())
    known = chance.pick(entries) if entries and not chance.one_in(5) else {}
    equal = tuple((name, known.get(name) or given.key_value(chance, name)) for name in names)
    return KeyCondition(equal, _sort_test(chance, given, sort[reach - 1]) if reach else None)


def _sort_test(chance: SeededChoices, given: Given, name: str) -> Condition:
    where = At((name,))
    literal: Callable[[SeededChoices, str], Value] = given.any_key_value
    match chance.below(4):
        case 0:
            return Compare("=", where, Literal(given.key_value(chance, name)))
        case 1:
            return Compare(chance.pick(["<", "<=", ">", ">="]), where, Literal(literal(chance, name)))
        case 2 if given.table.kinds[name] != "N":
            return BeginsWith((name,), literal(chance, name))
        case _:
            low, high = literal(chance, name), literal(chance, name)
            if sort_key(low) > sort_key(high) and not chance.one_in(10):
                low, high = high, low
            return Between(where, Literal(low), Literal(high))


def page(chance: SeededChoices, given: Given, *, is_query: bool) -> Request:
    """Return a Query or Scan of the table or one of its indexes."""
    table = given.table
    index = table.indexes.get(chance.pick(["", *table.indexes]))
    request: Request = {"TableName": table.name, "ReturnConsumedCapacity": capacity(chance)}
    without: tuple[str, ...] = ()
    if index is not None:
        request["IndexName"] = index.name
    if is_query:
        request["KeyConditionExpression"] = key_condition(chance, given, index)
        request["ScanIndexForward"] = chance.one_in(2)
        without = table.key_names if index is None else index.key_names
    if chance.one_in(2):
        request["Limit"] = 1 + chance.below(4)
    if chance.one_in(3):
        item = given.known_item(chance) if table.items else {}
        # Occasionally the filter of a Query has a key attribute, which DynamoDB rejects.
        request["FilterExpression"] = condition(chance, given, item, () if chance.one_in(20) else without)
    if chance.one_in(2) and (index is None or index.is_local or chance.one_in(10)):
        request["ConsistentRead"] = True
    return request | _selected(chance, given, index)


def _selected(chance: SeededChoices, given: Given, index: OracleIndex | None) -> Request:
    """Return the selected attributes. Sometimes a global index does not project them."""
    held = given.table.holds
    names = (*given.table.key_names, *INDEX_ATTRIBUTES, "a", "b", "n", "s", "l", "m")
    match chance.below(7):
        case 1:
            return {"Select": "COUNT"}
        case 2:
            return {"ProjectionExpression": projection(chance, given)}
        case 3:
            allowed = [name for name in names if index is None or held(index, name)]
            return {"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": projection(chance, given, allowed)}
        case 4:
            return {"Select": "ALL_ATTRIBUTES"}
        case 5 if index is not None:
            return {"Select": "ALL_PROJECTED_ATTRIBUTES"}
        case _:
            return {}
