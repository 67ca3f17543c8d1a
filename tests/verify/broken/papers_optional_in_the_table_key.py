"""A paper without a version has no sort key and cannot be stored."""

import msgspec

from singletable import Page, Table, entity, pattern, query


@entity(key=("PAPER#{id}", "VERSION#{version}"))
class Paper(msgspec.Struct):
    id: str
    version: str | None = None


class Papers(Table, entities=[Paper]):
    @pattern()
    def versions(self, id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Paper]:
        """List the versions of a paper."""
        return query(Paper)
