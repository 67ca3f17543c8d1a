"""Reading 150 whole papers through a KEYS_ONLY index takes three requests, but the pattern declares two."""

from datetime import date

import msgspec

from singletable import GSI, KEYS_ONLY, Page, Table, entity, pattern, query


@entity(key=("PAPER#{id}", "PAPER#{id}"), gsi1=("COLLECTION#{series}", "DATE#{published}#{id}"))
class Paper(msgspec.Struct):
    id: str
    series: str
    abstract: str
    published: date


class Papers(Table, entities=[Paper], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):
    @pattern(fanout=2)
    def papers_in_series(self, series: str) -> Page[Paper]:
        """A2: list papers in a collection, newest first."""
        return query(Paper, newest_first=True, hydrate=True, limit=150)
