"""Patterns as methods of a table: bound to it, explained, and not callable without an open table."""

from __future__ import annotations

import asyncio
import inspect
import pydoc
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from singletable.client.pattern import Pattern, pattern
from singletable.client.table import Table
from singletable.errors import ArgumentRefused, DesignError, KeyRefused, NotConnected
from singletable.model.entity import entity
from singletable.model.intents import Page, collection, get, query, update
from singletable.model.pattern_declaration import PatternOptions
from singletable.model.update_changes import field


@entity(key=("CUST#{id}", "METADATA"))
@dataclass
class Customer:
    id: str
    name: str


class Shop(Table, entities=[Customer]):
    @pattern(frequency="high", budget_ms=10, expected_items=1)
    def customer(self, id: str) -> Customer | None:
        """Get customer by ID."""
        return get(Customer)

    @pattern()
    def by_name(self, name: str) -> Page[Customer]:
        """Return customers with a name, which no index key supports."""
        return query(Customer)


class Other(Table, entities=[Customer], name="other", keys=("pk", "sk")):
    customer = vars(Shop)["customer"]


def test_a_pattern_is_documented_by_its_docstring() -> None:
    assert isinstance(vars(Shop)["customer"], Pattern)
    assert vars(Shop)["customer"].__doc__ == "Get customer by ID."


def test_a_pattern_has_the_options_of_its_declaration() -> None:
    assert Shop.customer.declaration.options == PatternOptions(frequency="high", budget_ms=10, expected_items=1)


def test_a_pattern_cannot_be_called_without_an_open_table() -> None:
    with pytest.raises(
        NotConnected, match=r"Shop\.customer is not connected; open a table, for example with Shop\.open"
    ):
        Shop().customer("c1")


def test_a_pattern_explains_its_exact_request() -> None:
    (request,) = Shop.customer.explain("c1").requests
    assert request.operation == "GetItem"
    assert request.parameters == {
        "TableName": "Shop",
        "Key": {"PK": {"S": "CUST#c1"}, "SK": {"S": "METADATA"}},
    }
    assert Shop.customer.explain(id="c1").requests == (request,)


def test_a_pattern_is_bound_to_its_table() -> None:
    (request,) = Other.customer.explain("c1").requests
    assert request.parameters == {"TableName": "other", "Key": {"pk": {"S": "CUST#c1"}, "sk": {"S": "METADATA"}}}
    assert Shop.customer.explain("c1").requests != Other.customer.explain("c1").requests


def test_a_pattern_that_is_not_supported_raises_when_explained() -> None:
    with pytest.raises(DesignError, match="pattern by_name is not supported: "):
        Shop.by_name.explain("Ada")


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), (("c1", "c2"), {}), ((), {"idd": "c1"}), (("c1",), {"id": "c1"})]
)
def test_a_pattern_rejects_arguments_that_do_not_fit_its_signature(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    with pytest.raises((TypeError, ValueError)):
        Shop.customer.explain(*args, **kwargs)


@entity(key=("ROOM#{id}", "INFO"))
@dataclass
class Room:
    id: str
    size: int = 0
    title: str | None = None
    tags: tuple[str, ...] = ()


@entity(key=("ROOM#{room}", "MESSAGE#{n:03d}"), identity=("room", "n"))
@dataclass
class Message:
    room: str
    n: int


@dataclass
class WholeRoom:
    room: Room
    messages: list[Message]


class Chat(Table, entities=[Room, Message]):
    @pattern()
    def room(self, id: str) -> Room | None:
        return get(Room)

    @pattern()
    def whole(self, room: str) -> WholeRoom | None:
        return collection(WholeRoom)

    @pattern()
    def messages(self, room: str, *, limit: int = 2, cursor: str | None = None) -> Page[Message]:
        return query(Message)

    @pattern()
    def grow(self, id: str, by: int) -> Room:
        return update(Room, field(Room, lambda room: room.size).add(by))

    @pattern()
    def rename(self, id: str, title: str) -> Room:
        return update(Room, field(Room, lambda room: room.title).set(title))


@pytest.fixture
def chat() -> Iterator[Any]:
    with Chat.open("memory:") as opened:
        opened.put(Room("r"))
        opened.put_many(Message("r", number) for number in range(5))
        yield opened


def test_a_pattern_without_pages_has_no_all_and_count(chat: Any) -> None:
    for bound in (chat.room, chat.whole, chat.grow):
        arguments = ("r", 1) if bound is chat.grow else ("r",)
        for way in (bound.all, bound.count):
            with pytest.raises(ArgumentRefused, match="does not return a Page"):
                way(*arguments)
        with pytest.raises(ArgumentRefused, match="does not return a Page"):
            asyncio.run(bound.count_aio(*arguments))
    assert chat.room("r").size == 0, "nothing was written"


def test_all_and_count_of_a_pattern_reject_a_cursor(chat: Any) -> None:
    cursor = chat.messages("r").cursor
    assert cursor is not None
    assert [each.n for each in chat.messages.all("r")] == [0, 1, 2, 3, 4]
    assert chat.messages.count("r") == 5
    for way in (chat.messages.all, chat.messages.count, chat.messages.using(cursor=cursor).all):
        with pytest.raises(ArgumentRefused, match="starts with the first page; remove the cursor"):
            way("r", cursor=cursor)


def test_all_and_count_with_a_wrong_argument_name_the_pattern(chat: Any) -> None:
    for way in (chat.messages.count, lambda room: list(chat.messages.all(room))):
        with pytest.raises(KeyRefused, match=r"^messages: .*5 is not a str"):
            way(5)


def test_a_pattern_stores_only_values_of_the_declared_type(chat: Any) -> None:
    for bound, value, said in (
        (chat.rename, 5, "title must be str, got 5"),
        (chat.grow, 0.5, "by must be int, got 0.5"),
        (chat.grow, True, "by must be int, got True"),
    ):
        with pytest.raises(ArgumentRefused, match=said):
            bound("r", value)
    assert chat.room("r") == Room("r"), "nothing was written"
    assert chat.rename("r", "hall").title == "hall"
    assert chat.grow("r", 2).size == 2


class Documented(Table, entities=[Customer]):
    @pattern
    def customer(self, id: str) -> Customer | None:
        """Get customer by ID.

        Return a customer, or None if there is no such customer.
        """
        return get(Customer)


def test_a_pattern_needs_no_parentheses() -> None:
    with Documented.open("memory:") as shop:
        shop.put(Customer("c1", "Ada"))
        assert shop.customer("c1") == Customer("c1", "Ada")
    assert Documented.customer.declaration.options == PatternOptions()


def test_help_of_a_pattern_shows_its_signature_and_docstring() -> None:
    shop = Documented.open("memory:")
    shown = pydoc.plain(pydoc.render_doc(shop.customer))
    assert "<pattern Documented.customer(id: 'str') -> 'Customer | None'>" in shown
    assert "Return a customer, or None if there is no such customer." in shown
    assert list(inspect.signature(shop.customer).parameters) == ["id"]
    assert shop.customer.__name__ == "customer"


def test_a_wrong_call_of_a_pattern_names_the_pattern() -> None:
    shop = Documented.open("memory:")
    with pytest.raises(TypeError, match=r"Documented\.customer: missing a required argument: 'id'"):
        shop.customer()  # type: ignore[call-arg]  # the mistake
    with pytest.raises(KeyRefused, match=r"^customer: .*5 is not a str"):
        shop.customer(5)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(KeyRefused, match=r"^customer: .*5 is not a str"):
        asyncio.run(shop.customer.aio(5))  # type: ignore[arg-type]  # the mistake
    with pytest.raises(TypeError, match=r"Documented\.customer: missing a required argument: 'id'"):
        shop.customer.explain()  # type: ignore[call-arg]  # the mistake
    with pytest.raises(KeyRefused, match=r"^customer: .*5 is not a str"):
        shop.customer.explain(5)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(ArgumentRefused, match=r"^customer: consistent must be True or False, got 3"):
        shop.customer.using(consistent=3)  # type: ignore[arg-type]  # the mistake
