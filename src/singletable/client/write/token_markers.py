"""Idempotency tokens: a marker item, written in the transaction, identifies a repeated transaction.

DynamoDB's own token is valid for ten minutes and requires an identical request. But a repeated transaction that changes
index keys or sets a time to live sends a different request. So the marker stores a hash of the call's arguments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from singletable.client.responses import Item
from singletable.client.write.item_actions import ItemAction, Requirement
from singletable.client.write.stored_expressions import missing, stored_time
from singletable.client.write.write_intents import WriteIntent
from singletable.errors import ArgumentRefused
from singletable.expressions.tree import Compare, Condition, Constant, Or, Path
from singletable.model.codecs.text_codec import escape
from singletable.model.design import Design
from singletable.model.reserved_place import NO_PLACE, ReservedPlace
from singletable.model.table_schema import TOKEN_PREFIX
from singletable.model.type_codecs import TypeCodecs
from singletable.planner.stored_items import field_value, stored_value
from singletable.values.limits import SORT_KEY_BYTES_MAX

TOKEN_SECONDS = 86_400
"""The lifetime of a token, if the table has a time to live. Otherwise, tokens never expire."""
HASH = "request_hash"


class TransactionReplayed(Exception):
    """A transaction with this token has already been committed."""


def token_marker(
    design: Design,
    place: ReservedPlace | None,
    token: object,
    intents: Sequence[WriteIntent],
    now: Callable[[], float],
    *,
    digest: str | None = None,
    seconds: int = TOKEN_SECONDS,
) -> ItemAction:
    """Return the put of the marker for a token. Raise ArgumentRefused if no table can store the marker.

    With a `digest`, two transactions with this token and digest are the same, even if their writes differ.
    """
    if place is None:
        raise ArgumentRefused(
            f"transaction(token=...) stores the token as an item, but the keys of {design.name} are not strings. Omit "
            f"the token and add conditions to the writes instead, or {NO_PLACE}"
        )
    if not isinstance(token, str) or not token:
        raise ArgumentRefused(f"transaction: token must be a non-empty string, not {token!r}")
    text = f"{TOKEN_PREFIX}{escape(token, '#')}"
    if len(place.text(text).encode(errors="replace")) > SORT_KEY_BYTES_MAX:
        raise ArgumentRefused(
            f"transaction: the token has {len(token)} characters, too many for a key; use a hash of the token instead"
        )
    digest = request_hash(intents) if digest is None else digest
    item: Item = place.item(text, **{HASH: {"S": digest}})
    unused: Condition = missing(place.attributes[0])
    if place.ttl_attribute is not None:
        item[place.ttl_attribute] = {"N": str(int(now()) + seconds)}
        unused = Or((unused, Compare("<=", Path((place.ttl_attribute,)), Constant(stored_time(now())))))

    def error(found: Item | None) -> Exception:
        if found is not None and found.get(HASH) == {"S": digest}:
            return TransactionReplayed()
        return ArgumentRefused(
            f"the idempotency token {token!r} was already used by a transaction with different parameters; "
            "use a new token"
        )

    return ItemAction("Put", place.key(text), 0, item, (), (Requirement(unused, error, 0),), table=place.table)


def request_hash(intents: Sequence[WriteIntent]) -> str:
    """Return a hash of the caller's request. The hash does not depend on stored items."""
    document = [
        [
            each.kind,
            each.entity.name,
            {name: field_value(each.entity, name, value) for name, value in sorted(each.values.items())},
            repr((each.changes, each.where, each.absent, each.version)),
            {name: _stored(value, each.entity.declaration.codecs) for name, value in sorted(each.arguments.items())},
        ]
        for each in intents
    ]
    return hashlib.sha256(msgspec.json.encode(document, order="deterministic")).hexdigest()


def _stored(value: Any, codecs: TypeCodecs) -> Any:
    """Return the stored form of an argument; a list for an empty set, which DynamoDB cannot store."""
    return {"L": []} if isinstance(value, set | frozenset) and not value else stored_value(value, codecs)
