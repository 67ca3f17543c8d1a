"""A small model with indexes of every kind and projection, for tests of its cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from singletable import (
    GSI,
    KEYS_ONLY,
    LSI,
    Page,
    Table,
    collection,
    create,
    delete,
    entity,
    get,
    include,
    pattern,
    put,
    query,
    update,
)
from singletable import field as of

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@entity(key=("DESK#{id}", "DESK"), expected_bytes=300, expected_items=1000)
@dataclass
class Desk:
    id: str
    name: str


@entity(
    key=("DESK#{desk_id}", "TICKET#{id}"),
    gsi1=("STATUS#{status}", "TICKET#{id}"),
    gsi2=("OWNER#{owner}", "TICKET#{id}"),
    gsi3=("TITLE#{title}", "TICKET#{id}"),
    lsi1="{opened:seconds}",
    expected_bytes=5000,
    expected_items=100_000,
    expected_per_partition={"key": 100, "gsi1": 1000, "gsi2": 40, "gsi3": 1},
)
@dataclass
class Ticket:
    desk_id: str
    id: str
    status: str
    owner: str | None
    title: str
    text: str
    opened: datetime = NOON


@entity(key=("DESK#{desk_id}", "NOTE#{id}"))
@dataclass
class Note:
    desk_id: str
    id: str
    text: str


@dataclass
class WholeDesk:
    desk: Desk
    tickets: list[Ticket]


class Help(
    Table,
    entities=[Desk, Ticket, Note],
    indexes=[
        GSI("gsi2", projection=include("title", "owner")),
        GSI("gsi3", projection=KEYS_ONLY),
        LSI("lsi1", projection=KEYS_ONLY),
    ],
):
    @pattern(rate=10)
    def desk(self, id: str) -> Desk | None:
        return get(Desk)

    @pattern(rate=2)
    def whole_desk(self, desk_id: str) -> WholeDesk | None:
        return collection(WholeDesk)

    @pattern(frequency="low")
    def tickets_in(self, status: str, *, limit: int = 20, cursor: str | None = None) -> Page[Ticket]:
        return query(Ticket)

    @pattern(rate=1)
    def tickets_of(self, owner: str) -> Page[Ticket]:
        return query(Ticket, hydrate=True)

    @pattern()
    def notes(self, desk_id: str) -> Page[Note]:
        return query(Note)

    @pattern(rate=4)
    def open_ticket(self, ticket: Ticket) -> Ticket:
        return create(Ticket)

    @pattern(rate=0.5)
    def rewrite(self, ticket: Ticket) -> Ticket:
        return put(Ticket)

    @pattern(rate=8)
    def set_status(self, desk_id: str, id: str, status: str) -> Ticket:
        return update(Ticket, of(Ticket, lambda t: t.status).set(status))

    @pattern(rate=1)
    def set_text(self, desk_id: str, id: str, text: str) -> Ticket:
        return update(Ticket, of(Ticket, lambda t: t.text).set(text))

    @pattern(rate=1)
    def drop(self, desk_id: str, id: str) -> Ticket | None:
        return delete(Ticket)


def ticket(number: int, **more: object) -> Ticket:
    given: dict[str, object] = {
        "desk_id": "d1",
        "id": f"{number:04}",
        "status": "OPEN",
        "owner": "ada",
        "title": "a title",
        "text": "x" * 2000,
    }
    return Ticket(**{**given, **more})  # type: ignore[arg-type]  # the fields of a ticket
