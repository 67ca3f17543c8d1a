"""More papers and reviews copy the name of their author than one transaction can update."""

import msgspec

from singletable import Page, Table, copy, entity, field, pattern, query, update


@entity(key=("AUTHOR#{handle}", "AUTHOR"), identity=("handle",))
class Author(msgspec.Struct):
    handle: str
    name: str
    city: str


@entity(
    key=("AUTHOR#{handle}", "PAPER#{id}"),
    copies=[copy(Author, by={"handle": "handle"}, fields=["name", "city"], in_parts=True)],
    expected_per_partition=60,
)
class Paper(msgspec.Struct):
    handle: str
    id: str
    name: str
    city: str


@entity(
    key=("AUTHOR#{handle}", "REVIEW#{id}"),
    copies=[copy(Author, by={"handle": "handle"}, fields=["name"])],
    expected_per_partition=40,
)
class Review(msgspec.Struct):
    handle: str
    id: str
    name: str


class Papers(Table, entities=[Author, Paper, Review]):
    @pattern(fanout=7)
    def rename(self, handle: str, name: str) -> Author:
        """Change the name of an author."""
        return update(Author, field(Author, lambda a: a.name).set(name))

    @pattern()
    def papers_of(self, handle: str, *, limit: int = 20, cursor: str | None = None) -> Page[Paper]:
        """The papers of an author."""
        return query(Paper)
