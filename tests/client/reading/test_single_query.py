"""Pages from the start of a Query are the same in chunks, as one body, and on the slow path."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from singletable import GSI, ItemRefused, Page, RequestRefused, Table, UnknownItemWarning, entity, pattern, query
from singletable.client.tracing import RequestEvent
from singletable.engine import Engine
from tests.client.between import between

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
COUNT = 700
TEXT = "It is long enough that a few hundred of it are more than one piece. "


@entity(key=("CUST#{customer}", "ORDER#{at:seconds}"), gsi1=("STATE#{state}", "{at:seconds}"))
@dataclass
class Order:
    customer: str
    at: datetime
    total: Decimal
    state: str = "OPEN"
    note: str | None = None

    def __post_init__(self) -> None:
        if self.total < 0:
            raise ValueError("a total is not negative")


@dataclass
class Note:
    note: str | None = None


class Orders(Table, entities=[Order], indexes=[GSI("gsi1")]):
    @pattern()
    def of(self, customer: str) -> Page[Order]:
        return query(Order)

    @pattern()
    def newest(self, customer: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern()
    def in_state(self, state: str) -> Page[Order]:
        return query(Order)

    @pattern()
    def notes(self, customer: str) -> Page[Note]:
        return query(Order, view=Note)


def made(number: int, text: str = TEXT) -> Order:
    return Order("c", BEGIN + timedelta(days=number), Decimal(number), note=text * 3 if number % 3 else None)


@pytest.fixture
def orders() -> Iterator[Any]:
    with Orders.open("memory:", create=True) as opened:
        opened.put_many(made(number) for number in range(COUNT))
        opened.of("c")  # after this, the engine knows the size of the items
        yield opened


@pytest.fixture(params=["in pieces", "as one body"])
def either(orders: Any, request: pytest.FixtureRequest) -> Any:
    if request.param == "as one body":
        between(orders)
    return orders


def engine_of(table: Any) -> Engine:
    transport = table._opened().session.transport
    engine: Engine = getattr(transport, "inner", transport).engine
    return engine


def spoil(table: Any, number: int, **attributes: dict[str, str]) -> None:
    """Write an item that does not match the model into the range of the orders."""
    stored = engine_of(table).call("Query", query_of(number))["Items"][0]
    engine_of(table).call("PutItem", {"TableName": Orders.design.name, "Item": {**stored, **attributes}})


def query_of(number: int) -> dict[str, Any]:
    return {
        "TableName": Orders.design.name,
        "KeyConditionExpression": "PK = :p AND SK = :s",
        "ExpressionAttributeValues": {
            ":p": {"S": "CUST#c"},
            ":s": {"S": f"ORDER#{made(number).at:%Y-%m-%dT%H:%M:%SZ}"},
        },
    }


def test_query_execution_reads_a_long_page_in_several_chunks(orders: Any) -> None:
    taken: list[int] = []
    transport = orders._opened().session.transport
    send = transport.send_for_chunks

    def watched(operation: str, body: bytes) -> Any:
        pieces = send(operation, body)
        taken.append(len(pieces.items))
        return pieces

    transport.send_for_chunks = watched
    assert list(orders.of("c")) == [made(number) for number in range(COUNT)]
    assert len(taken) == 1
    assert 1 < taken[0] < 64


def test_query_execution_returns_all_items_in_order_in_every_form(either: Any) -> None:
    expected = [made(number) for number in range(COUNT)]
    page = either.of("c")
    assert (list(page), page.cursor, page.previous) == (expected, None, None)
    assert list(either.of.all("c")) == expected
    assert list(either.in_state("OPEN")) == expected
    assert asyncio.run(either.of.aio("c")) == page
    assert list(either.of("nobody")) == list(either.of.all("nobody")) == []


def test_query_execution_reads_a_view_in_chunks(either: Any) -> None:
    assert list(either.notes("c")) == [Note(made(number).note) for number in range(COUNT)]


def test_query_execution_continues_a_long_result_after_each_page(either: Any) -> None:
    either.put_many(made(number, TEXT * 40) for number in range(COUNT))
    expected = [made(number, TEXT * 40) for number in range(COUNT)]
    first = either.of("c")
    assert 0 < len(first) < COUNT
    assert list(first) == expected[: len(first)]
    assert next(iter(either.of.using(cursor=first.cursor)("c"))) == expected[len(first)]
    assert list(either.of.all("c")) == expected
    many = either.newest("c", limit=COUNT - 1)  # takes more than one request
    assert list(many) == expected[:0:-1]
    assert list(either.newest("c", cursor=many.cursor)) == [expected[0]]


def test_query_execution_respects_a_limit_and_their_cursor_goes_forward_and_back(either: Any) -> None:
    expected = [made(number) for number in reversed(range(COUNT))]
    first = either.newest("c", limit=30)
    assert (list(first), first.previous) == (expected[:30], None)
    second = either.newest("c", limit=30, cursor=first.cursor)
    assert list(second) == expected[30:60]
    assert list(either.newest("c", limit=30, cursor=second.previous)) == expected[:30]
    assert list(either.newest.using(limit=7)("c")) == expected[:7]
    assert either.newest("c", limit=COUNT + 1).cursor is None


def test_query_execution_skips_an_unknown_item_with_a_warning(either: Any) -> None:
    spoil(either, 500, entity_type={"S": "Stranger"})
    with pytest.warns(UnknownItemWarning, match="ORDER#2027-05-16"):
        found = list(either.of("c"))
    assert found == [made(number) for number in range(COUNT) if number != 500]


def test_query_execution_reports_an_unreadable_item_with_its_key(either: Any) -> None:
    spoil(either, 500, total={"S": "much"})
    with pytest.raises(ItemRefused, match=r"ORDER#2027-05-16.*total must be .*much"):
        either.of("c")
    spoil(either, 500, total={"N": "-1"})
    with pytest.raises(ItemRefused, match=r"ORDER#2027-05-16.*a total is not negative"):
        list(either.of.all("c"))


def test_query_execution_returns_items_that_only_the_slow_path_reads(either: Any) -> None:
    spoil(either, 500, customer={"NULL": True})  # type: ignore[dict-item]  # the field is in the key as well
    with warnings.catch_warnings(action="error"):
        assert list(either.of("c")) == [made(number) for number in range(COUNT)]


def test_query_execution_counts_consumed_capacity_once_per_request(either: Any) -> None:
    either.metrics.reset()
    whole = engine_of(either).call("Query", {**query_of(0), "ReturnConsumedCapacity": "TOTAL"})
    either.of("c")
    (usage,) = either.metrics.by_pattern.values()
    assert usage.requests == 1
    assert usage.read_units > whole["ConsumedCapacity"]["CapacityUnits"]


def test_query_execution_raises_the_same_error_on_every_path(either: Any) -> None:
    engine_of(either).call("DeleteTable", {"TableName": Orders.design.name})
    with pytest.raises(RequestRefused) as refused:
        either.of("c")
    assert (type(refused.value), refused.value.code) == (RequestRefused, "ResourceNotFoundException")


def test_query_execution_passes_the_requests_of_a_query_in_chunks_to_a_hook(orders: Any) -> None:
    seen: list[RequestEvent] = []
    orders._opened().session.hook = seen.append
    assert len(orders.of("c")) == COUNT
    assert [(each.operation, each.pattern) for each in seen] == [("Query", "of")]
