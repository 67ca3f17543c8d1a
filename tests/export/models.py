"""Tables for the export tests: the examples, and features that the examples lack."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from datetime import datetime

from singletable import (
    GSI,
    KEYS_ONLY,
    LSI,
    Page,
    Table,
    copy,
    count,
    entity,
    get,
    include,
    native,
    pattern,
    query,
    update,
)
from singletable import field as field_of

_MODULES = ("customers.model", "commerce.model", "papers.model", "shop.model", "shop.sharded", "guide.model")


def example_tables() -> list[type[Table]]:
    modules = [importlib.import_module(f"examples.{name}") for name in _MODULES]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Table) and value.__module__ == module.__name__
    ]


@entity(key=(native("device"), native("at")), gsi1=((native("site"), native("kind")), (native("at"), native("level"))))
@dataclass
class Reading:
    device: bytes
    at: int
    site: str
    kind: str
    level: int
    expires: datetime | None = None


class Readings(
    Table,
    entities=[Reading],
    name="site-readings.v2",
    keys=("device", "at"),
    indexes=[GSI("gsi1", name="by-site.and-kind", keys=(("site", "kind"), ("at", "level")), projection=KEYS_ONLY)],
    type_attribute=None,
    ttl_attribute="expires",
):
    """What the devices say,
    by site "and" kind: 100 % of it.

    A second paragraph.
    """


@entity(key=("TENANT#{tenant}#NOTE#{id}", "NOTE"), gsi1=("TENANT#{tenant}#{state}", "{id}"), lsi1="{state}")
@dataclass
class Note:
    tenant: str
    id: str
    state: str
    text: str


@entity(key=("TENANT#{tenant}", "TENANT"))
@dataclass
class Account:
    tenant: str
    name: str


class Notes(
    Table,
    entities=[Account, Note],
    indexes=[
        GSI("gsi1", projection=include("text", "state")),
        LSI("lsi1", projection=KEYS_ONLY),
    ],
):
    """Notes of several tenants."""

    @pattern()
    def account(self, tenant: str) -> Account | None:
        """The account of a tenant."""
        return get(Account)

    @pattern()
    def note(self, tenant: str, id: str) -> Note | None:
        """One note."""
        return get(Note)

    @pattern()
    def notes_in_state(self, tenant: str, state: str, *, limit: int = 20) -> Page[Note]:
        """The notes of a tenant in one state."""
        return query(Note)

    @pattern()
    def settle(self, tenant: str, id: str) -> Note:
        """Settle a note."""
        return update(Note, field_of(Note, lambda note: note.state).set("SETTLED"))


@entity(key=("USER#{id}", "USER"), unique=["email"])
@dataclass
class Writer:
    id: str
    email: str
    name: str
    posts: int = 0


@entity(
    key=("POST#{id}", "POST"),
    gsi1=("USER#{writer_id}", "POST#{id}"),
    copies=[copy(Writer, by={"id": "writer_id"}, fields={"name": "writer_name"})],
    counted=[count(Writer, by={"id": "writer_id"}, field="posts")],
)
@dataclass
class Post:
    id: str
    writer_id: str
    writer_name: str


class Blog(Table, entities=[Writer, Post]):
    """Posts that know their writers' names."""
