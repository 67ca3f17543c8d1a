"""The operations of a writer that is killed, and the expected items after each.

The writer and the process that kills it derive the same from an operation: the request to send, and the items after it.
"""

from __future__ import annotations

import random
from typing import Any

TABLE = "survivors"
ACCOUNTS = 4
BALANCE = 100
SORT_KEYS = tuple(f"item-{number}" for number in range(12))

Key = tuple[str, str]
Item = dict[str, Any]
State = dict[Key, Item]
Operation = dict[str, Any]

CREATION: dict[str, Any] = {
    "TableName": TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "S"), ("group", "S"), ("rank", "N"), ("shelf", "S"))
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-group",
            "KeySchema": [
                {"AttributeName": "group", "KeyType": "HASH"},
                {"AttributeName": "rank", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["version"]},
        }
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by-shelf",
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "shelf", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
LATER_INDEX: dict[str, Any] = {
    "IndexName": "later",
    "KeySchema": [{"AttributeName": "rank", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "KEYS_ONLY"},
}
# The projected attributes of each index, in addition to the keys. Empty means all attributes.
INDEXES: dict[str, tuple[tuple[str, ...], tuple[str, ...] | None]] = {
    "by-group": (("group", "rank"), ("version",)),
    "by-shelf": (("pk", "shelf"), None),
    "later": (("rank",), ()),
}


def key_of(key: Key) -> Item:
    return {"pk": {"S": key[0]}, "sk": {"S": key[1]}}


def account(writer: int, number: int) -> Key:
    return f"accounts-{writer}", f"account-{number}"


def opening_items(writers: int) -> State:
    keys = [account(writer, number) for writer in range(writers) for number in range(ACCOUNTS)]
    return {key: {**key_of(key), "balance": {"N": str(BALANCE)}} for key in keys}


def random_operation(chance: random.Random, writer: int, number: int) -> Operation:
    """Return an operation, in a short form that is reported before it runs."""
    kind = chance.choices(("put", "update", "delete", "transfer", "batch", "index"), (5, 5, 2, 5, 2, 0.3))[0]
    key = [f"items-{writer}-{chance.randrange(2)}", chance.choice(SORT_KEYS)]
    match kind:
        case "put":
            return _random_put(chance, key)
        case "update":
            group = chance.choice([None, "red", "green"])
            return {"kind": kind, "key": key, "group": group, "leaves_shelf": chance.random() < 0.3}
        case "transfer":
            source, target = chance.sample(range(ACCOUNTS), 2)
            amount = chance.randrange(1, 60)
            names = {"writer": writer, "source": source, "target": target}
            return {"kind": kind, **names, "amount": amount, "token": f"{writer}-{number}-{chance.getrandbits(60)}"}
        case "batch":
            keys = chance.sample([[key[0], sort] for sort in SORT_KEYS], chance.randrange(2, 12))
            writes = [_random_put(chance, each) if chance.random() < 0.7 else _delete(each) for each in keys]
            return {"kind": kind, "writes": writes}
        case "index":
            return {"kind": kind, "creates": chance.random() < 0.5}
        case _:
            return _delete(key)


def _random_put(chance: random.Random, key: list[str]) -> Operation:
    return {
        "kind": "put",
        "key": key,
        "group": chance.choice([None, "red", "green", "blue"]),
        "rank": chance.randrange(5),
        "shelf": chance.choice([None, "top", "bottom"]),
        "letter": chance.choice("abc"),
        "length": chance.choice([1, 10, 200, 3000, 30_000]),
    }


def _delete(key: list[str]) -> Operation:
    return {"kind": "delete", "key": key}


def request_of(operation: Operation) -> tuple[str, dict[str, Any]]:
    """Return the action and the request of an operation."""
    match operation["kind"]:
        case "put":
            return "PutItem", {"TableName": TABLE, "Item": _put_item(operation)}
        case "delete":
            return "DeleteItem", {"TableName": TABLE, "Key": key_of(_key(operation))}
        case "update":
            return "UpdateItem", _update_request(operation)
        case "batch":
            writes: list[dict[str, Any]] = []
            for write in operation["writes"]:
                if write["kind"] == "put":
                    writes.append({"PutRequest": {"Item": _put_item(write)}})
                else:
                    writes.append({"DeleteRequest": {"Key": key_of(_key(write))}})
            return "BatchWriteItem", {"RequestItems": {TABLE: writes}}
        case "index":
            change = {"Create": LATER_INDEX} if operation["creates"] else {"Delete": {"IndexName": "later"}}
            definitions = CREATION["AttributeDefinitions"]
            request = {"AttributeDefinitions": definitions, "GlobalSecondaryIndexUpdates": [change]}
            return "UpdateTable", {"TableName": TABLE, **request}
        case _:
            return "TransactWriteItems", _transfer_request(operation)


def _key(operation: Operation) -> Key:
    return operation["key"][0], operation["key"][1]


def _put_item(operation: Operation) -> Item:
    item: Item = {**key_of(_key(operation)), "rank": {"N": str(operation["rank"])}, "version": {"N": "0"}}
    for name in ("group", "shelf"):
        if operation[name] is not None:
            item[name] = {"S": operation[name]}
    item["payload"] = {"S": operation["letter"] * operation["length"]}
    return item


def _update_request(operation: Operation) -> dict[str, Any]:
    values: Item = {":one": {"N": "1"}}
    text = "ADD version :one"
    names = {}
    if operation["group"] is not None:
        text += " SET #group = :group"
        values[":group"] = {"S": operation["group"]}
        names = {"#group": "group"}
    if operation["leaves_shelf"]:
        text += " REMOVE shelf"
    request = {"TableName": TABLE, "Key": key_of(_key(operation)), "UpdateExpression": text}
    return {**request, "ExpressionAttributeValues": values, **({"ExpressionAttributeNames": names} if names else {})}


def _transfer_request(operation: Operation) -> dict[str, Any]:
    writer, amount = operation["writer"], operation["amount"]

    def change(number: int, by: int) -> dict[str, Any]:
        return {
            "TableName": TABLE,
            "Key": key_of(account(writer, number)),
            "UpdateExpression": "ADD balance :by",
            "ExpressionAttributeValues": {":by": {"N": str(by)}},
        }

    taken = change(operation["source"], -amount)
    taken["ConditionExpression"] = "balance >= :least"
    taken["ExpressionAttributeValues"][":least"] = {"N": str(amount)}
    noted = {"TableName": TABLE, "Item": _note(operation)}
    actions = [{"Update": taken}, {"Put": noted}, {"Update": change(operation["target"], amount)}]
    return {"TransactItems": actions, "ClientRequestToken": operation["token"][:36]}


def _note(operation: Operation) -> Item:
    """Return the item of the last transfer between two accounts. It is in an index too."""
    sort = f"last-{operation['source']}-{operation['target']}"
    key = (account(operation["writer"], 0)[0], sort)
    return {**key_of(key), "shelf": {"S": "notes"}, "token": {"S": operation["token"]}}


def outcome(operation: Operation, state: State) -> dict[Key, Item | None]:
    """Return the items that an operation changes, in their state after it."""
    match operation["kind"]:
        case "put":
            return {_key(operation): _put_item(operation)}
        case "delete":
            return {_key(operation): None}
        case "batch":
            return {key: item for write in operation["writes"] for key, item in outcome(write, state).items()}
        case "index":
            return {}
        case "update":
            key = _key(operation)
            item = dict(state.get(key, key_of(key)))
            item["version"] = {"N": str(int(item.get("version", {"N": "0"})["N"]) + 1)}
            if operation["group"] is not None:
                item["group"] = {"S": operation["group"]}
            if operation["leaves_shelf"]:
                item.pop("shelf", None)
            return {key: item}
        case _:
            return _transferred(operation, state)


def _transferred(operation: Operation, state: State) -> dict[Key, Item | None]:
    amount, writer = operation["amount"], operation["writer"]
    source, target = account(writer, operation["source"]), account(writer, operation["target"])
    if int(state[source]["balance"]["N"]) < amount:
        return {}
    note = _note(operation)
    changed: dict[Key, Item | None] = {(note["pk"]["S"], note["sk"]["S"]): note}
    for key, by in ((source, -amount), (target, amount)):
        changed[key] = {**state[key], "balance": {"N": str(int(state[key]["balance"]["N"]) + by)}}
    return changed


def apply(state: State, changed: dict[Key, Item | None]) -> None:
    for key, item in changed.items():
        if item is None:
            state.pop(key, None)
        else:
            state[key] = item


def entries(index: str, state: State) -> dict[Key, Item]:
    """Return the expected entries of an index."""
    keys, included = INDEXES[index]
    found: dict[Key, Item] = {}
    for key, item in state.items():
        if all(name in item for name in keys):
            held = None if included is None else {*keys, "pk", "sk", *included}
            found[key] = {name: value for name, value in item.items() if held is None or name in held}
    return found
