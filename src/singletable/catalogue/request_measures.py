"""Measurements of a request and its response: items, bytes, capacity units, and whether more pages follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from singletable.catalogue.request_shapes import RequestPart
from singletable.lazy_dataclass import dataclass
from singletable.values.item_size import (
    CONSISTENT,
    EVENTUAL,
    TRANSACTION_WRITE_FACTOR,
    TRANSACTIONAL,
    item_size,
    read_units,
    write_units,
)

CONDITION_ERRORS = ("ConditionalCheckFailedException", "TransactionCanceledException")
"""The errors of writes whose conditions fail. DynamoDB bills them as writes of the table, without its indexes."""
Item = Mapping[str, Any]
IndexKeys = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class RequestMeasures:
    """What one request read and wrote."""

    items: int = 0
    """The items in the response."""
    examined: int = 0
    """The items that DynamoDB read, including those that a filter discarded."""
    bytes_read: int = 0
    """The size of the items in the response."""
    bytes_written: int = 0
    """The size of the items that are put."""
    units: float = 0.0
    is_estimated: bool = False
    """Whether the response had no consumed capacity, so that the units are computed from sizes."""


def items_of(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the items of a response."""
    yield from answer.get("Items", ())
    if "Item" in answer:
        yield answer["Item"]
    responses = answer.get("Responses", ())
    if isinstance(responses, Mapping):
        yield from (item for items in responses.values() for item in items)
    else:
        yield from (each["Item"] for each in responses if each.get("Item"))


def items_by_table(parts: Sequence[RequestPart], answer: Mapping[str, Any]) -> Iterator[tuple[str, Item]]:
    """Yield the items of a response with their tables."""
    responses = answer.get("Responses", ())
    if isinstance(responses, Mapping):
        yield from ((table, item) for table, items in responses.items() for item in items)
    elif responses and len(parts) == len(responses):  # the results of a transaction have the order of its parts
        pairs = zip(parts, responses, strict=True)
        yield from ((part.table, each["Item"]) for part, each in pairs if each.get("Item"))
    elif len(parts) == 1:
        yield from ((parts[0].table, item) for item in items_of(answer))


def measures_of(
    operation: str, parts: Sequence[RequestPart], answer: Mapping[str, Any], indexes_of: Mapping[str, IndexKeys]
) -> RequestMeasures:
    """Return the measurements of a request. `indexes_of` contains the index keys of each table, as far as known."""
    sizes = [stored_size(item) for item in items_of(answer)]
    examined = answer.get("ScannedCount", len(sizes))
    written = [0 if part.item is None else stored_size(part.item) for part in parts]
    units = _consumed(answer.get("ConsumedCapacity"))
    is_estimated = units is None
    if units is None:
        units = _read_estimate(operation, parts, answer, sizes) + _write_estimate(operation, parts, written, indexes_of)
    count = answer.get("Count", len(sizes))
    return RequestMeasures(count, examined, sum(sizes), sum(written), units, is_estimated)


def failed_write_units(operation: str, parts: Sequence[RequestPart]) -> float:
    """Return the write units of a request whose condition failed."""
    written = [0 if part.item is None else stored_size(part.item) for part in parts]
    return _write_estimate(operation, parts, written, {})


def stored_size(item: Item) -> int:
    """Return the size of an item in DynamoDB JSON. Its binary values are base64 texts or, from boto3, bytes."""
    try:
        return item_size(dict(item))
    except (TypeError, AttributeError):
        return sum(len(name.encode()) + _size(value) for name, value in item.items())


def _size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "B" and isinstance(content, bytes):
        return len(content)
    if kind == "BS" and any(isinstance(each, bytes) for each in content):
        return sum(len(each) for each in content)
    if kind == "L":
        return 3 + len(content) + sum(map(_size, content))
    if kind == "M":
        return 3 + len(content) + stored_size(content)
    return item_size({"": {kind: content}})


def _consumed(capacity: Any) -> float | None:
    if not capacity:
        return None
    return float(
        sum(each.get("CapacityUnits", 0.0) for each in (capacity if isinstance(capacity, list) else [capacity]))
    )


def _read_estimate(
    operation: str, parts: Sequence[RequestPart], answer: Mapping[str, Any], sizes: Sequence[int]
) -> float:
    if operation in ("Query", "Scan"):
        factor = CONSISTENT if parts[0].request.get("ConsistentRead") else EVENTUAL
        returned = answer.get("Count", 0)
        examined = answer.get("ScannedCount", 0)
        # DynamoDB bills discarded items too. Their size is unknown, so the average size of the returned items is used.
        size = sum(sizes) * examined / returned if returned and sizes else 0
        return read_units(round(size), factor)
    if operation == "TransactGetItems":
        return sum(read_units(size, TRANSACTIONAL) for size in sizes) + TRANSACTIONAL * (len(parts) - len(sizes))
    reads = [part for part in parts if part.operation == "GetItem"]
    if not reads:
        return 0.0
    factor = CONSISTENT if reads[0].request.get("ConsistentRead") else EVENTUAL
    return sum(read_units(size, factor) for size in sizes) + factor * (len(reads) - len(sizes))


def _write_estimate(
    operation: str, parts: Sequence[RequestPart], written: Sequence[int], indexes_of: Mapping[str, IndexKeys]
) -> float:
    """Return the estimated write units of the table, and of the index entries of items that are put or deleted."""
    factor = TRANSACTION_WRITE_FACTOR if operation == "TransactWriteItems" else 1
    units = 0
    for part, size in zip(parts, written, strict=True):
        if part.operation in ("GetItem", "Query", "Scan"):
            continue
        units += write_units(size) * factor
        keys = indexes_of.get(part.table, {}).values()
        if part.operation == "DeleteItem":
            units += len(keys)  # the item is probably in every index, and its entries are small
        if part.item is not None:
            units += sum(write_units(size) for names in keys if all(name in part.item for name in names))
    return float(units)
