"""A model that is written in an order and with names that a file made of it has to mind."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Literal

from singletable import (
    Page,
    Table,
    collection,
    contains,
    copy,
    count,
    entity,
    exists,
    get,
    not_,
    one_of,
    pattern,
    present,
    put,
    query,
)


@dataclass
class Inner:
    """A class inside of a field that may be missing."""

    n: int
    set: str | None = None
    more: list[Inner2] = dataclass_field(default_factory=list)


@dataclass
class Inner2:
    """A class of a class."""

    k: str


@entity(key=("A#{id}", "A"))
@dataclass
class Author:
    """An author, who is named after those that copy the name."""

    id: str
    name: str
    by: dict[str, int] | None = None
    inner: Inner | None = None
    many: list[Inner] | None = None
    limit: int | None = None
    raw: bytes = b'"'
    quoted: bytes = b'\'"""'
    kinds: frozenset[Literal["a", "b"]] = frozenset(("a",))
    due: date = date(2020, 1, 1)
    date: date | None = None
    tags: set[str] = dataclass_field(default_factory=set)


@entity(key=("A#{author_id}", "B#{id}"), copies=[copy(Author, by={"id": "author_id"}, fields={"name": "author"})])
@dataclass
class Book:
    """A book, with "quotes" and ""\"three of them""\" in what it says."""

    id: str
    author_id: str
    author: str


@dataclass
class Shelf:
    """An author who may be missing, with books."""

    author: Author | None = None
    books: list[Book] = dataclass_field(default_factory=list)


class Library(Table, entities=[Book, Author]):
    """Books before authors."""

    @pattern(expected_examined=10, accept={"ST108": 'few, "really"'})
    def chosen(self, author_id: str) -> Page[Book]:
        """Books by \\ an author."""
        return query(Book, filter=lambda book: book.author >= book.id)

    @pattern()
    def some(self, id: str) -> Author | None:
        """An author, by places that may be missing."""
        return get(Author)

    @pattern(fanout=4)
    def placed(self, id: str, name: str, tags: set[str] = set()) -> Author:  # noqa: B006  # as people write it
        """An author, by fields."""
        return put(Author)

    @pattern()
    def shelf(self, id: str) -> Shelf | None:
        """A shelf."""
        return collection(Shelf, limit=5)


class Chosen(Table, entities=[Author]):
    """Authors alone."""

    @pattern(expected_examined=10, accept={"ST108": "few"})
    def deep(self, id: str) -> Page[Author]:
        """Conditions on places that may be missing."""
        return query(
            Author,
            filter=lambda each: (
                (present(each.inner).n > 1)
                & (present(each.many)[0].n > 2)
                & (present(each.by)["k"] > 3)
                & (present(each.limit) > present(each.inner).n)
            ),
        )


class State(Enum):
    """How far a crate is."""

    PACKED = "packed"
    SENT = "sent"


@dataclass
class Label:
    """What is on a crate."""

    text: str
    state: State = State.PACKED


@entity(key=("D#{id}", "D"))
@dataclass
class Depot:
    """A depot, which counts its crates by what they are."""

    id: str
    crates: int = 0
    heavy: int = 0
    labelled: int = 0


@entity(
    key=("D#{depot}", "CRATE#{item}"),
    identity=("item",),
    counted=[
        count(Depot, by={"id": "depot"}, field="crates"),
        count(
            Depot,
            by={"id": "depot"},
            field="heavy",
            where=lambda c: (
                (c.weight > Decimal("9.50"))
                & one_of(c.state, State.PACKED, State.SENT)
                & not_(exists(c.until))
                & (c.label.text != "empty")
                & (present(c.until) < date(2030, 1, 1))
            ),
        ),
        count(Depot, by={"id": "depot"}, field="labelled", where=lambda c: c.label == Label('"fragile"', State.SENT)),
        count(Depot, by={"id": "depot"}, field="heavy", where=lambda c: contains(c.tags, "heavy") | c.is_odd),
    ],
)
@dataclass
class Crate:
    """A crate, with a field that is called as what a lambda is given."""

    depot: str
    item: str
    label: Label
    weight: Decimal = Decimal(0)
    state: State = State.PACKED
    is_odd: bool = False
    until: date | None = None
    tags: set[str] = dataclass_field(default_factory=set)


class Depots(Table, entities=[Crate, Depot]):
    """Counters with conditions."""

    @pattern()
    def crates(self, depot: str) -> Page[Crate]:
        """What is in a depot."""
        return query(Crate)
