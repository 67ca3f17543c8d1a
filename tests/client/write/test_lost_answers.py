"""Writes whose responses are lost: correct results and errors, and idempotency tokens that make replays safe."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from singletable import ArgumentRefused, OutcomeUnknown, Table, Unreachable, field, key
from tests.client.between import AT_ONCE, Document, between
from tests.client.places import Place
from tests.client.shop import IN_TWO_HOURS, Customer, Order, Session, Shop, order
from tests.client.social import Post, Social, User


class Dropping:
    """Drops the response to every n-th write."""

    def __init__(self, every: int) -> None:
        self._every, self._count = every, 0

    def __call__(self, operation: str, answer: Document) -> Document | None:
        if operation in ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"):
            self._count += 1
            if self._count % self._every == 0:
                raise Unreachable("the response was lost", sent=True)
        return None


def opened(place: Place, table: type[Table]) -> Any:
    return place.open(table, retries=AT_ONCE)


def test_request_sender_never_reports_an_item_as_missing_that_its_delete_removed(place: Place) -> None:
    with opened(place, Shop) as shop:
        shop.put_many([order(number) for number in range(90)])
        between(shop, None, Dropping(4))
        returned, unknown = 0, 0
        for number in range(90):
            try:
                assert shop.delete(key(Order, id=f"o{number:04}")) == order(number)
                returned += 1
            except OutcomeUnknown:
                unknown += 1
        assert unknown == 90 // 4
        assert returned + unknown == 90
        assert shop.orders_of_customer.count("c1") == 0


def test_request_sender_retries_a_delete_that_did_not_arrive(place: Place) -> None:
    with opened(place, Shop) as shop:
        shop.put(order(1))
        lost: list[str] = []

        def lose_once(operation: str, request: Document) -> Document | None:
            if operation == "DeleteItem" and not lost:
                lost.append(operation)
                raise Unreachable("the connection broke", sent=True)
            return None

        between(shop, lose_once)
        assert shop.delete(key(Order, id="o0001")) == order(1)


def test_request_sender_does_not_retry_an_addition_whose_response_was_lost(place: Place) -> None:
    with opened(place, Shop) as shop:
        shop.put(order(1))
        between(shop, None, Dropping(1))
        with pytest.raises(Unreachable) as lost:
            shop.update(key(Order, id="o0001"), field(Order, lambda o: o.total).add(Decimal(5)))
        assert lost.value.sent
        found = shop.order("o0001")
        assert found is not None
        assert found.total == 5


def test_token_markers_replay_a_transaction_that_moves_index_keys(place: Place) -> None:
    place.needs("transactions")
    with opened(place, Shop) as shop:
        shop.put(order(1))

        def write() -> Any:
            with shop.transaction(token="t-1") as tx:
                tx.update(key(Order, id="o0001"), field(Order, lambda o: o.customer_id).set("c2"))
                tx.create(Session("s1", IN_TWO_HOURS))
            return tx

        first = write()
        assert not first.is_replay
        assert first.results[1] == Session("s1", IN_TWO_HOURS)
        shop.update(key(Order, id="o0001"), field(Order, lambda o: o.customer_id).set("c3"))
        second = write()
        assert second.is_replay
        moved = shop.order("o0001")
        assert moved is not None
        assert moved.customer_id == "c3"
        assert second.results == (moved, Session("s1", IN_TWO_HOURS))


def test_token_markers_apply_a_transaction_once_whichever_response_is_lost(place: Place) -> None:
    place.needs("transactions")
    with opened(place, Social) as social:
        social.create(User(id="u1", name="Ada"))
        between(social, None, Dropping(2))
        for number in range(6):
            for _ in range(3):
                try:
                    with social.transaction(token=f"post-{number}") as tx:
                        tx.create(Post(f"p{number}", "u1", "Title"))
                except Unreachable:
                    continue
        found = social.user("u1")
        assert found is not None
        assert found.posts == 6


def test_token_markers_reject_a_token_with_another_request(place: Place) -> None:
    place.needs("transactions")
    with opened(place, Shop) as shop:
        with shop.transaction(token="t") as tx:
            tx.put(order(1))
        rejected = pytest.raises(ArgumentRefused, match="token 't' was already used")
        with rejected, shop.transaction(token="t") as tx:
            tx.put(order(2))
        assert shop.order("o0002") is None


def test_token_markers_are_not_read_as_items(place: Place) -> None:
    place.needs("transactions")
    with opened(place, Shop) as shop:
        with shop.transaction(token="t") as tx:
            tx.put(order(1))
            tx.put(Customer(id="c1", name="Ada"))
        assert {type(each) for each in shop.scan(reason="a test")} == {Order, Customer}


def test_token_markers_expire() -> None:
    now = [1_800_000_000.0]
    with Shop.open("memory:", create=True, now=lambda: now[0]) as shop:
        for _ in range(2):
            with shop.transaction(token="t") as tx:
                tx.put(order(1))
            now[0] += 90_000.0
            assert not tx.is_replay
