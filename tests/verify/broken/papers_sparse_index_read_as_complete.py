"""All papers of a series are read, newest first, but GSI1 does not contain unpublished papers."""

from datetime import date

import msgspec

from singletable import Page, Table, entity, pattern, query, sparse


@entity(key=("PAPER#{id}", "PAPER#{id}"), gsi1=sparse("COLLECTION#{series}", "DATE#{published}#{id}"))
class Paper(msgspec.Struct):
    id: str
    series: str
    published: date | None = None


class Papers(Table, entities=[Paper]):
    @pattern(frequency="high", expected_items=40)
    def papers_in_series(self, series: str) -> Page[Paper]:
        """A2: list papers in a collection, newest first."""
        return query(Paper, newest_first=True)
