"""The checker accepts histories that some order explains, and no others."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.engine.faults.linearizability import NEVER, UNKNOWN, Model, Operation, first_violation, is_linearizable
from tests.engine.faults.table_model import FAILED, MODEL, History


def register(state: int, operation: Operation) -> tuple[Any, int]:
    return (state, state) if operation.name == "read" else ("ok", operation.arguments[0])


REGISTER = Model(0, register)


def write(value: int, started: float, ended: float, result: Any = "ok") -> Operation:
    return Operation("write", (value,), result, started, ended)


def read(value: int, started: float, ended: float) -> Operation:
    return Operation("read", (), value, started, ended)


LINEARIZABLE = {
    "empty": [],
    "one after another": [write(1, 1, 2), read(1, 3, 4), write(2, 5, 6), read(2, 7, 8)],
    "a read during a write sees it or not": [write(1, 1, 10), read(0, 2, 3), read(1, 4, 5), read(1, 6, 7)],
    # The example of Herlihy and Wing: the write of 0 precedes the write of 1, which two reads see.
    "overlapping writes in either order": [write(1, 1, 6), write(2, 2, 5), read(1, 7, 8), read(1, 9, 10)],
    "a lost write that took effect": [write(1, 1, 2, UNKNOWN), read(1, 3, 4)],
    "a lost write without effect": [write(1, 1, 2, UNKNOWN), read(0, 3, 4)],
    "a lost write with a late effect": [write(1, 1, NEVER, UNKNOWN), read(0, 3, 4), read(1, 5, 6)],
    "times that touch overlap": [write(1, 1, 3), read(0, 3, 4), read(1, 5, 6)],
}
NOT_LINEARIZABLE = {
    "a stale read": [write(1, 1, 2), read(0, 3, 4)],
    "a value from nowhere": [write(1, 1, 2), read(7, 3, 4)],
    "reads that go back": [write(1, 1, 10), read(1, 2, 3), read(0, 4, 5)],
    "two readers that see two orders": [
        write(1, 1, 2),
        write(2, 1, 2),
        read(1, 3, 4),
        read(2, 5, 6),
        read(1, 7, 8),
    ],
    "a read before its write": [read(1, 1, 2), write(1, 3, 4)],
    "a lost write that takes effect after its end": [write(1, 1, 2, UNKNOWN), read(0, 3, 4), read(1, 5, 6)],
    "a lost write that takes effect and goes": [write(1, 1, NEVER, UNKNOWN), read(1, 3, 4), read(0, 5, 6)],
}


@pytest.mark.parametrize("name", LINEARIZABLE)
def test_the_linearizability_check_accepts_histories_with_a_possible_order(name: str) -> None:
    assert is_linearizable(LINEARIZABLE[name], REGISTER)
    assert first_violation(LINEARIZABLE[name], REGISTER) == []


@pytest.mark.parametrize("name", NOT_LINEARIZABLE)
def test_the_linearizability_check_rejects_histories_without_a_possible_order(name: str) -> None:
    assert not is_linearizable(NOT_LINEARIZABLE[name], REGISTER)
    assert first_violation(NOT_LINEARIZABLE[name], REGISTER)


def on_table(name: str, *arguments: Any, result: Any, at: tuple[float, float]) -> Operation:
    return Operation(name, arguments, result, *at)


def test_linearizability_of_a_table_covers_conditions_counters_and_transactions() -> None:
    start = [
        on_table("create", 0, 100, result="ok", at=(1, 2)),
        on_table("create", 0, 200, result=FAILED, at=(3, 4)),
        on_table("swap", 0, 100, 300, result="ok", at=(5, 9)),
        on_table("add", 0, 5, result=305, at=(6, 10)),
        on_table("transfer", 0, 1, 50, result="ok", at=(11, 12)),
        on_table("transfer", 0, 1, 1000, result=FAILED, at=(13, 14)),
    ]
    total = on_table("read all", result=(255, 50, None), at=(15, 16))
    assert is_linearizable([*start, total], MODEL)
    for wrong in ((305, 50, None), (255, None, None), (255, 50, 0)):  # half a transaction, or an item from nowhere
        assert not is_linearizable([*start, on_table("read all", result=wrong, at=(15, 16))], MODEL)
    twice = on_table("add", 0, 5, result=310, at=(6, 10))  # a counter that counts twice
    assert not is_linearizable([*start[:3], twice], MODEL)
    both = [on_table("create", 2, value, result="ok", at=(1, 5)) for value in (100, 200)]
    assert not is_linearizable(both, MODEL)


def orders(operations: Sequence[Operation]) -> Iterator[Sequence[Operation]]:
    """Return every order of the operations in which an operation precedes those that start after its end."""
    for order in itertools.permutations(operations):
        if not any(b.ended < a.started for a, b in itertools.combinations(order, 2)):
            yield order


def is_explained(operations: Sequence[Operation], model: Model[int]) -> bool:
    for order in orders(operations):
        states = {model.initial}
        for operation in order:
            states = {after for state in states for after in model.successors(state, operation)}
        if states:
            return True
    return False


def test_linearizability_agrees_with_a_search_of_all_orders() -> None:
    chance, found = random.Random(19), {True: 0, False: 0}
    for _ in range(400):
        operations = []
        for value in range(1, chance.randrange(2, 6)):
            started = chance.randrange(12)
            times = (started, started + chance.randrange(1, 8))
            if chance.random() < 0.5:
                operations.append(write(value, *times, chance.choice(["ok", "ok", UNKNOWN])))
            else:
                operations.append(read(chance.randrange(4), *times))
        expected = is_explained(operations, REGISTER)
        assert is_linearizable(operations, REGISTER) == expected
        found[expected] += 1
    assert min(found.values()) > 50


def test_linearizability_is_checked_quickly_for_long_histories() -> None:
    """Only an ordered search finishes: the operations of four callers have too many orders to try."""
    chance, history, state = random.Random(7), History(), MODEL.initial
    operations: list[Operation] = []
    for time in range(400):
        name, arguments = history.choose(chance)
        made = Operation(name, arguments, None, time - chance.random() * 3, time + chance.random() * 3)
        result, state = MODEL.apply(state, made)
        operations.append(Operation(name, arguments, result, made.started, made.ended))
    assert is_linearizable(operations, MODEL)
