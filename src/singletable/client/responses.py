"""DynamoDB responses: their types and decoders, and the exceptions for error responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from singletable.client.retries import THROTTLING
from singletable.errors import ArgumentRefused, RequestRefused, Throttled
from singletable.values.item_validation import accept_item
from singletable.wire.api_types import decoder_of

Item = dict[str, dict[str, Any]]
ItemT = TypeVar("ItemT")


class Capacity(msgspec.Struct, rename="pascal", frozen=True):
    """The consumed capacity of a request."""

    capacity_units: float = 0.0


class GetResponse(msgspec.Struct, Generic[ItemT], rename="pascal", frozen=True):
    """The response to GetItem."""

    item: ItemT | None = None
    consumed_capacity: Capacity | None = None


class PageResponse(msgspec.Struct, Generic[ItemT], rename="pascal", frozen=True):
    """The response to a Query or Scan."""

    items: list[ItemT] = []
    count: int = 0
    last_evaluated_key: Item | None = None
    consumed_capacity: Capacity | None = None


class PageChunks(NamedTuple):
    """The response to a Query on an engine in this process, with its items as chunks of JSON."""

    items: Sequence[bytes | msgspec.Raw]
    """Each chunk is one item, or several comma-separated items."""
    last_evaluated_key: Item | None
    consumed_capacity: Capacity | None


class BatchGetResponse(msgspec.Struct, rename="pascal", frozen=True):
    """The response to BatchGetItem."""

    responses: dict[str, list[Item]] = {}
    unprocessed_keys: dict[str, Any] = {}
    consumed_capacity: list[Capacity] = []


class BatchWriteResponse(msgspec.Struct, rename="pascal", frozen=True):
    """The response to BatchWriteItem."""

    unprocessed_items: dict[str, list[dict[str, Any]]] = {}
    consumed_capacity: list[Capacity] = []


class TransactionGetItem(msgspec.Struct, rename="pascal", frozen=True):
    """One entry of a TransactGetItems response, in the order of the keys.

    `item` is None if there is no item with the key.
    """

    item: Item | None = None


class TransactionGetResponse(msgspec.Struct, rename="pascal", frozen=True):
    """The response to TransactGetItems."""

    responses: list[TransactionGetItem] = []
    consumed_capacity: list[Capacity] = []


NO_ATTRIBUTES = msgspec.Raw()


class WriteResponse(msgspec.Struct, rename="pascal", frozen=True):
    """The response to PutItem, UpdateItem or DeleteItem, with the returned item as JSON."""

    attributes: msgspec.Raw = NO_ATTRIBUTES
    consumed_capacity: Capacity | None = None


class TransactionResponse(msgspec.Struct, rename="pascal", frozen=True):
    """The response to TransactWriteItems."""

    consumed_capacity: list[Capacity] = []


class _CancellationReason(msgspec.Struct, rename="pascal"):
    code: str | None = None
    message: str | None = None
    item: Item | None = None


class _ErrorFields(msgspec.Struct, rename="pascal"):
    """The fields of an error response that this library reads."""

    small_message: str | None = msgspec.field(default=None, name="message")
    message: str | None = None
    item: Item | None = None
    cancellation_reasons: list[_CancellationReason] | None = None


read_get = decoder_of(GetResponse[Item]).decode
read_page = decoder_of(PageResponse[Item]).decode
read_batch_get = decoder_of(BatchGetResponse).decode
read_batch_write = decoder_of(BatchWriteResponse).decode
read_transaction_get = decoder_of(TransactionGetResponse).decode
read_write = decoder_of(WriteResponse).decode
read_transaction = decoder_of(TransactionResponse).decode

_decode = msgspec.json.decode

_ARGUMENT_NAMES = frozenset(("code", "message", "self"))

# Remedies for the errors that DynamoDB returns if an update does not fit the stored item.
_REMEDIES = {
    "An operand in the update expression has an incorrect data type": (
        "the field does not exist, is None, or has another type, so DynamoDB cannot add or append to it; set the "
        "field first"
    ),
    "The document path provided in the update expression is invalid for update": (
        "the update changes a part of a field that is None or not stored; set the whole field first"
    ),
}


def error_from(body: bytes) -> RequestRefused:
    """Return the exception for an error response. Raise ValueError if the body is not a DynamoDB error."""
    document: Any = _decode(body)
    if not isinstance(document, dict) or not isinstance(document.get("__type"), str):
        raise ValueError("not a DynamoDB error response")
    _normalize_items(document)
    code = document.pop("__type").rpartition("#")[2]
    message = document.pop("message", None) or document.pop("Message", "") or ""
    kind = Throttled if code in THROTTLING else RequestRefused
    error = kind(code, message, **{name: value for name, value in document.items() if name not in _ARGUMENT_NAMES})
    error.args = (f"{code}: {with_remedy(message)}",)
    return error


def _normalize_items(document: dict[str, Any]) -> None:
    """Normalize the stored items in an error response; raise ValueError if the response is not valid."""
    error = msgspec.convert(document, _ErrorFields)
    holders = [(document, error.item)]
    holders += zip(
        document.get("CancellationReasons") or (), (each.item for each in error.cancellation_reasons or ()), strict=True
    )
    for holder, item in holders:
        if item is not None:
            try:
                accept_item(item)
            except RequestRefused as problem:
                raise ValueError(problem.message) from None
            holder["Item"] = item


def not_utf8(problem: UnicodeEncodeError) -> ArgumentRefused:
    """Return the error for text that cannot be encoded as UTF-8."""
    text = problem.object[max(0, problem.start - 10) : problem.end]
    return ArgumentRefused(
        f"the text {text!r} has an unpaired surrogate, which UTF-8 cannot encode; pass whole characters"
    )


def with_remedy(message: str) -> str:
    """Return an error message of DynamoDB, followed by a remedy if there is one."""
    remedy = _REMEDIES.get(message)
    return message if remedy is None else f"{message}; {remedy}"
