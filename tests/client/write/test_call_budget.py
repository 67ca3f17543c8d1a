"""The client's own share of a write in the process: how many Python calls it makes, in how many files."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from types import FrameType
from typing import Any

import pytest
from pydantic import BaseModel

from singletable import Table, entity, field, key, pattern, update
from singletable.client.items.quick_rows import row_reader
from singletable.client.transport import Transport


@entity(
    key=("ORDER#{id}", "METADATA"),
    gsi1=("CUST#{customer_id}", "ORDER#{created_at:seconds}#{id}"),
    gsi2=("STATUS#{status}", "{created_at:seconds}"),
)
class Order(BaseModel):
    id: str
    customer_id: str
    status: str
    total: Decimal
    quantity: int
    created_at: datetime
    is_gift: bool
    tags: list[str]
    shipped_at: datetime | None = None
    note: str | None = None


class Orders(Table, entities=[Order]):
    @pattern()
    def set_status(self, id: str, status: str) -> Order:
        return update(Order, field(Order, lambda o: o.status).set(status))


ORDER = Order(
    id="o1",
    customer_id="c1",
    status="OPEN",
    total=Decimal("19.99"),
    quantity=3,
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    is_gift=False,
    tags=["a", "b"],
)


class Uncounted:
    """A transport whose own calls are not counted: everything behind it is the engine's."""

    def __init__(self, inner: Transport) -> None:
        self.inner, self.name = inner, inner.name

    def send(self, operation: str, body: bytes) -> bytes:
        profiler = sys.getprofile()
        sys.setprofile(None)
        try:
            return self.inner.send(operation, body)
        finally:
            sys.setprofile(profiler)

    def close(self) -> None:
        self.inner.close()


def calls_of(table: Table, call: Callable[[], Any]) -> Counter[str]:
    """The Python calls of a call that was made before, by file."""
    session = table._opened().session
    session.transport = Uncounted(session.transport)  # type: ignore[assignment]  # it sends, and nothing else
    call()
    call()
    counted: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename != __file__:
            counted[frame.f_code.co_filename] += 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return counted


def files_of(counted: Counter[str]) -> set[str]:
    """The files of source; text that is compiled at run time has none."""
    return {name for name in counted if not name.startswith("<")}


needs_compiler = pytest.mark.skipif(row_reader(()) is None, reason="the compiled parts were not built here")


@needs_compiler
def test_a_put_takes_few_calls() -> None:
    with Orders.open("memory:", create=True) as orders:
        counted = calls_of(orders, lambda: orders.put(ORDER))
        assert counted.total() < 40
        assert len(files_of(counted)) < 12


@needs_compiler
def test_an_update_that_moves_an_index_key_takes_few_calls() -> None:
    with Orders.open("memory:", create=True) as orders:
        orders.put(ORDER)
        counted = calls_of(orders, lambda: orders.set_status("o1", "SHIPPED"))
        assert counted.total() < 90
        assert len(files_of(counted)) < 12


@needs_compiler
def test_an_update_by_key_takes_few_calls() -> None:
    with Orders.open("memory:", create=True) as orders:
        orders.put(ORDER)
        change = field(Order, lambda o: o.status).set("SHIPPED")
        assert calls_of(orders, lambda: orders.update(key(Order, id="o1"), change)).total() < 90
