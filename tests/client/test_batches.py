"""Bulk writes: any number of items, in order, with unprocessed and rejected items, and the result of each item."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import (
    ArgumentRefused,
    BatchProgress,
    BatchResult,
    Key,
    KeyRefused,
    RequestRefused,
    Unreachable,
    key,
)
from singletable.client.retries import Retries
from singletable.client.write import bulk_writes as batch
from tests.client.between import Document, between
from tests.client.places import Place
from tests.client.shop import Order, OrderItem, Shop, order


def written_ids(request: Document) -> list[str]:
    """Return the ids of the orders that a request puts or deletes."""
    keys = [(write.get("PutRequest", {}).get("Item") or write["DeleteRequest"]["Key"]) for write in writes_of(request)]
    return [key["PK"]["S"].removeprefix("ORDER#") for key in keys]


def writes_of(request: Document) -> list[Document]:
    writes: list[Document] = request["RequestItems"]["Shop"]
    return writes


def stored(shop: Shop) -> list[Order]:
    return list(shop.orders_of_customer.all("c1"))


def newest_first(count: int) -> list[Order]:
    return [order(number) for number in reversed(range(count))]


def test_bulk_writes_put_and_delete_any_number_of_items(shop: Shop, place: Place) -> None:
    seen = between(shop)
    assert shop.put_many(order(number) for number in range(260)) == BatchResult(260)
    assert stored(shop) == newest_first(260)
    sizes = [len(writes_of(request)) for request in seen.requests[:11]]
    assert sorted(sizes) == [10, *[25] * 10]
    assert shop.metrics.by_pattern["put_many"].requests == 11
    assert not place.has("exact units") or shop.metrics.by_pattern["put_many"].write_units == 520.0
    gone: list[Order | Key[Order]] = [order(number) for number in range(100)]
    gone += [key(Order, id=f"o{number:04}") for number in range(100, 259)]
    assert shop.delete_many(gone) == BatchResult(259)
    assert stored(shop) == [order(259)]
    assert set(seen.operations) == {"BatchWriteItem", "Query"}


def test_bulk_writes_work_with_asyncio(shop: Shop) -> None:
    told: list[BatchProgress] = []

    async def awaited() -> None:
        assert await shop.aio.put_many((order(number) for number in range(230)), progress=told.append) == BatchResult(
            230
        )
        assert len(stored(shop)) == 230
        assert await shop.aio.delete_many([order(number) for number in range(229)]) == BatchResult(229)

    asyncio.run(awaited())
    assert stored(shop) == [order(229)]
    assert told == [BatchProgress(200, 0, 0), BatchProgress(230, 0, 0)]


def test_bulk_writes_of_nothing_send_no_request(shop: Shop) -> None:
    seen = between(shop)
    assert shop.put_many([]) == BatchResult(0)
    assert shop.delete_many(iter([])) == BatchResult(0)
    assert seen.operations == []


def test_bulk_writes_put_several_entities_together(shop: Shop) -> None:
    seen = between(shop)
    assert shop.put_many([order(1), OrderItem("o0001", "s1"), OrderItem("o0001", "s2")]).written == 3
    assert seen.operations == ["BatchWriteItem"]
    whole = shop.whole_order("o0001")
    assert whole is not None
    assert [item.sku for item in whole.items] == ["s1", "s2"]


def test_bulk_writes_store_the_last_object_of_one_key(shop: Shop) -> None:
    seen = between(shop)
    values = [order(1, status="A"), order(2), order(1, status="B"), order(1, status="C")]
    assert shop.put_many(values) == BatchResult(4)
    assert shop.order("o0001") == order(1, status="C")
    assert written_ids(seen.requests[0]) == ["o0002", "o0001"]
    assert shop.delete_many([order(1), key(Order, id="o0001"), order(2)]) == BatchResult(3)
    assert stored(shop) == []


def test_bulk_writes_consume_an_iterator_while_writing(shop: Shop) -> None:
    taken = 0

    def endless() -> Iterator[Order]:
        nonlocal taken
        while True:
            yield order(taken % 1000)
            taken += 1

    class Enough(Exception):
        pass

    ahead: list[int] = []

    def progress(so_far: BatchProgress) -> None:
        ahead.append(taken - so_far.written)
        if so_far.written >= 1000:
            raise Enough

    with pytest.raises(Enough):
        shop.put_many(endless(), progress=progress)
    assert max(ahead) <= batch.VALUES_AT_ONCE
    assert shop.orders_of_customer.count("c1") == 1000


def test_bulk_writes_split_an_endless_iterator_of_one_key_into_batches(shop: Shop) -> None:
    seen = between(shop)
    assert shop.put_many(order(1, note=str(number)) for number in range(1000)) == BatchResult(1000)
    assert len(seen.operations) == 1000 / batch.VALUES_AT_ONCE
    assert shop.order("o0001") == order(1, note="999")


@pytest.mark.parametrize("awaited", [False, True])
def test_bulk_writes_retry_unprocessed_items(shop: Shop, awaited: bool) -> None:
    def leave_over(operation: str, request: Document) -> Document | None:
        """Pass on only the first three writes of a request."""
        return {"RequestItems": {"Shop": writes_of(request)[:3]}} if operation == "BatchWriteItem" else None

    def tell_of_it(operation: str, answer: Document) -> Document | None:
        if operation != "BatchWriteItem":
            return None
        left = writes_of(seen.requests[-1])[3:]
        return {"UnprocessedItems": {"Shop": left} if left else {}}

    seen = between(shop, leave_over, tell_of_it)
    # one request at a time, so the response is that of the last request
    values = [order(number) for number in range(20)]
    told: list[BatchProgress] = []
    if awaited:
        result = asyncio.run(shop.aio.put_many(values, progress=told.append))
    else:
        result = shop.put_many(values, progress=told.append)
    assert result == BatchResult(20)
    assert told[0] == BatchProgress(3, 0, 17)
    assert told[-1] == BatchProgress(20, 0, 0)
    assert len(told) == 7
    assert stored(shop) == newest_first(20)


def test_bulk_writes_fail_for_items_that_stay_unprocessed(shop: Shop) -> None:
    def leave_one_over(operation: str, request: Document) -> Document | None:
        kept = [write for write in writes_of(request) if write["PutRequest"]["Item"]["id"] != {"S": "o0002"}]
        if not kept:
            raise RequestRefused("ProvisionedThroughputExceededException", "too hot")
        return {"RequestItems": {"Shop": kept}}

    def tell_of_it(operation: str, answer: Document) -> Document:
        left = [w for w in writes_of(seen.requests[-1]) if w["PutRequest"]["Item"]["id"] == {"S": "o0002"}]
        return {"UnprocessedItems": {"Shop": left} if left else {}}

    seen = between(shop, leave_one_over, tell_of_it)
    result = shop.put_many([order(number) for number in range(5)])
    assert result.written == 4
    (failure,) = result.failed
    assert failure.value == order(2)
    assert isinstance(failure.reason, RequestRefused)
    assert failure.reason.code == "ProvisionedThroughputExceededException"


def test_bulk_writes_fail_for_items_that_stay_unprocessed_without_an_error(shop: Shop) -> None:
    def leave_all_over(operation: str, answer: Document) -> Document:
        return {"UnprocessedItems": {"Shop": writes_of(seen.requests[-1])}}

    seen = between(shop, answer=leave_all_over)
    result = shop.put_many([order(1), order(2)])
    assert (result.written, [failure.value for failure in result.failed]) == (0, [order(1), order(2)])
    assert "unprocessed in every attempt" in str(result.failed[0].reason)
    assert len(seen.operations) == 3


def test_bulk_writes_pause_longer_while_nothing_is_written(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = iter([0, 0, 1, 0, 0, 1])  # the number of successful writes of each request

    def leave_over(operation: str, answer: Document) -> Document:
        left = writes_of(seen.requests[-1])[next(rounds) :]
        return {"UnprocessedItems": {"Shop": left} if left else {}}

    seen = between(shop, answer=leave_over)
    opened = shop._opened()
    opened.reader.retries = Retries(attempts=3, first_seconds=64.0, seconds_max=1000.0)
    waited: list[float] = []
    monkeypatch.setattr(opened.session, "wait", waited.append)
    monkeypatch.setattr(Retries.pause, "__defaults__", (lambda: 1.0,))
    assert shop.put_many([order(1), order(2)]) == BatchResult(2)
    assert waited == [128.0, 256.0, 64.0, 128.0, 256.0]


def test_bulk_writes_fail_only_for_an_item_that_cannot_be_written(shop: Shop) -> None:
    seen = between(shop)
    large, unkeyed, number = order(3, note="x" * 410_000), order(4), order(5)
    unkeyed.id = "x" * 3000
    number.total = Decimal("1e200")
    values = [order(1), large, unkeyed, number, order(2)]
    result = shop.put_many(values)
    assert result.written == 2
    assert [failure.value for failure in result.failed] == [large, unkeyed, number]
    assert "bytes, but the limit is 409600" in str(result.failed[0].reason)
    assert isinstance(result.failed[1].reason, KeyRefused)
    assert "is not a valid DynamoDB number" in str(result.failed[2].reason)
    assert seen.operations == ["BatchWriteItem"]
    assert stored(shop) == [order(2), order(1)]
    gone = shop.delete_many([unkeyed, order(1)])
    assert (gone.written, [failure.value for failure in gone.failed]) == (1, [unkeyed])


def test_bulk_writes_find_an_item_that_dynamodb_rejects_among_the_others(shop: Shop) -> None:
    bad = {"o0007", "o0030"}

    def refuse(operation: str, request: Document) -> None:
        if operation == "BatchWriteItem" and bad & set(written_ids(request)):
            raise RequestRefused("ValidationException", "not this one")

    seen = between(shop, refuse)
    told: list[BatchProgress] = []
    result = shop.put_many([order(number) for number in range(60)], progress=told.append)
    assert result.written == 58
    assert sorted(failure.value.id for failure in result.failed) == ["o0007", "o0030"]
    assert {str(failure.reason) for failure in result.failed} == {"ValidationException: not this one"}
    assert stored(shop) == [each for each in newest_first(60) if each.id not in bad]
    assert len([operation for operation in seen.operations if operation == "BatchWriteItem"]) < 30
    assert told[-1] == BatchProgress(58, 2, 0)


def test_bulk_writes_raise_an_error_that_no_item_caused(shop: Shop) -> None:
    def refuse(operation: str, request: Document) -> None:
        raise RequestRefused("AccessDeniedException", "not you")

    seen = between(shop, refuse)
    with pytest.raises(RequestRefused, match="not you") as refused:
        shop.put_many(order(number) for number in range(1000))
    assert refused.value.__notes__ == ["put_many wrote 0 values before this error."]
    assert len(seen.operations) <= batch.REQUESTS_AT_ONCE


def test_bulk_writes_report_an_unreachable_server_at_once(shop: Shop) -> None:
    passed = iter([True] * 8)

    def lose(operation: str, request: Document) -> None:
        if not next(passed, False):
            raise Unreachable("the line is dead", sent=False)

    seen = between(shop, lose)
    with pytest.raises(Unreachable, match="the line is dead") as lost:
        shop.put_many(order(number % 7000) for number in range(10**9))
    assert lost.value.__notes__ == ["put_many wrote 200 values before this error."]
    assert len(seen.operations) == 8 + 8 * 3


def test_bulk_writes_retry_a_lost_request_among_others(shop: Shop) -> None:
    lost = iter([True] * 3)

    def lose(operation: str, request: Document) -> None:
        if "o0000" in written_ids(request) and next(lost, False):
            raise Unreachable("the line is dead", sent=True)

    between(shop, lose)
    assert shop.put_many(order(number) for number in range(50)) == BatchResult(50)


def test_bulk_writes_send_at_most_sixteen_megabytes_in_a_request(shop: Shop) -> None:
    sizes: list[int] = []

    def measure(operation: str, request: Document) -> None:
        if operation == "BatchWriteItem":
            sizes.append(
                sum(6 * write["PutRequest"]["Item"]["note"]["S"].count("\x01") for write in writes_of(request))
            )

    between(shop, measure)
    # Each of these characters is one byte of an item, and six bytes in the request.
    assert shop.put_many(order(number, note="\x01" * 380_000) for number in range(9)) == BatchResult(9)
    assert sorted(sizes) == [2 * 2_280_000, 7 * 2_280_000]
    assert shop.order("o0008") == order(8, note="\x01" * 380_000)


def test_bulk_writes_reject_a_class_that_the_table_does_not_have_before_any_request(shop: Shop) -> None:
    seen = between(shop)
    with pytest.raises(ArgumentRefused, match="int is not an entity of Shop"):
        shop.put_many([order(1), 7])
    assert seen.operations == []


@given(
    numbers=st.lists(st.integers(0, 60), max_size=400),
    refused=st.sets(st.sampled_from([f"o{number:04}" for number in range(60)]), max_size=3),
    chance=st.randoms(use_true_random=False),
)
def test_bulk_writes_equal_the_same_writes_one_after_another(
    numbers: list[int], refused: set[str], chance: Random
) -> None:
    values = [order(number, note=str(place)) for place, number in enumerate(numbers)]
    kept: dict[int, list[Document]] = {}

    def hinder(operation: str, request: Document) -> Document | None:
        if operation != "BatchWriteItem":
            return None
        writes = writes_of(request)
        if refused & set(written_ids(request)):
            raise RequestRefused("ValidationException", "not this one")
        passed = writes[: chance.randint(1, len(writes))]
        kept[0] = writes[len(passed) :]
        return {"RequestItems": {"Shop": passed}}

    def tell_of_it(operation: str, answer: Document) -> Document | None:
        return {"UnprocessedItems": {"Shop": kept[0]}} if operation == "BatchWriteItem" else None

    with Shop.open("memory:") as shop:
        between(shop, hinder, tell_of_it)
        # On an event loop, requests to memory are executed one after another.
        result = asyncio.run(shop.aio.put_many(iter(values)))
        last = {value.id: value for value in values}
        assert {each.id: each for each in stored(shop)} == {id: v for id, v in last.items() if id not in refused}
        assert [f.value for f in sorted(result.failed, key=lambda f: int(f.value.note or ""))] == [
            value for value in values if value.id in refused
        ]
        assert result.written + len(result.failed) == len(values)
