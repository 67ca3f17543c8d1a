"""A table whose handlers write a log of every order: each change once, in order, whatever the runner does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as data_field
from datetime import datetime

from singletable import ChangeEvent, Table, entity, field, key, on, upgrade

BROKEN = {"is_broken": True}
"""Whether the handlers fail: `log_single` for orders with the status BAD, `log_batched` for WORSE."""


@entity(key=("ORDER#{id}", "HEAD"), schema_version=2, unique=["number"])
@dataclass
class Order:
    id: str
    status: str
    number: str


@upgrade(Order, from_version=1)
def with_number(fields: dict[str, str]) -> dict[str, str]:
    return {**fields, "number": f"n-{fields['id']}"}


@entity(key=("LOG#{id}", "HEAD"))
@dataclass
class Log:
    """The statuses of an order, as the handlers saw them."""

    id: str
    single: list[str] = data_field(default_factory=list)
    batched: list[str] = data_field(default_factory=list)


@entity(key=("SESSION#{id}", "HEAD"), ttl="expires")
@dataclass
class Session:
    id: str
    expires: datetime


def text_of(old: Order | None, new: Order | None) -> str:
    return f"{'-' if old is None else old.status}>{'-' if new is None else new.status}"


def fail_if(status: str, new: Order | None) -> None:
    if BROKEN["is_broken"] and new is not None and new.status == status:
        raise ValueError(f"order {new.id} is {status.lower()}")


@on(Order, "insert", "modify", "remove")
def log_single(old: Order | None, new: Order | None, event: ChangeEvent[Order]) -> None:
    fail_if("BAD", new)
    known = new or old
    assert known is not None
    with event.transaction() as tx:
        tx.update(key(Log, id=known.id), field(Log, lambda log: log.single).append([text_of(old, new)]))


@on(Order, "insert", "modify", "remove", batch=True)
async def log_batched(events: Sequence[ChangeEvent[Order]]) -> None:
    for event in events:
        fail_if("WORSE", event.new)
        known = event.new or event.old
        assert known is not None
        change = field(Log, lambda log: log.batched).append([text_of(event.old, event.new)])
        async with event.transaction() as tx:
            tx.update(key(Log, id=known.id), change)


class Ledger(Table, entities=[Order, Log, Session], handlers=[log_single, log_batched]):
    """Orders and their logs."""
