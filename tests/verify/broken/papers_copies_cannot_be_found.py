"""Memberships copy the title of their paper, but no index finds them by the paper."""

import msgspec

from singletable import Page, Table, copy, entity, get, pattern, query


@entity(key=("PAPER#{id}", "PAPER"))
class Paper(msgspec.Struct):
    id: str
    title: str


@entity(key=("AUTHOR#{handle}", "PAPER#{paper_id}"), copies=[copy(Paper, by={"id": "paper_id"}, fields=["title"])])
class Membership(msgspec.Struct):
    handle: str
    paper_id: str
    title: str


class Papers(Table, entities=[Paper, Membership]):
    @pattern()
    def paper(self, id: str) -> Paper | None:
        """Get a paper."""
        return get(Paper)

    @pattern()
    def papers_of(self, handle: str, *, limit: int = 20, cursor: str | None = None) -> Page[Membership]:
        """The papers of an author."""
        return query(Membership)
