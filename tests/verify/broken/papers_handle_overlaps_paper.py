"""The sort key of a membership is only the handle, which may equal the sort key of the paper."""

import msgspec

from singletable import Table, entity, get, pattern


@entity(key=("PAPER#{id}", "METADATA"))
class Paper(msgspec.Struct):
    id: str
    title: str


@entity(key=("PAPER#{paper_id}", "{handle}"))
class Membership(msgspec.Struct):
    paper_id: str
    handle: str


class Papers(Table, entities=[Paper, Membership]):
    @pattern()
    def paper(self, id: str) -> Paper | None:
        """A1: get a paper by id."""
        return get(Paper)
