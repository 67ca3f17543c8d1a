"""A check of responses that a read or write could not process: whether the server or the caller's code is the reason.

Responses are decoded without a check of each value, which would cost time. If the processing of a response raises an
exception that is not of this library, this module decodes the response strictly. A response that is not valid is
reported as the error of the server; otherwise the exception comes from the caller's code, such as an upgrade function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import msgspec

from singletable.client.request_steps import Call
from singletable.client.responses import (
    Item,
    read_batch_get,
    read_batch_write,
    read_get,
    read_page,
    read_transaction,
    read_transaction_get,
    read_write,
)
from singletable.errors import OutcomeUnknown, RequestRefused, SingletableError, Unreachable
from singletable.values.item_validation import accept_item

_INVALID = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError, RequestRefused)
_WRITES = frozenset(("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"))
_SHOWN_CHARACTERS_MAX = 200


def _written_item(body: bytes) -> Iterable[Item]:
    attributes = bytes(read_write(body).attributes)
    return (msgspec.json.decode(attributes, type=Item),) if attributes else ()


def _batch_items(body: bytes) -> Iterable[Item]:
    response = read_batch_get(body)
    keys = [key for each in response.unprocessed_keys.values() for key in each["Keys"]]
    return chain(keys, *response.responses.values())


def _page_items(body: bytes) -> Iterable[Item]:
    page = read_page(body)
    return page.items if page.last_evaluated_key is None else (*page.items, page.last_evaluated_key)


def _unprocessed_items(body: bytes) -> Iterable[Item]:
    for entry in chain(*read_batch_write(body).unprocessed_items.values()):
        for name, write in entry.items():
            yield write["Item" if name == "PutRequest" else "Key"]


def _one(item: Item | None) -> Iterable[Item]:
    return () if item is None else (item,)


def _no_items(body: bytes) -> Iterable[Item]:
    read_transaction(body)
    return ()


_ITEMS: dict[str, Callable[[bytes], Iterable[Item]]] = {
    "BatchGetItem": _batch_items,
    "BatchWriteItem": _unprocessed_items,
    "DeleteItem": _written_item,
    "GetItem": lambda body: _one(read_get(body).item),
    "PutItem": _written_item,
    "Query": _page_items,
    "Scan": _page_items,
    "TransactGetItems": lambda body: chain(*(_one(each.item) for each in read_transaction_get(body).responses)),
    "TransactWriteItems": _no_items,
    "UpdateItem": _written_item,
}
"""The items in the response to each operation; the others have none, and no code of the caller reads them."""


def raise_if_invalid(problem: Exception, calls: Iterable[Call], responses: Sequence[Any]) -> None:
    """Raise Unreachable or OutcomeUnknown if one of the responses explains a problem; otherwise return."""
    if isinstance(problem, SingletableError):
        return
    for call, response in zip(calls, responses, strict=False):
        reason = _reason(call, response, problem) if isinstance(response, bytes) else None
        if reason is None:
            continue
        message = (
            f"the response to {call.operation} is not valid: {reason[:_SHOWN_CHARACTERS_MAX]}.\n"
            "  DynamoDB may have executed the request. Check that no other server or proxy answers at this address."
        )
        if call.operation in _WRITES:
            raise OutcomeUnknown(message) from problem
        raise Unreachable(message, sent=True) from problem


def _reason(call: Call, response: bytes, problem: Exception) -> str | None:
    """Return why a response is not valid, or None if it is valid."""
    read = _ITEMS.get(call.operation)
    if read is None:
        return _text(problem)
    try:
        items = list(read(response))
        if not items and call.parameters.get("ReturnValues") == "ALL_NEW":
            return "it has no item"
        for item in items:
            if not all(map(_has_one_type, item.values())):
                return "an attribute value has no type, or several"
            if not _key_attributes(call) <= item.keys():
                return "an item has no key"
            accept_item(item)
    except _INVALID as invalid:
        return _text(invalid)
    return None


def _has_one_type(value: Any) -> bool:
    """Return whether an attribute value, and each value in it, has exactly one type."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    ((kind, content),) = value.items()
    inner = content.values() if kind == "M" else content if kind == "L" else ()
    return all(map(_has_one_type, inner))


def _key_attributes(call: Call) -> set[str]:
    """Return the key attributes that each item in the response must have."""
    if call.operation == "BatchGetItem":
        return {name for table in call.parameters["RequestItems"].values() for name in table["Keys"][0]}
    if call.operation == "TransactGetItems":
        return set(call.parameters["TransactItems"][0]["Get"]["Key"])
    if call.parameters.get("ReturnValues") == "ALL_NEW":
        return set(call.parameters["Key"])
    return set()


def _text(problem: Exception) -> str:
    return str(problem) if isinstance(problem, (ValueError, RequestRefused)) else type(problem).__name__
