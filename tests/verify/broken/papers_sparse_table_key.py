"""A paper without a version has no sort key, and declaring the table key sparse does not help."""

import msgspec

from singletable import Page, Table, entity, pattern, query, sparse


@entity(key=sparse("PAPER#{id}", "VERSION#{version}"))
class Paper(msgspec.Struct):
    id: str
    version: str | None = None


class Papers(Table, entities=[Paper]):
    @pattern()
    def versions(self, id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Paper]:
        """List the versions of a paper."""
        return query(Paper)
