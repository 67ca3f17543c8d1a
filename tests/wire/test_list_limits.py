"""List limits: a large request with too long a list is found without decoding it."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.engine import Engine
from singletable.wire import item_requests, query_and_scan, statement_requests, table_requests
from singletable.wire.api_types import Shape
from singletable.wire.error_responses import request_error
from singletable.wire.list_limits import COUNTED_BYTES_MIN, exceeds_list_limits

KEY = {"pk": {"S": "a"}}
PUT = {"Put": {"TableName": "table", "Item": KEY}}
LISTS: list[tuple[type[Shape], dict[str, Any], list[str], Any, int]] = [
    (item_requests.TransactWriteItems, {}, ["TransactItems"], PUT, 100),
    (item_requests.GetItem, {"TableName": "table", "Key": KEY}, ["AttributesToGet"], "a", 255),
    (query_and_scan.Scan, {"TableName": "table"}, ["AttributesToGet"], "a", 255),
    (item_requests.BatchWriteItem, {}, ["RequestItems", "table"], {"PutRequest": {"Item": KEY}}, 25),
    (statement_requests.BatchExecuteStatement, {}, ["Statements"], {"Statement": "SELECT * FROM t"}, 25),
]


def body_with(others: dict[str, Any], path: list[str], elements: Any) -> bytes:
    value = elements
    for name in reversed(path):
        value = {name: value}
    return json.dumps(others | value).encode()


@pytest.mark.parametrize(("shape", "others", "path", "element", "count_max"), LISTS, ids=lambda each: str(each)[:40])
def test_list_limits_agree_with_the_decoder_of_the_request(
    shape: type[Shape], others: dict[str, Any], path: list[str], element: Any, count_max: int
) -> None:
    for count in (1, count_max, count_max + 1, 3 * count_max):
        body = body_with(others, path, [element] * count)
        assert exceeds_list_limits(shape, body) is (count > count_max)
        if count > count_max:
            with pytest.raises(msgspec.ValidationError):
                msgspec.json.decode(body, type=shape)


@pytest.mark.parametrize(("shape", "others", "path", "element", "count_max"), LISTS, ids=lambda each: str(each)[:40])
def test_list_limits_leave_other_lists_to_the_decoder(
    shape: type[Shape], others: dict[str, Any], path: list[str], element: Any, count_max: int
) -> None:
    assert not exceeds_list_limits(shape, body_with(others, path, None))
    assert not exceeds_list_limits(shape, body_with(others, path, [None] * count_max))
    assert not exceeds_list_limits(shape, b"{" * 50)
    assert not exceeds_list_limits(shape, b'{"TableName": "\xff"}')


def test_a_shape_without_lists_has_no_list_limits() -> None:
    assert not exceeds_list_limits(table_requests.DescribeTable, b'{"TableName": "table"}')


@given(st.integers(0, 40))
def test_the_error_for_a_list_over_its_limit_is_the_same_for_small_and_large_bodies(extra: int) -> None:
    small = body_with({}, ["TransactItems"], [PUT] * (1000 + extra))
    large = small + b" " * COUNTED_BYTES_MIN
    errors = [request_error(item_requests.TransactWriteItems, body) for body in (small, large)]
    assert errors[0].message == errors[1].message


@pytest.mark.parametrize("size", [1, 4])
def test_a_list_over_its_limit_is_rejected_without_decoding_its_elements(size: int) -> None:
    body = body_with({}, ["TransactItems"], [PUT] * (10_000 * size))
    with Engine("memory:") as engine:
        engine.respond("DynamoDB_20120810.TransactWriteItems", body[:100])
        tracemalloc.start()
        try:
            response = engine.respond("DynamoDB_20120810.TransactWriteItems", body)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert (response.status, b"less than or equal to 100" in response.body) == (400, True)
    # The elements take 14 times the length of the body when they are decoded; the error shows the first thousand.
    assert peak < 2 * len(body) + 2_000_000
