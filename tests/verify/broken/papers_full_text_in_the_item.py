"""A paper stores its full text of 500 KB in the item, but DynamoDB allows 400 KB."""

import msgspec

from singletable import Table, entity, get, pattern


@entity(key=("PAPER#{id}", "PAPER#{id}"), expected_bytes=500 * 1024)
class Paper(msgspec.Struct):
    id: str
    text: str


class Papers(Table, entities=[Paper]):
    @pattern()
    def paper(self, id: str) -> Paper | None:
        """A1: get a paper by id."""
        return get(Paper)
