"""Bulk writes of every entity: with versions, unique values, counters and copies, in transactions that are split."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from singletable import (
    AlreadyExists,
    ArgumentRefused,
    BatchProgress,
    BatchResult,
    InvalidValue,
    NotFound,
    NotUnique,
    VersionConflict,
    field,
    key,
)
from tests.client.between import between
from tests.client.places import Place
from tests.client.shop import Customer, Order, Shop, order
from tests.client.social import Follow, Post, Social, Tag, User


def users(count: int) -> list[User]:
    return [User(id=f"u{number}", name=f"User {number}", email=f"{number}@example.org") for number in range(count)]


def posts(count: int, authors: int = 1) -> list[Post]:
    return [Post(f"p{number:03}", f"u{number % authors}", f"Title {number}") for number in range(count)]


def reasons(result: BatchResult[Any]) -> list[type[Exception]]:
    return [type(each.reason) for each in result.failed]


def test_bulk_writes_put_objects_with_versions_conditionally(shop: Shop) -> None:
    customers = [Customer(id=f"c{number}", name="Ada") for number in range(60)]
    assert shop.put_many(customers) == BatchResult(60)
    assert shop.customer("c7") == Customer(id="c7", name="Ada", version=1)
    stale = shop.put_many(customers[:3])  # the objects with the versions that they had before the write
    assert (stale.written, reasons(stale)) == (0, [VersionConflict] * 3)
    current = [shop.customer(f"c{number}") for number in range(60)]
    assert shop.put_many([each for each in current if each is not None]).written == 60
    assert shop.delete_many([key(Customer, id=f"c{number}") for number in range(60)]).written == 60


def test_bulk_writes_mix_objects_with_and_without_versions(shop: Shop) -> None:
    mixed: list[Any] = [order(1), Customer(id="c1", name="Ada"), order(2)]
    assert shop.put_many(mixed) == BatchResult(3)
    assert shop.order("o0002") == order(2)
    assert shop.customer("c1") is not None


def test_bulk_writes_by_create_many_report_existing_objects(shop: Shop) -> None:
    shop.put(order(3))
    result = shop.create_many([order(number) for number in range(6)])
    assert (result.written, reasons(result)) == (5, [AlreadyExists])
    assert result.failed[0].value == order(3)
    twice = shop.create_many([order(10), order(10)])
    assert (twice.written, reasons(twice)) == (1, [AlreadyExists])


def test_bulk_writes_by_update_many_apply_the_same_changes_to_each_item(shop: Shop) -> None:
    shop.put_many([order(number) for number in range(30)])
    keys = [key(Order, id=f"o{number:04}") for number in range(31)]
    result = shop.update_many(keys, field(Order, lambda o: o.customer_id).set("c2"))
    assert (result.written, reasons(result)) == (30, [NotFound])
    assert len(list(shop.orders_of_customer.all("c2"))) == 30
    paid = shop.update_many(keys[:4], field(Order, lambda o: o.status).set("PAID"), where=lambda o: o.status == "NEW")
    assert paid.written == 0
    wrong: Any = 5
    with pytest.raises(InvalidValue):
        raise shop.update_many(keys[:1], field(Order, lambda o: o.status).set(wrong)).failed[0].reason


def test_bulk_writes_keep_derived_data_in_sync(place: Place) -> None:
    place.needs("transactions")
    with place.open(Social) as social:
        assert social.put_many(users(40)).written == 40
        result = social.put_many(posts(90, authors=3))
        assert (result.written, result.failed) == (90, ())
        assert [social.user(f"u{number}").posts for number in range(4)] == [30, 30, 30, 0]  # type: ignore[union-attr]  # they exist
        found = social.get(key(Post, id="p004"))
        assert found is not None
        assert found.author_name == "User 1"
        assert social.delete_many([key(Post, id=f"p{number:03}") for number in range(60)]).written == 60
        assert [social.user(f"u{number}").posts for number in range(3)] == [10, 10, 10]  # type: ignore[union-attr]  # they exist


def test_bulk_writes_report_a_failing_write_alone(place: Place) -> None:
    place.needs("transactions")
    with place.open(Social) as social:
        social.create(User(id="first", name="First", email="7@example.org"))
        created = social.create_many(users(40))
        assert (created.written, reasons(created)) == (39, [NotUnique])
        assert created.failed[0].value.id == "u7"
        result = social.put_many([*posts(10), Post("lost", "nobody", "Lost")])
        assert [each.value.id for each in result.failed] == ["lost"]
        assert (result.written, reasons(result)) == (10, [NotFound])


def test_bulk_writes_add_to_one_counter_once_per_transaction() -> None:
    with Social.open("memory:", create=True) as social:
        social.put_many(users(1))
        seen = between(social)
        assert social.put_many(posts(20)).written == 20
        transactions = [r for o, r in zip(seen.operations, seen.requests, strict=True) if o == "TransactWriteItems"]
        for transaction in transactions:
            owners = [each for each in transaction["TransactItems"] if "UpdateExpression" in str(each)]
            assert len(owners) == 1
        assert len(transactions) < 20


def test_bulk_writes_raise_an_error_of_the_iterable_after_the_requests_in_flight(shop: Shop) -> None:
    def some() -> Iterator[Order]:
        yield from map(order, range(450))
        raise LookupError("the file ends here")

    with pytest.raises(LookupError, match="the file ends here"):
        shop.put_many(some())
    assert len(list(shop.scan(Order, reason="how many were written"))) >= 200


def test_bulk_plans_never_run_transactions_that_share_an_item_concurrently() -> None:
    with Social.open("memory:", create=True) as social:
        social.put_many(users(5))
        rounds: list[list[set[str]]] = []
        session = social._opened().session
        send_each = session.send_each

        def noted(calls: Any, meanwhile: Any = None) -> Any:
            touched = [
                {str(action.get("Key")) for entry in call.parameters["TransactItems"] for action in entry.values()}
                for call in calls
                if call.operation == "TransactWriteItems"
            ]
            rounds.append([each - {"None"} for each in touched])
            return send_each(calls, meanwhile)

        session.send_each = noted  # type: ignore[method-assign]  # to record concurrent requests
        assert social.put_many(posts(150, authors=5)).written == 150
        for together in rounds:
            for number, one in enumerate(together):
                for other in together[number + 1 :]:
                    assert not one & other


def test_async_bulk_writes_report_progress(shop: Shop) -> None:
    reports: list[BatchProgress] = []
    customers = [Customer(id=f"c{number:03}", name="Ada") for number in range(230)]

    async def write() -> None:
        assert (await shop.aio.create_many(customers, progress=reports.append)).written == 230
        changes = field(Customer, lambda c: c.name).set("Grace")
        keys = [key(Customer, id=each.id) for each in customers]
        assert (await shop.aio.update_many(keys, changes)).written == 230

    asyncio.run(write())
    assert reports == [BatchProgress(200, 0, 0), BatchProgress(230, 0, 0)]
    assert shop.customer("c229") == Customer(id="c229", name="Grace", version=2)


def test_bulk_writes_fail_for_invalid_objects_and_write_the_others(shop: Shop) -> None:
    wrong = order(2)
    wrong.tags = "abc"  # type: ignore[assignment]  # as untyped code may
    result = shop.put_many([order(1), wrong, order(3)])
    assert (result.written, reasons(result)) == (2, [InvalidValue])
    assert shop.put_many([wrong], trusted=True).written == 1


def test_bulk_writes_put_copies_of_copies_and_mirrors(place: Place) -> None:
    place.needs("transactions")
    with place.open(Social) as social:
        social.put_many(users(12))
        follows = [Follow(f"u{number}", "u0") for number in range(1, 12)]
        assert social.put_many(follows).written == 11
        social.put_many(posts(2))
        tags = [Tag("p001", f"t{number}") for number in range(5)]
        assert social.put_many(tags).written == 5
        found = social.get(key(Tag, post="p001", tag="t3"))
        assert found is not None
        assert found.title == "Title 1"


def test_bulk_writes_reject_an_argument_that_is_not_iterable(shop: Shop) -> None:
    with pytest.raises(ArgumentRefused, match="update_many takes a list or another iterable, got int"):
        shop.update_many(5, field(Order, lambda o: o.status).set("X"))  # type: ignore[call-overload]  # wrong on purpose
