"""Many items by their keys: in order, in batches that leave something over, and in one transaction."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import ArgumentRefused, CancellationReason, Key, RequestRefused, Throttled, TransactionCancelled, key
from tests.client.between import Document, between
from tests.client.places import Place
from tests.client.shop import IN_TWO_HOURS, Customer, Order, OrderItem, Session, Shop, order


def order_key(number: int) -> Key[Order]:
    return key(Order, id=f"o{number:04}")


def fill(shop: Shop, count: int) -> None:
    for number in range(count):
        shop.put(order(number))


def test_keys_of_several_entities_are_answered_in_their_order(shop: Shop) -> None:
    fill(shop, 3)
    shop.put(OrderItem("o0001", "s1", 4))
    ada = shop.put(Customer(id="c#1 %é🦀", name="Ada"))
    keys: list[Key[object]] = [
        order_key(2),
        key(OrderItem, order_id="o0001", sku="s1"),
        order_key(77),
        key(Customer, id="c#1 %é🦀"),
        order_key(0),
        order_key(2),
    ]
    expected = [order(2), OrderItem("o0001", "s1", 4), None, ada, order(0), order(2)]
    seen = between(shop)
    assert shop.get_many(keys) == expected
    assert shop.get_many(keys, consistent=True) == expected
    assert shop.get_many(keys, transaction=True) == expected
    assert shop.get_many(iter(keys)) == expected
    assert [len(request["RequestItems"]["Shop"]["Keys"]) for request in (seen.requests[0], seen.requests[1])] == [5, 5]
    assert [request["RequestItems"]["Shop"].get("ConsistentRead") for request in seen.requests[:2]] == [None, True]
    assert seen.operations == ["BatchGetItem", "BatchGetItem", "TransactGetItems", "BatchGetItem"]
    assert len(seen.requests[2]["TransactItems"]) == 5


def test_one_item_at_two_places_is_two_objects(shop: Shop) -> None:
    fill(shop, 1)
    first, second = shop.get_many([order_key(0), order_key(0)])
    assert first == second
    assert first is not second


def test_no_keys_are_no_request(shop: Shop) -> None:
    seen = between(shop)
    assert shop.get_many([]) == []
    assert shop.get_many([], transaction=True) == []
    assert seen.operations == []


def test_any_number_of_keys_is_split_by_a_hundred(shop: Shop, place: Place) -> None:
    fill(shop, 250)
    seen = between(shop)
    found = shop.get_many(order_key(number) for number in range(260))
    assert found == [order(number) for number in range(250)] + [None] * 10
    sizes = sorted(len(request["RequestItems"]["Shop"]["Keys"]) for request in seen.requests)
    assert sizes == [60, 100, 100]
    assert shop.metrics.by_pattern["get_many"].requests == 3
    assert not place.has("exact units") or shop.metrics.by_pattern["get_many"].read_units == 130.0


def test_every_read_of_many_has_its_awaited_twin(shop: Shop) -> None:
    fill(shop, 120)
    keys = [order_key(number) for number in range(130)]

    async def awaited() -> None:
        assert await shop.aio.get_many(keys) == shop.get_many(keys)
        assert await shop.aio.get_many(keys[:50], transaction=True) == shop.get_many(keys[:50])

    asyncio.run(awaited())


def leave_most_over(operation: str, answer: Document) -> Document | None:
    """Gives the first seven items of a batch, and leaves the others over."""
    given = answer.get("Responses", {}).get("Shop", [])
    left = [{name: item[name] for name in ("PK", "SK")} for item in given[7:]]
    return {**answer, "Responses": {"Shop": given[:7]}, "UnprocessedKeys": {"Shop": {"Keys": left}} if left else {}}


@pytest.mark.parametrize("awaited", [False, True])
def test_what_is_left_over_is_asked_for_again(shop: Shop, awaited: bool) -> None:
    fill(shop, 220)
    keys = [order_key(number) for number in range(220)]
    seen = between(shop, answer=leave_most_over)
    found = asyncio.run(shop.aio.get_many(keys)) if awaited else shop.get_many(keys)
    assert found == [order(number) for number in range(220)]
    assert len(seen.operations) > 3


def test_what_is_left_over_for_ever_is_an_error(shop: Shop) -> None:
    fill(shop, 3)

    def leave_all_over(operation: str, answer: Document) -> Document:
        left = [{name: item[name] for name in ("PK", "SK")} for item in answer["Responses"]["Shop"]]
        return {"Responses": {}, "UnprocessedKeys": {"Shop": {"Keys": left}}}

    seen = between(shop, answer=leave_all_over)
    with pytest.raises(Throttled, match="3 keys of a batch were left over 3 times") as refused:
        shop.get_many([order_key(0), order_key(1), order_key(2)])
    assert refused.value.code == "ProvisionedThroughputExceededException"
    assert len(seen.operations) == 3


def test_what_has_expired_is_not_there(place: Place) -> None:
    now = IN_TWO_HOURS
    old, new = Session("old", now - timedelta(hours=1)), Session("new", now + timedelta(hours=1))
    with place.clocked(Shop, now.timestamp) as shop:
        shop.put(old)
        shop.put(new)
        keys = [key(Session, id="old"), key(Session, id="new")]
        assert shop.get_many(keys) == [None, new]
        assert shop.get_many(keys, transaction=True) == [None, new]


def test_a_transaction_reads_a_hundred_keys_and_no_more(shop: Shop) -> None:
    fill(shop, 100)
    keys = [order_key(number) for number in range(101)]
    assert shop.get_many([*keys[:100], keys[0]], transaction=True) == [*(order(n) for n in range(100)), order(0)]
    with pytest.raises(ArgumentRefused, match="was given 101 keys, and a transaction reads at most 100"):
        shop.get_many(keys, transaction=True)


def cancel(*codes: str) -> Any:
    def refuse(operation: str, request: Document) -> None:
        reasons = [
            {"Code": code, "Message": f"words about {code}"} if code != "None" else {"Code": code} for code in codes
        ]
        raise RequestRefused("TransactionCanceledException", "Transaction cancelled", CancellationReasons=reasons)

    return refuse


def test_a_transaction_that_is_cancelled_says_which_key_was_the_reason(shop: Shop) -> None:
    seen = between(shop, request=cancel("None", "ValidationError"))
    keys = [order_key(1), order_key(2)]
    with pytest.raises(TransactionCancelled, match=r"get_many was cancelled: ValidationError at .*o0002") as cancelled:
        shop.get_many(keys, transaction=True)
    assert cancelled.value.reasons == (
        CancellationReason("None", "", keys[0]),
        CancellationReason("ValidationError", "words about ValidationError", keys[1]),
    )
    assert len(seen.operations) == 1


def test_a_transaction_that_met_another_is_tried_again(shop: Shop) -> None:
    fill(shop, 2)
    conflicts = iter([True, True, False])

    def refuse(operation: str, request: Document) -> None:
        if next(conflicts):
            cancel("TransactionConflict", "None")(operation, request)

    between(shop, request=refuse)
    keys = [order_key(0), order_key(1)]
    assert shop.get_many(keys, transaction=True) == [order(0), order(1)]
    seen = between(shop, request=cancel("TransactionConflict", "None"))
    with pytest.raises(TransactionCancelled, match="TransactionConflict"):
        shop.get_many(keys, transaction=True)
    assert len(seen.operations) == 3


def test_a_class_that_the_table_does_not_have_is_refused(shop: Shop) -> None:
    with pytest.raises(ArgumentRefused, match="int is not an entity of Shop"):
        shop.get_many([key(int, id=1)])


@given(st.lists(st.integers(0, 150), max_size=300), st.sets(st.integers(0, 150)), st.integers(1, 9))
def test_many_are_what_they_are_one_by_one(asked: list[int], there: set[int], given_at_once: int) -> None:
    def leave_over(operation: str, answer: Document) -> Document | None:
        given = answer.get("Responses", {}).get("Shop", [])
        left = [{name: item[name] for name in ("PK", "SK")} for item in given[given_at_once:]]
        return {**answer, "Responses": {"Shop": given[:given_at_once]}, "UnprocessedKeys": {"Shop": {"Keys": left}}}

    with Shop.open("memory:") as shop:
        for number in there:
            shop.put(order(number))
        between(shop, answer=leave_over)
        found = shop.get_many(order_key(number) for number in asked)
        assert found == [order(number) if number in there else None for number in asked]
