"""Answers of DynamoDB as the data layer reads them: items as maps or as rows of a type, the rest by its shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from singletable.wire.decoders import decoder_of

Item = dict[str, dict[str, Any]]
ItemT = TypeVar("ItemT")


class Capacity(msgspec.Struct, rename="pascal", frozen=True):
    """What a request consumed."""

    capacity_units: float = 0.0


class GetAnswer(msgspec.Struct, Generic[ItemT], rename="pascal", frozen=True):
    """The answer to GetItem."""

    item: ItemT | None = None
    consumed_capacity: Capacity | None = None


class PageAnswer(msgspec.Struct, Generic[ItemT], rename="pascal", frozen=True):
    """The answer to Query and Scan."""

    items: list[ItemT] = []
    count: int = 0
    last_evaluated_key: Item | None = None
    consumed_capacity: Capacity | None = None


class Pieces(NamedTuple):
    """The answer to Query by an engine in this process, which need not make one document of what it reads."""

    items: Sequence[bytes | msgspec.Raw]
    """Each is one item, or several with commas between them."""
    last_evaluated_key: Item | None
    consumed_capacity: Capacity | None


class BatchGetAnswer(msgspec.Struct, rename="pascal", frozen=True):
    """The answer to BatchGetItem."""

    responses: dict[str, list[Item]] = {}
    unprocessed_keys: dict[str, Any] = {}
    consumed_capacity: list[Capacity] = []


class BatchWriteAnswer(msgspec.Struct, rename="pascal", frozen=True):
    """The answer to BatchWriteItem."""

    unprocessed_items: dict[str, list[dict[str, Any]]] = {}
    consumed_capacity: list[Capacity] = []


class TransactionGetResponse(msgspec.Struct, rename="pascal", frozen=True):
    """One item of TransactGetItems, in the place of its key."""

    item: Item | None = None


class TransactionGetAnswer(msgspec.Struct, rename="pascal", frozen=True):
    """The answer to TransactGetItems."""

    responses: list[TransactionGetResponse] = []
    consumed_capacity: list[Capacity] = []


NO_ATTRIBUTES = msgspec.Raw()


class WriteAnswer(msgspec.Struct, rename="pascal", frozen=True):
    """The answer to PutItem, UpdateItem and DeleteItem; the returned item as its JSON."""

    attributes: msgspec.Raw = NO_ATTRIBUTES
    consumed_capacity: Capacity | None = None


class TransactionAnswer(msgspec.Struct, rename="pascal", frozen=True):
    """The answer to TransactWriteItems."""

    consumed_capacity: list[Capacity] = []


read_get = decoder_of(GetAnswer[Item]).decode
read_page = decoder_of(PageAnswer[Item]).decode
read_batch_get = decoder_of(BatchGetAnswer).decode
read_batch_write = decoder_of(BatchWriteAnswer).decode
read_transaction_get = decoder_of(TransactionGetAnswer).decode
read_write = decoder_of(WriteAnswer).decode
read_transaction = decoder_of(TransactionAnswer).decode
