"""Whole papers are read from an index that projects only their keys."""

from datetime import date

import msgspec

from singletable import GSI, KEYS_ONLY, Page, Table, entity, pattern, query


@entity(key=("PAPER#{id}", "PAPER#{id}"), gsi1=("COLLECTION#{series}", "DATE#{published}#{id}"))
class Paper(msgspec.Struct):
    id: str
    series: str
    title: str
    published: date


class Papers(Table, entities=[Paper], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):
    @pattern(expected_items=40)
    def papers_in_series(self, series: str) -> Page[Paper]:
        """A2: list papers in a collection, newest first."""
        return query(Paper, newest_first=True)
