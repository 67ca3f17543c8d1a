"""Transactions: all of their actions or none, each item once, and failures per action."""

# ruff: noqa: PT012  # a transaction is a block, and fails at its end
from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, model_validator

from singletable import (
    AlreadyExists,
    ArgumentRefused,
    ConditionFailed,
    NotFound,
    NotUnique,
    Table,
    TransactionCancelled,
    VersionConflict,
    entity,
    field,
    key,
)
from singletable.client.transport import Transport
from singletable.errors import RequestRefused, Unreachable
from tests.client.places import Place
from tests.client.shop import Customer, Order, OrderItem, Shop, order
from tests.client.social import Follow, Follower, Post, Social, Tag, User, user

status = field(Order, lambda o: o.status)


@pytest.fixture
def social(place: Place) -> Iterator[Social]:
    with place.open(Social) as opened:
        yield opened


def test_all_actions_of_a_transaction_are_atomic(shop: Shop) -> None:
    shop.put(order(1))
    shop.put(order(2))
    with shop.transaction() as tx:
        tx.create(order(3))
        tx.put(OrderItem("o0003", "sku", 2))
        tx.update(key(Order, id="o0001"), status.set("SHIPPED"), where=lambda o: o.status == "PENDING")
        tx.delete(order(2))
        tx.check(key(Customer, id="c1"), absent=True)
        assert shop.order("o0003") is None  # nothing is sent before the end of the block
    assert shop.order("o0003") == order(3)
    assert shop.order("o0001") == order(1, status="SHIPPED")
    assert shop.order("o0002") is None
    assert shop.metrics.by_pattern["transaction"].requests == 1


def test_async_with_awaits_the_commit_of_a_transaction(shop: Shop) -> None:
    async def write() -> None:
        async with shop.transaction() as tx:
            tx.create(order(1))
        async with shop.aio.transaction() as tx:
            tx.create(order(2))

    asyncio.run(write())
    assert shop.order("o0001") == order(1)
    assert shop.order("o0002") == order(2)


def test_a_transaction_writes_nothing_after_an_exception_in_its_block(shop: Shop) -> None:
    with pytest.raises(ZeroDivisionError), shop.transaction() as tx:
        tx.create(order(1))
        _ = 1 / 0
    assert shop.order("o0001") is None
    with pytest.raises(ArgumentRefused, match="the transaction has ended"):
        tx.create(order(2))
    with shop.transaction():
        pass  # no actions, so no request
    assert shop.metrics.total.requests == 1


def test_a_transaction_reports_failures_for_their_actions(shop: Shop) -> None:
    shop.put(order(1, status="OPEN"))
    shop.put(Customer(id="c1", name="Ada"))
    with pytest.raises(TransactionCancelled) as cancelled, shop.transaction() as tx:
        tx.create(order(1))
        tx.create(order(9))
        tx.update(key(Order, id="o0002"), status.set("X"))
        tx.check(key(Customer, id="c1"), where=lambda c: c.name == "Grace")
        tx.check(key(Customer, id="c2"))
        tx.put(Customer(id="c3", name="Zoe", version=4))
    reasons = cancelled.value.reasons
    kinds = [type(reason.error) for reason in reasons]
    assert kinds == [AlreadyExists, type(None), NotFound, ConditionFailed, NotFound, VersionConflict]
    assert [reason.code for reason in reasons][:2] == ["ConditionalCheckFailed", "None"]
    assert reasons[0].target == order(1)
    assert reasons[3].item == Customer(id="c1", name="Ada", version=1)
    said = str(cancelled.value)
    assert "action 1: Order with id='o0001' already exists; action 3: Order with id='o0002' does not exist" in said
    assert shop.order("o0009") is None


def test_a_transaction_can_contain_an_item_only_once(shop: Shop) -> None:
    twice = r"contains two actions on one item: Order with id=.o0001."
    with pytest.raises(ArgumentRefused, match=twice), shop.transaction() as tx:
        tx.create(order(1))
        tx.update(order(1), status.set("X"))


def test_a_transaction_has_at_most_a_hundred_actions(shop: Shop) -> None:
    with shop.transaction() as tx:
        for number in range(100):
            tx.put(order(number))
    assert shop.orders_of_customer.count("c1") == 100
    with (
        pytest.raises(ArgumentRefused, match="would write 101 items, but the limit is 100"),
        shop.transaction() as tx,
    ):
        for number in range(101):
            tx.put(order(number))


def test_a_transaction_combines_derived_data_of_several_actions(social: Social) -> None:
    with social.transaction() as tx:
        tx.create(user(1))
        tx.create(Post("p1", "u1", "hello"))
        tx.create(Post("p2", "u1", "again"))
        tx.create(Tag("p1", "a"))
        tx.create(Follow("u1", "u2"))
    assert social.user("u1") == user(1, posts=2)
    assert social.post("p1") == Post("p1", "u1", "hello", "user 1", 1)
    assert [tag.title for tag in social.tagged("a")] == ["hello"]
    assert list(social.followers("u2")) == [Follower("u1", "u2")]
    with social.transaction() as tx:  # a swap: each gets the other's address
        tx.create(user(2))
    with social.transaction() as tx:
        tx.update(key(User, id="u1"), field(User, lambda u: u.email).set("u2@example.org"))
        tx.update(key(User, id="u2"), field(User, lambda u: u.email).set("u1@example.org"))
    assert [each and each.id for each in map(social.user_by_mail, ("u1@example.org", "u2@example.org"))] == ["u2", "u1"]
    with pytest.raises(NotUnique):
        social.create(user(3, email="u2@example.org"))
    with social.transaction() as tx:
        tx.update(key(User, id="u1"), field(User, lambda u: u.name).set("ada"))
        tx.create(Post("p3", "u1", "third", "any name"))
        tx.delete(key(Post, id="p2"))
    assert social.user("u1") == user(1, email="u2@example.org", name="ada", posts=2)
    assert [post.author_name for post in social.posts_of("u1")] == ["ada", "ada"]
    with pytest.raises(TransactionCancelled) as cancelled, social.transaction() as tx:
        tx.create(user(7, email="x"))
        tx.create(user(8, email="x"))
    assert [type(reason.error) for reason in cancelled.value.reasons] == [type(None), NotUnique]
    with (
        pytest.raises(TransactionCancelled, match="User with id="),
        social.transaction() as tx,
    ):
        tx.delete(key(User, id="u1"))
        tx.create(Post("p4", "u1", "of nobody"))
    with social.transaction() as tx:
        tx.delete(key(User, id="u1"))
        tx.delete(key(Post, id="p1"))
        tx.delete(key(Post, id="p3"))
    assert social.user("u1") is None


def test_a_transaction_with_a_lost_response_is_applied_once(social: Social) -> None:
    social.create(user(1))
    session = social._opened().session
    losing = Losing(session.transport)
    session.transport = losing
    with social.transaction() as tx:
        tx.create(Post("p1", "u1", "hello"))
    assert losing.lost == ["TransactWriteItems"]
    assert social.user("u1") == user(1, posts=1)
    assert social.post("p1") == Post("p1", "u1", "hello", "user 1", 1)


def test_token_markers_make_a_repeated_transaction_happen_once(shop: Shop) -> None:
    shop.put(order(1))
    for _ in range(3):
        with shop.transaction(token="payment-7") as tx:
            tx.update(key(Order, id="o0001"), field(Order, lambda o: o.total).add(5))
    assert shop.order("o0001") == order(1, total=5)


@entity(key=("SLOT#{id}", "META"))
class Slot(BaseModel):
    """A class with a rule about the whole object."""

    id: str
    left: int = 5
    tags: set[str] = set()

    @model_validator(mode="after")
    def check(self) -> Slot:
        if self.left < 0:
            raise ValueError("there is nothing left")
        return self


class Slots(Table, entities=[Slot], name="slots"):
    """Slots."""


def test_token_markers_find_a_replay_although_the_transaction_could_not_be_prepared_again() -> None:
    with Slots.open("memory:", create=True) as slots:
        slots.put(Slot(id="1"))
        for is_replay in (False, True):
            with slots.transaction(token="t") as tx:
                tx.update(key(Slot, id="1"), field(Slot, lambda s: s.left).add(-3))
            assert tx.is_replay is is_replay
        assert slots.get(key(Slot, id="1")) == Slot(id="1", left=2)


def test_token_markers_support_a_transaction_with_an_empty_set() -> None:
    with Slots.open("memory:", create=True) as slots:
        with slots.transaction(token="t") as tx:
            tx.create(Slot(id="1"))
        assert slots.get(key(Slot, id="1")) == Slot(id="1")


@pytest.mark.parametrize("token", [5, "", "x" * 1100])
def test_token_markers_reject_a_token_that_no_marker_can_have(token: Any) -> None:
    with Slots.open("memory:", create=True) as slots:
        tx = slots.transaction(token=token)
        with pytest.raises(ArgumentRefused, match="token"), tx:
            tx.create(Slot(id="1"))
        assert slots.get(key(Slot, id="1")) is None


def test_token_markers_find_a_replay_although_derived_data_has_changed_since(social: Social) -> None:
    social.create(user(1))
    for _ in range(2):
        with social.transaction(token="new-address") as tx:
            tx.update(key(User, id="u1"), field(User, lambda u: u.email).set("new@example.org"))
    assert social.user("u1") == user(1, email="new@example.org")


def test_a_transaction_is_retried_after_conflicts(shop: Shop) -> None:
    session = shop._opened().session
    conflicting = Conflicting(session.transport)
    session.transport = conflicting
    with shop.transaction() as tx:
        tx.create(order(1))
    assert conflicting.left == 0
    conflicting.left = 99
    with pytest.raises(TransactionCancelled, match="TransactionConflict") as cancelled, shop.transaction() as tx:
        tx.create(order(2))
    assert [reason.code for reason in cancelled.value.reasons] == ["TransactionConflict"]


def test_derived_actions_of_many_concurrent_writers_lose_no_count(social: Social) -> None:
    for number in range(2):
        social.create(user(number))
    problems: list[Exception] = []

    def write(writer: int) -> None:
        try:
            for number in range(10):
                post = Post(f"w{writer}-{number}", f"u{number % 2}", "x")
                social.create(post)
                if number % 3 == 0:
                    social.update(key(Post, id=post.id), field(Post, lambda p: p.author).set("u0"))
                if number % 5 == 0:
                    social.delete(key(Post, id=post.id))
                social.update(key(User, id="u0"), field(User, lambda u: u.name).set(f"{writer}.{number}"))
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    for number in range(2):
        found = social.user(f"u{number}")
        posts = list(social.posts_of.all(f"u{number}"))
        assert found is not None
        assert found.posts == len(posts)
        assert {post.author_name for post in posts} <= {found.name}


class Losing(Transport):
    """A transport that loses the response to the first transaction, which was executed."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.name, self.lost = inner, inner.name, list[str]()

    def send(self, operation: str, body: bytes) -> bytes:
        answer: bytes = self.inner.send(operation, body)
        if operation == "TransactWriteItems" and not self.lost:
            self.lost.append(operation)
            raise Unreachable("the connection broke", sent=True)
        return answer

    async def send_async(self, operation: str, body: bytes) -> bytes:
        return self.send(operation, body)

    def close(self) -> None:
        self.inner.close()

    async def close_async(self) -> None:
        self.inner.close()


class Conflicting(Transport):
    """A transport whose first responses to a transaction are conflicts."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.name, self.left = inner, inner.name, 2

    def send(self, operation: str, body: bytes) -> bytes:
        if operation == "TransactWriteItems" and self.left:
            self.left -= 1
            reasons = [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}]
            raise RequestRefused("TransactionCanceledException", "cancelled", CancellationReasons=reasons)
        answer: bytes = self.inner.send(operation, body)
        return answer

    async def send_async(self, operation: str, body: bytes) -> bytes:
        return self.send(operation, body)

    def close(self) -> None:
        self.inner.close()

    async def close_async(self) -> None:
        self.inner.close()


def test_a_transaction_rejects_actions_before_its_block(shop: Shop) -> None:
    tx = shop.transaction()
    with pytest.raises(ArgumentRefused) as refused:
        tx.put(order(1))
    assert str(refused.value) == (
        "the transaction has not started, so its writes would be lost.\n"
        "  Add actions inside its block: with shop.transaction() as tx: (or async with)."
    )
    with tx:
        tx.put(order(2))
    assert (shop.order("o0001"), shop.order("o0002")) == (None, order(2))
    with pytest.raises(ArgumentRefused, match="the transaction has ended"):
        tx.put(order(3))


def test_a_transaction_is_entered_once(shop: Shop) -> None:
    with shop.transaction() as tx:
        tx.put(order(1))
        with pytest.raises(ArgumentRefused, match="has already started"):
            tx.__enter__()
    with pytest.raises(ArgumentRefused, match="has already started"), tx:
        pass
    assert shop.order("o0001") == order(1)


def test_a_transaction_that_was_never_entered_warns() -> None:
    with Shop.open("memory:") as shop:
        for make in (shop.transaction, shop.aio.transaction):
            tx = make(token="t")
            with pytest.warns(ResourceWarning, match="a transaction was never entered and wrote nothing"):
                del tx


def test_a_transaction_that_was_not_ended_warns() -> None:
    with Shop.open("memory:") as shop:
        tx = shop.transaction().__enter__()
        del tx  # no actions, so no warning
        tx = shop.transaction().__enter__()
        tx.put(order(1))
        with pytest.warns(
            ResourceWarning, match="a transaction was not ended and has unsent actions and wrote nothing"
        ):
            del tx
