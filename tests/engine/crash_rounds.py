"""Kills a writer repeatedly, and checks the store each time.

`python tests/engine/crash_rounds.py FOLDER ROUNDS SEED` exits with 1 if a check fails, and prints the problem and its
seed. It is a separate program with one thread, so that it can fork the writers. A round then takes a tenth of a second.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from tests.engine.crash_model import (
    ACCOUNTS,
    BALANCE,
    CREATION,
    TABLE,
    Item,
    Key,
    Operation,
    State,
    account,
    apply,
    entries,
    opening_items,
    outcome,
    request_of,
)
from tests.engine.crash_writer import Victim, kill_in_turn, write_until_killed

WRITERS = 2
ROUND_SECONDS_MAX = 0.25
NEW_STORE_SECONDS_MAX = 0.06


def create(engine: Engine) -> None:
    engine.call("CreateTable", CREATION)
    for item in opening_items(WRITERS).values():
        engine.call("PutItem", {"TableName": TABLE, "Item": item})


class Wrong(Exception):
    """The store is in an invalid state."""


def read_all(engine: Engine, index: str | None = None) -> dict[Key, Item]:
    """Return all items of a table or index, read in pages."""
    request: dict[str, Any] = {"TableName": TABLE, "Limit": 17} | ({"IndexName": index} if index else {})
    found: dict[Key, Item] = {}
    while True:
        answer = engine.call("Scan", request)
        for item in answer["Items"]:
            key = (item["pk"]["S"], item["sk"]["S"])
            if key in found:
                raise Wrong(f"{index or 'the table'} holds {key} twice")
            found[key] = item
        if "LastEvaluatedKey" not in answer:
            return found
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def in_doubt(reported: list[list[Any]], state: State) -> list[Operation]:
    """Apply the acknowledged operations, and return the operations in progress."""
    in_progress: dict[int, Operation] = {}
    for word, writer, operation in reported:
        if word == "failed":
            raise Wrong(f"a request failed: {operation}")
        if word == "doing":
            in_progress[writer] = operation
        else:
            apply(state, outcome(in_progress.pop(writer), state))
    return list(in_progress.values())


def settle(engine: Engine, operation: Operation, state: State) -> bool:
    """Check that unacknowledged writes are complete or absent. Repeat a transfer, which must count only once.

    The result is whether the write was complete.
    """
    found = read_all(engine)
    changed = outcome(operation, state)
    before = {key: state.get(key) for key in changed}
    after = {key: found.get(key) for key in changed}
    if operation["kind"] == "batch":  # the writes of a batch are independent
        if any(after[key] not in (before[key], changed[key]) for key in changed):
            raise Wrong(f"half a write: {operation}\n{before}\n{after}")
        apply(state, after)
        return after == changed
    if after not in (before, changed):
        raise Wrong(f"half an operation: {operation}\n{before}\n{after}")
    was_done = after == changed
    if operation["kind"] == "transfer" and changed:
        engine.call(*request_of(operation))
        after = changed
    apply(state, after)
    return was_done


def check(engine: Engine, state: State) -> None:
    """Check that all items exist, all indexes match, and the total of the accounts is unchanged."""
    found = read_all(engine)
    for key in sorted({*found, *state}):
        if found.get(key) != state.get(key):
            raise Wrong(f"{key} is {found.get(key)} and should be {state.get(key)}")
    description = engine.call("DescribeTable", {"TableName": TABLE})["Table"]
    for index in [*description.get("GlobalSecondaryIndexes", ()), *description["LocalSecondaryIndexes"]]:
        name = index["IndexName"]
        if index.get("IndexStatus", "ACTIVE") != "ACTIVE":
            raise Wrong(f"{name} is {index['IndexStatus']} after its backfill")
        if read_all(engine, name) != entries(name, state):
            raise Wrong(f"{name} does not match the table")
    for writer in range(WRITERS):
        balances = [int(found[account(writer, number)]["balance"]["N"]) for number in range(ACCOUNTS)]
        if sum(balances) != ACCOUNTS * BALANCE:
            raise Wrong(f"the accounts of writer {writer} hold {balances}")


def one_round(path: Path, chance: random.Random, state: State) -> Counter[str]:
    url = f"file:{path}"
    seed = chance.getrandbits(32)
    # Two threads of one process, or two processes, of which one continues after the other is killed.
    groups = [[0, 1]] if chance.random() < 0.5 else [[0], [1]]
    victims = [
        Victim(partial(write_until_killed, url, seed, writers), chance.uniform(0, ROUND_SECONDS_MAX))
        for writers in groups
    ]
    reported = kill_in_turn(victims)
    doubts = in_doubt(reported, state)
    seen = Counter({"answered": sum(word == "done" for word, *_ in reported)})
    with Engine(url) as engine:
        engine.backfill.wait()
        for operation in doubts:
            seen["under way and done" if settle(engine, operation, state) else "under way and not done"] += 1
        check(engine, state)
    if problems := check_store(path).problems:
        raise Wrong("\n".join(problems))
    return seen


TOGETHER = {
    "TableName": "together",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
WRITTEN_TOGETHER = 4


def one_in_rounds(path: Path, chance: random.Random) -> None:
    """Check that a group commit is complete or absent, and that acknowledged writes exist."""
    url = f"file:{path}"

    def work(pipe: int) -> None:
        engine = Engine(url)
        number = 0
        while True:
            number += 1
            with engine.group_commit():
                for name in range(WRITTEN_TOGETHER):
                    item = {"pk": {"S": str(name)}, "n": {"N": str(number)}}
                    engine.call("PutItem", {"TableName": "together", "Item": item})
            os.write(pipe, b"[%d]\n" % number)

    with Engine(url) as engine:
        engine.call("CreateTable", TOGETHER)
    reported = kill_in_turn([Victim(work, chance.uniform(0, ROUND_SECONDS_MAX))])
    with Engine(url) as engine:
        found = [int(item["n"]["N"]) for item in engine.call("Scan", {"TableName": "together"})["Items"]]
    last = reported[-1][0] if reported else 0
    if found not in ([last] * WRITTEN_TOGETHER, [last + 1] * WRITTEN_TOGETHER) and (last or found):
        raise Wrong(f"a round of {WRITTEN_TOGETHER} left {found}, and {last} was reported")
    if problems := check_store(path).problems:
        raise Wrong("\n".join(problems))


def one_birth(path: Path, chance: random.Random) -> None:
    """Check that a store can be opened if its creator was killed during the creation."""

    def work(_: int) -> None:
        with Engine(f"file:{path}") as engine:
            create(engine)

    kill_in_turn([Victim(work, chance.uniform(0, NEW_STORE_SECONDS_MAX))])
    with Engine(f"file:{path}") as engine:
        if not engine.call("ListTables", {})["TableNames"]:
            create(engine)
        for key, item in read_all(engine).items():
            if opening_items(WRITERS)[key] != item:
                raise Wrong(f"{key} is {item}")
    if problems := check_store(path).problems:
        raise Wrong("\n".join(problems))


def main(folder: Path, rounds: int, seed: int) -> int:
    chance = random.Random(seed)
    path = folder / "store"
    state = opening_items(WRITERS)
    seen: Counter[str] = Counter()
    with Engine(f"file:{path}") as engine:
        create(engine)
    for number in range(rounds):
        try:
            if number % 5 == 3:
                one_in_rounds(folder / f"store-{number}", chance)
            elif number % 5 == 4:
                one_birth(folder / f"store-{number}", chance)
            else:
                seen += one_round(path, chance, state)
        except Exception as error:
            print(f"round {number} of seed {seed}: {error}")
            if not isinstance(error, Wrong):
                raise
            return 1
    print(f"{rounds} kills, {dict(seen)}, {len(state)} items at the end")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
