"""Call budgets: the number of Python calls and files that the client needs for a write in the same process."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from pydantic import BaseModel

import singletable
from singletable import Table, entity, field, key, pattern, update
from singletable.client.items.rows import row_reader
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


PACKAGE = str(Path(singletable.__file__).parent)


class Uncounted:
    """A transport that pauses the count, so that calls of the engine are not included."""

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
    """Return the number of Python calls by file, after two warm-up calls."""
    session = table._opened().session
    session.transport = Uncounted(session.transport)  # type: ignore[assignment]  # only send() is needed
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
    """Return the source files of the package. Code that is compiled at run time has no file."""
    return {name for name in counted if name.startswith(PACKAGE)}


needs_compiler = pytest.mark.skipif(row_reader(()) is None, reason="requires the compiled parts")


@needs_compiler
def test_direct_requests_put_an_object_with_few_python_calls() -> None:
    with Orders.open("memory:", create=True) as orders:
        counted = calls_of(orders, lambda: orders.put(ORDER))
        assert counted.total() < 40
        assert len(files_of(counted)) < 12


@needs_compiler
def test_write_plans_update_an_index_key_with_few_python_calls() -> None:
    with Orders.open("memory:", create=True) as orders:
        orders.put(ORDER)
        counted = calls_of(orders, lambda: orders.set_status("o1", "SHIPPED"))
        assert counted.total() < 90
        assert len(files_of(counted)) < 12


@needs_compiler
def test_write_plans_update_an_item_by_key_with_few_python_calls() -> None:
    with Orders.open("memory:", create=True) as orders:
        orders.put(ORDER)
        change = field(Order, lambda o: o.status).set("SHIPPED")
        assert calls_of(orders, lambda: orders.update(key(Order, id="o1"), change)).total() < 90
