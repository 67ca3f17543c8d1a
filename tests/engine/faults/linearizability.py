"""A checker for linearizability: whether operations at overlapping times equal some order of one at a time.

Each operation must seem to take effect at one moment between its start and its end. The search is that of Wing and Gong
with Lowe's memory: it linearizes one operation after another, goes back when an operation ends that it has not
linearized, and never tries the same set of operations with the same state twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

S = TypeVar("S", bound=Hashable)

NEVER = float("inf")


class _Unknown:
    def __repr__(self) -> str:
        return "?"


UNKNOWN: Any = _Unknown()
"""The result of an operation that may have taken effect before its end, or not at all."""


@dataclass(frozen=True)
class Operation:
    """One operation, with its times; one that may take effect at any later time ends at NEVER."""

    name: str
    arguments: tuple[Any, ...]
    result: Any
    started: float
    ended: float
    caller: str = ""

    def __str__(self) -> str:
        arguments = ", ".join(map(str, self.arguments))
        return f"[{self.started}, {self.ended}] {self.caller} {self.name}({arguments}) -> {self.result}"


@dataclass(frozen=True)
class Model(Generic[S]):
    """The behaviour of operations that run one at a time: the state before the first, and what each one does."""

    initial: S
    apply: Callable[[S, Operation], tuple[Any, S]]
    """Returns the result of an operation in a state, and the state after it."""

    def successors(self, state: S, operation: Operation) -> Sequence[S]:
        """Return the possible states after an operation; none if its result is impossible in this state."""
        result, after = self.apply(state, operation)
        if operation.result is UNKNOWN:
            return (after,) if after == state else (after, state)
        return (after,) if result == operation.result else ()


class _Event:
    """The start or the end of an operation, in a list of the events that are not linearized."""

    __slots__ = ("end", "following", "number", "previous")

    def __init__(self, number: int) -> None:
        self.number = number
        self.end: _Event | None = None
        self.previous: _Event
        self.following: _Event | None = None

    def lift(self) -> None:
        """Remove the start and the end of this operation from the list."""
        assert self.end is not None
        for event in (self, self.end):
            event.previous.following = event.following
            if event.following is not None:
                event.following.previous = event.previous

    def unlift(self) -> None:
        """Put them back."""
        assert self.end is not None
        for event in (self.end, self):
            event.previous.following = event
            if event.following is not None:
                event.following.previous = event


def _events(operations: Sequence[Operation]) -> _Event:
    """Return the head of the list of all events, ordered by time."""
    timed: list[tuple[float, int, _Event]] = []
    for number, operation in enumerate(operations):
        start, end = _Event(number), _Event(number)
        start.end = end
        # A start and an end at the same time overlap, so starts come first.
        timed += [(operation.started, 0, start), (operation.ended, 1, end)]
    timed.sort(key=lambda each: each[:2])
    head = _Event(-1)
    for before, after in pairwise([head, *(event for _, _, event in timed)]):
        before.following, after.previous = after, before
    return head


def is_linearizable(operations: Iterable[Operation], model: Model[Any]) -> bool:
    """Return whether the operations are linearizable."""
    history = list(operations)
    head = _events(history)
    linearized, state, seen = 0, model.initial, set[tuple[int, Hashable]]()
    stack: list[tuple[_Event, Any, int]] = []  # start event, state before it, and the number of its successors tried
    event, tried = head.following, 0
    while event is not None:
        if event.end is not None:
            successors = model.successors(state, history[event.number])
            bits = linearized | 1 << event.number
            while tried < len(successors) and (bits, successors[tried]) in seen:
                tried += 1
            if tried == len(successors):
                event, tried = event.following, 0
                continue
            seen.add((bits, successors[tried]))
            stack.append((event, state, tried + 1))
            linearized, state = bits, successors[tried]
            event.lift()
            event, tried = head.following, 0
        elif stack:
            event, state, tried = stack.pop()
            linearized &= ~(1 << event.number)
            event.unlift()
        else:
            return False
    return True


def first_violation(operations: Iterable[Operation], model: Model[Any]) -> list[Operation]:
    """Return the shortest prefix of the operations, by their ends, that is not linearizable; empty if there is none.

    The last operation of the prefix has a result that no order of the others explains.
    """
    history = sorted(operations, key=lambda each: each.ended)
    if is_linearizable(history, model):
        return []
    low, high = 0, len(history)
    while high - low > 1:
        middle = (low + high) // 2
        if is_linearizable(_prefix(history, middle), model):
            low = middle
        else:
            high = middle
    return _prefix(history, high)


def _prefix(history: Sequence[Operation], count: int) -> list[Operation]:
    """Return the first operations to end; those that had started by then may have taken effect."""
    ended = list(history[:count])
    until = ended[-1].ended if ended else 0.0
    running = (each for each in history[count:] if each.started <= until)
    return ended + [Operation(each.name, each.arguments, UNKNOWN, each.started, NEVER, each.caller) for each in running]
