"""A catalogue of papers: papers, authors, memberships and topics, with one overloaded and one sparse index."""

from datetime import date
from typing import Literal

import msgspec

from singletable import Page, Table, collection, copy, entity, field, get, pattern, query, update

Status = Literal["draft", "final", "superseded"]
Role = Literal["author", "contributor"]


@entity(
    key=("PAPER#{id}", "PAPER#{id}"),
    gsi1=("COLLECTION#{series}", "DATE#{published}#{id}"),
    ttl="expires_at",
    expected_bytes=1200,
)
class Paper(msgspec.Struct):
    """A paper; a superseded draft has an expiry time."""

    id: str
    series: str
    title: str
    abstract: str
    version: str
    status: Status
    published: date
    expires_at: int | None = None


@entity(key=("AUTHOR#{handle}", "AUTHOR#{handle}"))
class Author(msgspec.Struct):
    """An author."""

    handle: str
    name: str


@entity(
    key=("PAPER#{paper_id}", "AUTHOR#{handle}"),
    gsi1=("AUTHOR#{handle}", "DATE#{published}#{paper_id}"),
    copies=[copy(Paper, by={"id": "paper_id"}, fields=["title", "status", "published", "expires_at"])],
    ttl="expires_at",
    expected_per_partition=3,
)
class Membership(msgspec.Struct):
    """An author of a paper, with copies of the fields that the list of papers shows."""

    paper_id: str
    handle: str
    role: Role
    title: str
    status: Status
    published: date
    expires_at: int | None = None


@entity(
    key=("PAPER#{paper_id}", "TOPIC#{topic}"),
    gsi2=("TOPIC#{topic}", "DATE#{published}#{paper_id}"),
    copies=[copy(Paper, by={"id": "paper_id"}, fields=["title", "published", "expires_at"])],
    ttl="expires_at",
    expected_per_partition=4,
)
class Topic(msgspec.Struct):
    """A topic of a paper; only these items are in GSI2."""

    paper_id: str
    topic: str
    title: str
    published: date
    expires_at: int | None = None


class PaperWithAuthors(msgspec.Struct):
    """A paper with its authors."""

    paper: Paper
    authors: list[Membership]


class Papers(Table, entities=[Paper, Author, Membership, Topic]):
    """The access patterns A1 to A5, the paper with its authors, and two updates that also change copies."""

    @pattern(frequency="high", budget_ms=10)
    def paper(self, id: str) -> Paper | None:
        """A1: get a paper by id."""
        return get(Paper)

    @pattern(frequency="high", budget_ms=30)
    def papers_in_series(self, series: str, *, limit: int = 20, cursor: str | None = None) -> Page[Paper]:
        """A2: list papers in a collection, newest first."""
        return query(Paper, newest_first=True)

    @pattern(frequency="medium", budget_ms=30)
    def papers_by_author(self, handle: str, *, limit: int = 20, cursor: str | None = None) -> Page[Membership]:
        """A3: list papers by author, newest first."""
        return query(Membership, newest_first=True)

    @pattern(frequency="medium", budget_ms=50)
    def papers_with_topic(self, topic: str, *, limit: int = 20, cursor: str | None = None) -> Page[Topic]:
        """A4: list papers carrying a topic, newest first."""
        return query(Topic, newest_first=True)

    @pattern(frequency="low", budget_ms=30)
    def author(self, handle: str) -> Author | None:
        """A5: get an author profile."""
        return get(Author)

    @pattern(frequency="medium", budget_ms=30)
    def paper_with_authors(self, paper_id: str) -> PaperWithAuthors | None:
        """Get a paper and its author memberships."""
        return collection(PaperWithAuthors)

    @pattern(rate=0.1, fanout=7)
    def rename(self, id: str, title: str) -> Paper:
        """Change the title of a paper and all its copies."""
        return update(Paper, field(Paper, lambda paper: paper.title).set(title))

    @pattern(rate=0.1, fanout=7)
    def supersede(self, id: str, expires_at: int) -> Paper:
        """Mark a draft as superseded and set its expiry."""
        status = field(Paper, lambda paper: paper.status).set("superseded")
        return update(Paper, status, field(Paper, lambda paper: paper.expires_at).set(expires_at))
