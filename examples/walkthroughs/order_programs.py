"""Two programs that write and read orders during a migration: one with the old code, and one with the new code."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable

from singletable import Table
from singletable.client.design_lease import RENEW_SECONDS
from singletable.errors import TableDiffers

from . import orders_after, orders_before

SPEED = 40.0
"""The clocks of the programs run faster, so that the demo is short: 30 seconds of a client pass in 0.75 seconds."""
RENEWAL_SECONDS = RENEW_SECONDS / SPEED + 0.5
"""The time in which every program reads the design state of the table once."""
PAUSE_SECONDS = 0.01


def fast_clock() -> float:
    """Return the time of a clock that runs faster."""
    return time.monotonic() * SPEED


class WrittenOrders:
    """The customers of all orders whose write has succeeded."""

    def __init__(self) -> None:
        self.customers: dict[str, str] = {}
        self._lock = threading.Lock()

    def add(self, order_id: str, customer: str) -> None:
        """Note a write that succeeded."""
        with self._lock:
            self.customers[order_id] = customer

    def of_customer(self, customer: str) -> set[str]:
        """Return the IDs of the orders of a customer."""
        with self._lock:
            return {order_id for order_id, other in self.customers.items() if other == customer}


class Program(ABC, threading.Thread):
    """A thread that writes and reads orders, and counts its calls by the phase that it knows."""

    def __init__(self, name: str, table: Table, written: WrittenOrders) -> None:
        super().__init__(name=name, daemon=True)
        self.written, self.wrong = written, 0
        self.succeeded: Counter[tuple[str, str]] = Counter()
        """The number of successful calls for each phase and kind of call."""
        self.rejected: Counter[tuple[str, str]] = Counter()
        """The number of calls that raised TableDiffers."""
        lease = table._opened().session.lease
        assert lease is not None, "every open table has a lease"
        self._lease = lease
        lease.clock = fast_clock
        lease.__post_init__()  # the lease starts at the time of the new clock
        self._stopping = threading.Event()

    @property
    @abstractmethod
    def calls(self) -> dict[str, Callable[[str, str], object]]:
        """The kinds of calls; each function receives the ID and the customer of an order."""

    def __enter__(self) -> Program:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self.join()

    def run(self) -> None:
        """Write and read one order after another until the program is stopped."""
        number = 0
        while not self._stopping.wait(PAUSE_SECONDS):
            number += 1
            for kind, call in self.calls.items():
                self._call(kind, call, f"{self.name}{number}", f"c{number % 200}")

    def _call(self, kind: str, call: Callable[[str, str], object], order_id: str, customer: str) -> None:
        try:
            call(order_id, customer)
        except TableDiffers:
            self.rejected[self._phase(), kind] += 1
        else:
            self.succeeded[self._phase(), kind] += 1

    def _phase(self) -> str:
        state = self._lease.state
        if state is not None and state.phase is not None:
            return state.phase.value
        return "before" if state is None or len(state.applied) == 1 else "after"

    def expect(self, *, correct: bool) -> None:
        """Count a wrong result of a read."""
        self.wrong += not correct

    def text(self, phase: str, kind: str) -> str:
        """Return the number of successful calls in a phase, and whether calls were rejected."""
        succeeded, rejected = self.succeeded[phase, kind], self.rejected[phase, kind]
        if succeeded and rejected:
            return f"{succeeded}, {rejected} rejected"
        return str(succeeded) if succeeded else "rejected" if rejected else ""


class OldProgram(Program):
    """The program with the old code."""

    def __init__(self, table: orders_before.Orders, written: WrittenOrders) -> None:
        super().__init__("old", table, written)
        self._table = table

    @property
    def calls(self) -> dict[str, Callable[[str, str], object]]:
        """Write a new order, and read an order that exists from the start."""
        return {"writes": self._write, "reads": self._read}

    def _write(self, order_id: str, customer: str) -> None:
        self._table.put(orders_before.Order(order_id, customer, "NEW"))
        self.written.add(order_id, customer)

    def _read(self, _: str, customer: str) -> None:
        found = self._table.order(f"o{customer[1:]}")
        self.expect(correct=found is not None and found.customer == customer)


class NewProgram(Program):
    """The program with the new code, which also calls the new access pattern."""

    def __init__(self, table: orders_after.Orders, written: WrittenOrders) -> None:
        super().__init__("new", table, written)
        self._table = table

    @property
    def calls(self) -> dict[str, Callable[[str, str], object]]:
        """Write a new order, read an order that exists from the start, and read the orders of a customer."""
        return {"writes": self._write, "reads": self._read, "orders_of_customer": self._read_customer}

    def _write(self, order_id: str, customer: str) -> None:
        self._table.put(orders_after.Order(order_id, customer, "NEW"))
        self.written.add(order_id, customer)

    def _read(self, _: str, customer: str) -> None:
        found = self._table.order(f"o{customer[1:]}")
        self.expect(correct=found is not None and found.customer == customer)

    def _read_customer(self, _: str, customer: str) -> None:
        expected = self.written.of_customer(customer)
        self.expect(correct=expected <= ids(self._table.orders_of_customer.all(customer)))


def ids(orders: Iterable[orders_after.Order]) -> set[str]:
    """Return the IDs of orders."""
    return {order.id for order in orders}
