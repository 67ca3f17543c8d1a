"""A check that a response belongs to its request: it has the expected form, and its items have the requested keys.

A faulty proxy can send a response twice, or send responses in the wrong order. Without this check, a caller would then
receive the item of another caller. Most checks compare bytes: a response usually starts with the key of the request, in
the same JSON. If it does not, the keys are decoded and compared by value. A response without items matches every
request of the same operation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from typing import Any

import msgspec

from singletable.wire.api_types import decoder_of

# This pattern matches `#n1 = :v1`, but not `#n1 <= :v1`.
_EQUALITY = re.compile(r"(?<!\S)([#\w]+) = (:\w+)")
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
# A table or index has at most four partition key attributes and four sort key attributes.
_MEMBERS = tuple(f"m{number}" for number in range(8))
# The response fields that distinguish the operations.
_FIELDS = ("Attributes", "Count", "Item", "Items", "Responses", "UnprocessedItems")
# Before the items, a response has only the counts and the consumed capacity.
_START_BYTES = 4096

Values = Mapping[str, msgspec.Raw]
"""Attribute values as JSON, by attribute name."""


def is_response_to(operation: str, request: bytes, response: bytes) -> bool:
    """Return whether the items in a successful response can be the items that the request selects."""
    matches = _MATCHES.get(operation)
    if matches is None:
        return True
    try:
        return matches(request, response)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return True  # it is not a valid response; the code that reads the response raises the error


class _KeyRequest(msgspec.Struct, rename="pascal", gc=False):
    key: msgspec.Raw


class _QueryRequest(msgspec.Struct, rename="pascal", gc=False):
    key_condition_expression: str
    expression_attribute_names: dict[str, str] = {}
    expression_attribute_values: dict[str, msgspec.Raw] = {}


class _TableKeys(msgspec.Struct, rename="pascal"):
    keys: list[dict[str, msgspec.Raw]]


class _BatchRequest(msgspec.Struct, rename="pascal"):
    request_items: dict[str, _TableKeys]


class _Get(msgspec.Struct, rename="pascal"):
    key: dict[str, msgspec.Raw]


class _TransactionAction(msgspec.Struct, rename="pascal"):
    get: _Get


class _TransactionRequest(msgspec.Struct, rename="pascal"):
    transact_items: list[_TransactionAction]


_decode_key = decoder_of(_KeyRequest).decode
_decode_query = decoder_of(_QueryRequest).decode
_decode_batch = decoder_of(_BatchRequest).decode
_decode_transaction = decoder_of(_TransactionRequest).decode
_decode_values = decoder_of(dict[str, msgspec.Raw]).decode


def _has_key(request: bytes, response: bytes) -> bool:
    """Return whether the item in the response to GetItem has the requested key."""
    if response == b"{}":
        return True
    key = bytes(_decode_key(request).key)
    if response.startswith(b'{"Item":' + key[:-1]):
        return True
    expected = _comparable(_decode_values(key))
    found = _decoder("Item", tuple(expected))(response)
    return not _has_others(found, "Item") and _has_values(found.Item, expected)


def _has_written_key(request: bytes, response: bytes) -> bool:
    """Return whether the response to UpdateItem or DeleteItem has the requested key, if it contains key attributes."""
    if response == b"{}":
        return True
    expected = _comparable(_decode_values(_decode_key(request).key))
    found = _decoder("Attributes", tuple(expected))(response)
    return not _has_others(found, "Attributes") and _has_values(found.Attributes, expected)


def _is_write_response(request: bytes, response: bytes) -> bool:
    """Check the form of the response to PutItem or TransactWriteItems."""
    return response == b"{}" or not _has_others(_decoder("Attributes", ())(response), "Attributes")


def _is_page(request: bytes, response: bytes) -> bool:
    """Check the form of a Scan response, which always has a count."""
    return b'"Count":' in response


def _has_partition(request: bytes, response: bytes) -> bool:
    query = _decode_query(request)
    expected: dict[str, msgspec.Raw] = {}
    for name, value in _equalities(query.key_condition_expression):
        expected[query.expression_attribute_names.get(name, name)] = query.expression_attribute_values[value]
    for name, only in expected.items() if len(expected) == 1 else ():
        # JSON escapes the quotes in a text, and no attribute value is a bare array. So the first match of these bytes
        # is the list of items.
        if response.find(b'"Items":[{"%b":%b' % (name.encode(), only), 0, _START_BYTES) >= 0:
            return True
    expected = _comparable(expected)
    found = _decoder("Items", tuple(expected))(response)
    if not bytes(found.Count):
        return False
    items = found.Items
    return not items or _has_values(items[0], expected)  # all items of one response are in the same partition


@lru_cache(maxsize=1024)
def _equalities(key_condition: str) -> list[tuple[str, str]]:
    """Return the attributes that a key condition compares with `=`, each with the placeholder of its value."""
    return _EQUALITY.findall(key_condition)


def _has_batch_keys(request: bytes, response: bytes) -> bool:
    """Return whether every item was requested; DynamoDB may return fewer items, in any order."""
    for table, requested in _decode_batch(request).request_items.items():
        keys = [_comparable(key) for key in requested.keys]
        names = tuple(keys[0]) if keys else ()
        responses = _decoder("Responses", names)(response).Responses
        if responses is None:
            return False
        found = responses.get(table) or ()
        known = {tuple(bytes(key[name]) for name in names) for key in keys}
        for item in found:
            values = tuple(bytes(getattr(item, member)) for member, _ in zip(_MEMBERS, names, strict=False))
            if values not in known and not any(_has_values(item, key) for key in keys):
                return False
    return True


def _has_transaction_keys(request: bytes, response: bytes) -> bool:
    """Return whether each item has the key at its position."""
    keys = [_comparable(each.get.key) for each in _decode_transaction(request).transact_items]
    names = tuple(keys[0]) if keys else ()
    if any(tuple(key) != names for key in keys):
        return True  # the request reads several tables with different keys, which this client never does
    found = _decoder("Transaction", names)(response).Responses
    return found is not None and all(_has_values(each.Item, key) for each, key in zip(found, keys, strict=False))


_MATCHES: dict[str, Callable[[bytes, bytes], bool]] = {
    "GetItem": _has_key,
    "PutItem": _is_write_response,
    "UpdateItem": _has_written_key,
    "DeleteItem": _has_written_key,
    "TransactWriteItems": _is_write_response,
    "Query": _has_partition,
    "Scan": _is_page,
    "BatchGetItem": _has_batch_keys,
    "TransactGetItems": _has_transaction_keys,
}


def _comparable(values: Values) -> dict[str, msgspec.Raw]:
    """Return the values whose attribute names need no escapes in JSON; msgspec supports only such names."""
    return {name: value for name, value in values.items() if not _ESCAPED.search(name)}


@cache
def _decoder(form: str, names: tuple[str, ...]) -> Callable[[bytes], Any]:
    """Return a decoder that reads only these attributes of the items in a response."""
    renamed = dict(zip(_MEMBERS, names, strict=False))
    nothing = msgspec.Raw()
    item: Any = msgspec.defstruct(
        "KeyOfItem", [(member, msgspec.Raw, nothing) for member in renamed], rename=renamed, gc=False
    )
    entry: Any = msgspec.defstruct("TransactionEntry", [("Item", item | None, None)])
    types: dict[str, Any] = {
        "Item": {"Item": item},
        "Attributes": {"Attributes": item},
        "Items": {"Items": list[item]},
        "Responses": {"Responses": dict[str, list[item]]},
        "Transaction": {"Responses": list[entry]},
    }
    read = types[form]
    fields = [(name, read[name] | None, None) if name in read else (name, msgspec.Raw, nothing) for name in _FIELDS]
    return decoder_of(msgspec.defstruct("KeysOfResponse", fields)).decode


def _has_others(found: Any, allowed: str) -> bool:
    """Return whether a response has a field that only responses of other operations have."""
    return any(name != allowed and bytes(getattr(found, name)) for name in _FIELDS)


def _has_values(item: Any, expected: Values) -> bool:
    """Return whether an item has these values; an attribute that is missing in the response is not compared."""
    if item is None:
        return True
    for member, value in zip(_MEMBERS, expected.values(), strict=False):
        found = getattr(item, member)
        if found != value and bytes(found) and not _is_same(found, value):
            return False
    return True


def _is_same(one: msgspec.Raw, other: msgspec.Raw) -> bool:
    """Return whether two attribute values are equal; numbers are compared by value."""
    first, second = msgspec.json.decode(one), msgspec.json.decode(other)
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys() == {"N"}:
        try:
            return Decimal(first["N"]) == Decimal(second["N"])
        except (InvalidOperation, TypeError):
            return False
    return bool(first == second)
