"""The handle of a membership is raw text, which may contain the delimiter and forge the key of the paper."""

import msgspec

from singletable import Table, entity, get, pattern


@entity(key=("PAPER#{id}", "PAPER#{id}"))
class Paper(msgspec.Struct):
    id: str
    title: str


@entity(key=("PAPER#{paper_id}", "{handle:raw}"), accept={"ST107": "handles are letters and digits"})
class Membership(msgspec.Struct):
    paper_id: str
    handle: str


class Papers(Table, entities=[Paper, Membership]):
    @pattern()
    def paper(self, id: str) -> Paper | None:
        """A1: get a paper by id."""
        return get(Paper)
