"""Checks before the write rows: every write of a contender is read back and compared with the expected item.

Every contender environment imports this module, so it depends only on the standard library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from bench.client_bench.contenders import Contender, Writes
from bench.client_bench.orders import Order, difference, difference_of_dict, order_id, stored_item
from bench.client_bench.rows import BATCH, BATCH_ITEMS, CREATE, MOVE, PUT, TRANSACTION, TRANSACTION_ITEMS, UPDATE
from bench.client_bench.worker_loop import WrongObject
from bench.client_bench.write_items import (
    WRITE_TABLE,
    Item,
    arguments_of,
    note_at,
    order_to_write,
    status_at,
    stored_difference,
)
from bench.engine_bench.load_generator import send_and_check
from bench.engine_bench.workload import exchange

NEW = 900_000
"""The number of the order that the check of `create` writes. The rows write smaller and larger numbers."""
ABSENT = 900_001


@dataclass(frozen=True)
class WriteChecks:
    """Writes once with every row, and compares the stored items and the returned objects."""

    contender: Contender
    writes: Writes
    customer: str
    perform: Callable[..., Any]
    """A function that calls a function of `writes`. In async mode, it also awaits it."""
    read_item: Callable[[Item], Item | None]

    def run(self) -> None:
        """Raise WrongObject unless every row writes the expected items. The orders of one batch stay stored."""
        self._write(BATCH, 0, 0)
        self._compare(BATCH, *(self._order(number) for number in (0, 3, 7, BATCH_ITEMS - 1)))
        self._write(PUT, 7, 1)
        self._compare(PUT, self._order(7, 1))
        self._write(TRANSACTION, 2, 2)
        numbers = range(2 * TRANSACTION_ITEMS, 3 * TRANSACTION_ITEMS)
        self._compare(TRANSACTION, *(self._order(number, 2) for number in numbers))
        self._write(CREATE, NEW, 0)
        self._compare(CREATE, self._order(NEW))
        self._must_fail(CREATE, NEW)
        self._check_updates(3)

    def _check_updates(self, number: int) -> None:
        expected = replace(self._order(number), note=note_at(1))
        self._compare_object(UPDATE, self._write(UPDATE, number, 1), expected)
        self._compare(UPDATE, expected)
        expected = replace(expected, status=status_at(number, 1))
        self._compare_object(MOVE, self._write(MOVE, number, 1), expected)
        self._compare(MOVE, expected)
        self._must_fail(UPDATE, ABSENT)
        self._must_fail(MOVE, ABSENT)

    def _order(self, number: int, version: int = 0) -> Order:
        return order_to_write(self.customer, number, version)

    def _write(self, row: str, number: int, version: int) -> Any:
        arguments = arguments_of(row, self.writes.build, self.customer, number, version)
        return self.perform(self.writes.calls[row], *arguments)

    def _compare(self, row: str, *expected: Order) -> None:
        for each in expected:
            item = stored_item(each)
            found = self.read_item({"PK": item["PK"], "SK": item["SK"]})
            self._raise_if(row, stored_difference(found, each))

    def _compare_object(self, row: str, found: Any, expected: Order) -> None:
        if found is not None:
            compare = difference if self.contender.is_typed else difference_of_dict
            self._raise_if(row, compare(found, expected))

    def _must_fail(self, row: str, number: int) -> None:
        try:
            self._write(row, number, 0)
        except Exception:  # each library raises its own exception class
            return
        self._raise_if(row, f"the condition on {order_id(number)} did not reject the write")

    def _raise_if(self, row: str, problem: str | None) -> None:
        if problem is not None:
            raise WrongObject(f"{self.contender.name}, {row}: {problem}")


def server_reader(url: str) -> Callable[[Item], Item | None]:
    """Return a function that reads the stored item of a key over HTTP, without the library of a contender."""
    port = int(url.rpartition(":")[2])

    def read_item(key: Item) -> Item | None:
        answers: list[Item] = []

        def keep(answer: Item) -> bool:
            answers.append(answer)
            return True

        request = {"TableName": WRITE_TABLE, "Key": key, "ConsistentRead": True}
        send_and_check(port, [exchange("GetItem", request, keep)])
        return answers[-1].get("Item")

    return read_item
