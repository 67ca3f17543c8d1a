"""A paper and its author are read as one collection, but they are in different partitions."""

import msgspec

from singletable import Table, collection, entity, pattern


@entity(key=("PAPER#{id}", "PAPER#{id}"))
class Paper(msgspec.Struct):
    id: str
    title: str


@entity(key=("AUTHOR#{handle}", "AUTHOR#{handle}"))
class Author(msgspec.Struct):
    handle: str
    name: str


class PaperWithAuthor(msgspec.Struct):
    paper: Paper
    author: Author


class Papers(Table, entities=[Paper, Author]):
    @pattern()
    def paper_with_author(self, id: str, handle: str) -> PaperWithAuthor | None:
        """Get a paper together with one of its authors."""
        return collection(PaperWithAuthor)
