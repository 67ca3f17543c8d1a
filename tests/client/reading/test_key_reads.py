"""get_many: in order, in batches with unprocessed keys, and in one transaction."""

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


def test_key_reads_with_get_many_return_objects_of_several_entities_in_the_order_of_their_keys(shop: Shop) -> None:
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


def test_key_reads_with_get_many_return_two_objects_for_a_repeated_key(shop: Shop) -> None:
    fill(shop, 1)
    first, second = shop.get_many([order_key(0), order_key(0)])
    assert first == second
    assert first is not second


def test_get_many_without_keys_sends_no_request(shop: Shop) -> None:
    seen = between(shop)
    assert shop.get_many([]) == []
    assert shop.get_many([], transaction=True) == []
    assert seen.operations == []


def test_key_reads_with_get_many_split_any_number_of_keys_by_a_hundred(shop: Shop, place: Place) -> None:
    fill(shop, 250)
    seen = between(shop)
    found = shop.get_many(order_key(number) for number in range(260))
    assert found == [order(number) for number in range(250)] + [None] * 10
    sizes = sorted(len(request["RequestItems"]["Shop"]["Keys"]) for request in seen.requests)
    assert sizes == [60, 100, 100]
    assert shop.metrics.by_pattern["get_many"].requests == 3
    assert not place.has("exact units") or shop.metrics.by_pattern["get_many"].read_units == 130.0


def test_key_reads_with_get_many_work_with_asyncio(shop: Shop) -> None:
    fill(shop, 120)
    keys = [order_key(number) for number in range(130)]

    async def awaited() -> None:
        assert await shop.aio.get_many(keys) == shop.get_many(keys)
        assert await shop.aio.get_many(keys[:50], transaction=True) == shop.get_many(keys[:50])

    asyncio.run(awaited())


def leave_most_over(operation: str, answer: Document) -> Document | None:
    """Return the first seven items of a batch, and the others as unprocessed keys."""
    given = answer.get("Responses", {}).get("Shop", [])
    left = [{name: item[name] for name in ("PK", "SK")} for item in given[7:]]
    return {**answer, "Responses": {"Shop": given[:7]}, "UnprocessedKeys": {"Shop": {"Keys": left}} if left else {}}


@pytest.mark.parametrize("awaited", [False, True])
def test_key_reads_with_get_many_retry_unprocessed_keys(shop: Shop, awaited: bool) -> None:
    fill(shop, 220)
    keys = [order_key(number) for number in range(220)]
    seen = between(shop, answer=leave_most_over)
    found = asyncio.run(shop.aio.get_many(keys)) if awaited else shop.get_many(keys)
    assert found == [order(number) for number in range(220)]
    assert len(seen.operations) > 3


def test_key_reads_with_get_many_raise_for_keys_that_stay_unprocessed(shop: Shop) -> None:
    fill(shop, 3)

    def leave_all_over(operation: str, answer: Document) -> Document:
        left = [{name: item[name] for name in ("PK", "SK")} for item in answer["Responses"]["Shop"]]
        return {"Responses": {}, "UnprocessedKeys": {"Shop": {"Keys": left}}}

    seen = between(shop, answer=leave_all_over)
    with pytest.raises(Throttled, match="3 keys of a batch were still unprocessed after all retries") as refused:
        shop.get_many([order_key(0), order_key(1), order_key(2)])
    assert refused.value.code == "ProvisionedThroughputExceededException"
    assert len(seen.operations) == 3


def test_key_reads_with_get_many_return_none_for_expired_items(place: Place) -> None:
    now = IN_TWO_HOURS
    old, new = Session("old", now - timedelta(hours=1)), Session("new", now + timedelta(hours=1))
    with place.clocked(Shop, now.timestamp) as shop:
        shop.put(old)
        shop.put(new)
        keys = [key(Session, id="old"), key(Session, id="new")]
        assert shop.get_many(keys) == [None, new]
        assert shop.get_many(keys, transaction=True) == [None, new]


def test_get_many_reads_at_most_a_hundred_keys_in_a_transaction(shop: Shop) -> None:
    fill(shop, 100)
    keys = [order_key(number) for number in range(101)]
    assert shop.get_many([*keys[:100], keys[0]], transaction=True) == [*(order(n) for n in range(100)), order(0)]
    with pytest.raises(ArgumentRefused, match="a transaction reads at most 100 keys, got 101"):
        shop.get_many(keys, transaction=True)


def cancel(*codes: str) -> Any:
    def refuse(operation: str, request: Document) -> None:
        reasons = [
            {"Code": code, "Message": f"words about {code}"} if code != "None" else {"Code": code} for code in codes
        ]
        raise RequestRefused("TransactionCanceledException", "Transaction cancelled", CancellationReasons=reasons)

    return refuse


def test_key_reads_with_get_many_name_the_key_of_a_cancelled_transaction(shop: Shop) -> None:
    seen = between(shop, request=cancel("None", "ValidationError"))
    keys = [order_key(1), order_key(2)]
    with pytest.raises(TransactionCancelled, match=r"get_many was cancelled: ValidationError at .*o0002") as cancelled:
        shop.get_many(keys, transaction=True)
    assert cancelled.value.reasons == (
        CancellationReason("None", "", keys[0]),
        CancellationReason("ValidationError", "words about ValidationError", keys[1]),
    )
    assert len(seen.operations) == 1


def test_key_reads_with_get_many_retry_a_transaction_conflict(shop: Shop) -> None:
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


def test_key_reads_with_get_many_reject_a_class_that_the_table_does_not_have(shop: Shop) -> None:
    with pytest.raises(ArgumentRefused, match="int is not an entity of Shop"):
        shop.get_many([key(int, id=1)])


@given(st.lists(st.integers(0, 150), max_size=300), st.sets(st.integers(0, 150)), st.integers(1, 9))
def test_key_reads_with_get_many_equal_single_gets(
    requested: list[int], existing: set[int], items_per_response: int
) -> None:
    def leave_unprocessed(operation: str, answer: Document) -> Document | None:
        found = answer.get("Responses", {}).get("Shop", [])
        left = [{name: item[name] for name in ("PK", "SK")} for item in found[items_per_response:]]
        return {
            **answer,
            "Responses": {"Shop": found[:items_per_response]},
            "UnprocessedKeys": {"Shop": {"Keys": left}},
        }

    with Shop.open("memory:") as shop:
        for number in existing:
            shop.put(order(number))
        between(shop, answer=leave_unprocessed)
        objects = shop.get_many(order_key(number) for number in requested)
        assert objects == [order(number) if number in existing else None for number in requested]


def test_keys_with_the_same_values_are_equal_and_hashable() -> None:
    first, second = key(Order, id="o1"), key(Order, id="o1")
    assert {first: 1}[second] == 1
    assert len({first, second, key(Order, id="o2"), key(Customer, id="o1")}) == 3
