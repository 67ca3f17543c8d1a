"""Idempotency tokens: a marker item joins the transaction, so that a replay is recognised even after its items changed.

DynamoDB's own token covers ten minutes and the same bytes. A transaction that moves index keys or sets a time to live
has other bytes when it is sent again. The marker holds a hash of what the caller requested, and expires by itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from singletable.client.answers import Item
from singletable.client.write.actions import Action, Requirement
from singletable.client.write.conditions import missing, moment
from singletable.client.write.intent import WriteIntent
from singletable.errors import ArgumentRefused
from singletable.expressions.tree import Compare, Condition, Constant, Or, Path
from singletable.model.codecs.text import escape
from singletable.model.design import Design
from singletable.model.settings import RESERVED_PREFIX, RESERVED_TYPE
from singletable.planner.items import field_value
from singletable.planner.stored import stored_value
from singletable.values.limits import SORT_KEY_BYTES_MAX

TOKEN_SECONDS = 86_400
"""How long a token is remembered, where the table has a time to live; for ever where it has none."""
HASH = "request_hash"


class Replayed(Exception):
    """The transaction of this token has happened already."""


def token_marker(design: Design, token: object, intents: Sequence[WriteIntent], now: Callable[[], float]) -> Action:
    """The put of a token's marker; raises ArgumentRefused where the table cannot hold one."""
    table = design.table
    if any(attribute.type != "S" for attribute in (*table.partition, *table.sort)):
        raise ArgumentRefused(
            f"transaction(token=...) stores the token as an item, and the keys of {design.name} are not text; "
            "leave the token out, and make the writes conditional instead"
        )
    if not isinstance(token, str) or not token:
        raise ArgumentRefused(f"transaction: token={token!r} must be text that is not empty")
    text = f"{RESERVED_PREFIX}token#{escape(token, '#')}"
    if len(text.encode(errors="replace")) > SORT_KEY_BYTES_MAX:
        raise ArgumentRefused(
            f"transaction: the token has {len(token)} characters, too many for the key of its marker; use a hash of it"
        )
    key: Item = {attribute.name: {"S": text} for attribute in (*table.partition, *table.sort)}
    digest = request_hash(intents)
    item: Item = {**key, HASH: {"S": digest}}
    if design.settings.type_attribute:
        item[design.settings.type_attribute] = {"S": RESERVED_TYPE}
    unused: Condition = missing(table.partition[0].name)
    if design.ttl_attribute is not None:
        item[design.ttl_attribute] = {"N": str(int(now()) + TOKEN_SECONDS)}
        unused = Or((unused, Compare("<=", Path((design.ttl_attribute,)), Constant(moment(now())))))

    def error(found: Item | None) -> Exception:
        if found is not None and found.get(HASH) == {"S": digest}:
            return Replayed()
        return ArgumentRefused(
            f"idempotency token {token!r} reused with different parameters: another transaction has used it; "
            "use a new token"
        )

    return Action("Put", key, 0, item, (), (Requirement(unused, error, 0),))


def request_hash(intents: Sequence[WriteIntent]) -> str:
    """A hash of what the caller requested, whatever is stored meanwhile."""
    document = [
        [
            each.kind,
            each.entity.name,
            {name: field_value(each.entity, name, value) for name, value in sorted(each.values.items())},
            repr((each.changes, each.where, each.absent, each.version)),
            {name: _stored(value) for name, value in sorted(each.arguments.items())},
        ]
        for each in intents
    ]
    return hashlib.sha256(msgspec.json.encode(document, order="deterministic")).hexdigest()


def _stored(value: Any) -> Any:
    """The stored form of an argument; an empty set has none in DynamoDB."""
    return {"L": []} if isinstance(value, set | frozenset) and not value else stored_value(value)
