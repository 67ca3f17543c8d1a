"""Views request only their own fields, counts request none, and strongly consistent reads are sent where supported."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from singletable import (
    GSI,
    ArgumentRefused,
    Page,
    Table,
    entity,
    get,
    include,
    pattern,
    query,
)
from tests.client.between import Document, between

START = datetime(2026, 1, 1, tzinfo=UTC)


@entity(
    key=("SHOP#{shop}", "PRODUCT#{sku}"),
    gsi1=("SHOP#{shop}", "{added_at:seconds}"),
    gsi2=("SHOP#{shop}", "{name}#{sku}"),
    attributes={"name": "n", "text": "t"},
    schema_version=1,
)
@dataclass
class Product:
    shop: str
    sku: str
    name: str
    added_at: datetime
    price: Decimal = Decimal(1)
    text: str = ""


@entity(key=("SHOP#{shop}", "OFFER#{id}"), gsi1=("SHOP#{shop}", "{until:seconds}"), ttl="until")
@dataclass
class Offer:
    shop: str
    id: str
    until: datetime
    text: str = ""


@dataclass
class ProductLine:
    sku: str
    name: str


class Catalog(
    Table,
    entities=[Product, Offer],
    indexes=[GSI("gsi2", projection=include("n", "entity_type"))],
    ttl_attribute="until",
):
    @pattern()
    def products(self, shop: str) -> Page[Product]:
        return query(Product)

    @pattern()
    def line(self, shop: str, sku: str) -> ProductLine | None:
        return get(Product, view=ProductLine)

    @pattern()
    def lines(self, shop: str) -> Page[ProductLine]:
        return query(Product, view=ProductLine)

    @pattern()
    def dear_lines(self, shop: str) -> Page[ProductLine]:
        return query(Product, view=ProductLine, filter=lambda p: p.price > 5)

    @pattern()
    def newest_lines(self, shop: str) -> Page[ProductLine]:
        return query(Product, view=ProductLine, newest_first=True)

    @pattern()
    def lines_by_name(self, shop: str) -> Page[ProductLine]:
        return query(Product, view=ProductLine, order_by=lambda p: p.name)


@pytest.fixture
def catalog(url: str) -> Any:
    with Catalog.open(url, create=True) as opened:
        now = datetime.now(UTC).replace(microsecond=0)
        opened.put_many(
            Product("main", f"s{number}", f"Tea {number}", START + timedelta(hours=number), Decimal(number), "x" * 2000)
            for number in range(9)
        )
        opened.put_many(
            Offer("main", f"f{number}", now + timedelta(hours=number - 1, minutes=1)) for number in range(3)
        )
        yield opened


def lines(*numbers: int) -> list[ProductLine]:
    return [ProductLine(f"s{number}", f"Tea {number}") for number in numbers]


def test_table_reader_requests_only_the_fields_of_a_view(catalog: Catalog) -> None:
    travelled: list[Document] = []

    def look(operation: str, answer: Document) -> None:
        travelled.extend(answer.get("Items") or [answer["Item"]])

    between(catalog, answer=look)
    assert catalog.line("main", "s3") == lines(3)[0]
    assert list(catalog.lines("main")) == lines(*range(9))
    assert list(catalog.dear_lines("main")) == lines(6, 7, 8)
    assert list(catalog.newest_lines("main")) == lines(*range(8, -1, -1))
    assert list(catalog.newest_lines.all("main")) == lines(*range(8, -1, -1))
    own = {"PK", "SK", "GSI1PK", "GSI1SK", "sku", "n", "entity_type", "schema_v"}
    assert {name for item in travelled for name in item} == own | {"until"}
    assert {name for item in travelled if item["entity_type"] == {"S": "Product"} for name in item} == own


def test_table_reader_sends_no_projection_for_an_index_with_few_attributes(catalog: Catalog) -> None:
    seen = between(catalog)
    assert list(catalog.lines_by_name("main")) == lines(*range(9))
    assert seen.requests[0]["IndexName"] == "GSI2"
    assert "ProjectionExpression" not in seen.requests[0]


def test_the_explanation_of_a_view_shows_the_projection() -> None:
    (request,) = Catalog.lines.explain("main").requests
    names = request.parameters["ExpressionAttributeNames"]
    shown = request.parameters["ProjectionExpression"].split(", ")
    assert [names[name] for name in shown] == ["PK", "SK", "sku", "n", "schema_v", "entity_type", "until"]


def test_pagination_of_a_view_goes_forward_and_back(catalog: Catalog) -> None:
    first = catalog.newest_lines.using(limit=4)("main")
    second = catalog.newest_lines.using(limit=4, cursor=first.cursor)("main")
    assert list(second) == lines(4, 3, 2, 1)
    assert catalog.newest_lines.using(limit=4, cursor=second.previous)("main").items == first.items


@entity(key=("SHOP#{shop}", "{sku}"))
@dataclass
class Tea:
    shop: str
    sku: str
    strong: bool = False


@dataclass
class Name:
    sku: str


class Teas(Table, entities=[Tea]):
    @pattern()
    def teas(self, shop: str, *, limit: int = 2) -> Page[Tea]:
        return query(Tea)

    @pattern()
    def strong(self, shop: str) -> Page[Name]:
        return query(Tea, view=Name, filter=lambda t: t.strong == True)  # noqa: E712  # it is recorded


def test_pagination_lets_dynamodb_count_items(url: str) -> None:
    with Teas.open(url, create=True) as teas:
        teas.put_many(Tea("main", f"s{number}", number % 4 == 0) for number in range(50))
        seen = between(teas)
        assert teas.teas.count("main") == 50
        assert teas.strong.count("main") == 13
        assert asyncio.run(teas.strong.count_aio("main")) == 13
        assert [request["Select"] for request in seen.requests] == ["COUNT", "COUNT", "COUNT"]
        assert not any({"ProjectionExpression", "Limit"} & request.keys() for request in seen.requests)


def test_pagination_reads_only_keys_for_a_count_that_must_check_items(catalog: Catalog) -> None:
    travelled: list[Document] = []

    def look(operation: str, answer: Document) -> None:
        travelled.extend(answer["Items"])

    between(catalog, answer=look)
    assert catalog.newest_lines.count("main") == 9
    assert catalog.products.count("main") == 9
    assert {name for item in travelled for name in item} <= {
        *("PK", "SK", "GSI1PK", "GSI1SK", "entity_type", "until", "schema_v")
    }


@pytest.mark.parametrize("ask", ["call", "all", "count", "aio"])
def test_table_reader_rejects_every_strongly_consistent_read_of_a_global_index(catalog: Catalog, ask: str) -> None:
    strongly = catalog.newest_lines.using(consistent=True)
    calls: dict[str, Any] = {
        "call": lambda: strongly("main"),
        "all": lambda: list(strongly.all("main")),
        "count": lambda: strongly.count("main"),
        "aio": lambda: asyncio.run(strongly.aio("main")),
    }
    seen = between(catalog)
    with pytest.raises(
        ArgumentRefused, match="newest_lines reads GSI1, which supports only eventually consistent reads"
    ):
        calls[ask]()
    assert seen.operations == []


def test_table_reader_sends_a_strongly_consistent_read_of_the_table(catalog: Catalog) -> None:
    seen = between(catalog)
    assert catalog.line.using(consistent=True)("main", "s1") == lines(1)[0]
    assert len(catalog.lines.using(consistent=True)("main")) == 9
    assert [request["ConsistentRead"] for request in seen.requests] == [True, True]
