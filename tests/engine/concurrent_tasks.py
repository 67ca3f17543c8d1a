"""Tasks that several threads or processes run on one store concurrently.

`python tests/engine/concurrent_tasks.py URL TASK TIMES SEED` runs one task as a process. The task `serve` answers
requests. An input line is JSON with an action and its request. The output line contains the response or the error code.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from typing import Any

from singletable.engine.engine import Engine
from singletable.errors import RequestRefused

TABLE = "shared"
ACCOUNTS = 5
BALANCE = 1000
COUNTER = {"pk": {"S": "counter"}}
TOTAL = {"pk": {"S": "total"}}
CREATION: dict[str, Any] = {
    "TableName": TABLE,
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def account(number: int) -> dict[str, Any]:
    return {"pk": {"S": f"account-{number}"}}


def prepare(engine: Engine) -> None:
    """Create the table, a counter with a version, and accounts with money."""
    engine.call("CreateTable", CREATION)
    items = [{**COUNTER, "version": {"N": "0"}}]
    items += [{**account(number), "balance": {"N": str(BALANCE)}} for number in range(ACCOUNTS)]
    for item in items:
        engine.call("PutItem", {"TableName": TABLE, "Item": item})


def count(engine: Engine, times: int, chance: random.Random) -> None:
    """Increment the counter with a conditional write, and retry until it succeeds."""
    done = 0
    while done < times:
        item = engine.call("GetItem", {"TableName": TABLE, "Key": COUNTER, "ConsistentRead": True})["Item"]
        seen = int(item["version"]["N"])
        try:
            engine.call(
                "UpdateItem",
                {
                    "TableName": TABLE,
                    "Key": COUNTER,
                    "UpdateExpression": "SET version = :next",
                    "ConditionExpression": "version = :seen",
                    "ExpressionAttributeValues": {":next": {"N": str(seen + 1)}, ":seen": {"N": str(seen)}},
                },
            )
        except RequestRefused as error:
            if error.code != "ConditionalCheckFailedException":
                raise
            continue
        done += 1


def add(engine: Engine, times: int, chance: random.Random) -> None:
    """Add one to the counter without reading it."""
    for _ in range(times):
        engine.call(
            "UpdateItem",
            {
                "TableName": TABLE,
                "Key": TOTAL,
                "UpdateExpression": "ADD amount :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            },
        )


def transfer(engine: Engine, times: int, chance: random.Random) -> None:
    """Move money between accounts in one transaction, unless the balance is too low."""
    for _ in range(times):
        source, target = chance.sample(range(ACCOUNTS), 2)
        amount = chance.randrange(1, 400)

        def change(number: int, by: int, condition: str) -> dict[str, Any]:
            return {
                "Update": {
                    "TableName": TABLE,
                    "Key": account(number),
                    "UpdateExpression": "ADD balance :by",
                    "ConditionExpression": condition,
                    "ExpressionAttributeValues": {":by": {"N": str(by)}, ":least": {"N": str(max(0, -by))}},
                }
            }

        actions = [change(source, -amount, "balance >= :least"), change(target, amount, "balance >= :least")]
        try:
            engine.call("TransactWriteItems", {"TransactItems": actions})
        except RequestRefused as error:
            if "ConditionalCheckFailed" not in error.message:
                raise


def balances(engine: Engine) -> list[int]:
    """Return all accounts in one snapshot."""
    gets = [{"Get": {"TableName": TABLE, "Key": account(number)}} for number in range(ACCOUNTS)]
    responses = engine.call("TransactGetItems", {"TransactItems": gets})["Responses"]
    return [int(response["Item"]["balance"]["N"]) for response in responses]


def write_grouped(engine: Engine, times: int, chance: random.Random) -> None:
    """Put, move and delete indexed items."""
    for _ in range(times):
        key = {"pk": {"S": f"item-{chance.randrange(60)}"}}
        group = {"S": chance.choice(["red", "green", "blue"])}
        match chance.randrange(4):
            case 0:
                engine.call("DeleteItem", {"TableName": TABLE, "Key": key})
            case 1:
                item = {**key, "group": group, "payload": {"S": "x" * chance.randrange(3000)}}
                engine.call("PutItem", {"TableName": TABLE, "Item": item})
            case _:
                update = {"UpdateExpression": "SET #group = :group", "ExpressionAttributeNames": {"#group": "group"}}
                values = {"ExpressionAttributeValues": {":group": group}}
                engine.call("UpdateItem", {"TableName": TABLE, "Key": key, **update, **values})


def serve(engine: Engine, times: int, chance: random.Random) -> None:
    """Answer the requests on standard input."""
    for line in sys.stdin:
        action, request = json.loads(line)
        try:
            answer: dict[str, Any] = engine.call(action, request)
        except RequestRefused as error:
            answer = {"refused": error.code}
        print(json.dumps(answer), flush=True)


TASKS: dict[str, Callable[[Engine, int, random.Random], None]] = {
    "count": count,
    "add": add,
    "transfer": transfer,
    "write_grouped": write_grouped,
    "serve": serve,
}


def main(url: str, task: str, times: str, seed: str) -> None:
    with Engine(url) as engine:
        if task != "serve":
            # All threads start at the same time, so that they conflict.
            print("ready", flush=True)
            sys.stdin.readline()
        TASKS[task](engine, int(times), random.Random(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])
