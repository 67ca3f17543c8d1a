"""A membership's sort key is the bare handle, which may be the very text under which the paper itself is kept."""

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
