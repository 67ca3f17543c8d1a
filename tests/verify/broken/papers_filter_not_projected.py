"""The filter tests the status, which the index that serves the pattern does not project."""

from datetime import date

import msgspec

from singletable import GSI, Page, Table, entity, include, pattern, query


class PaperInList(msgspec.Struct):
    id: str
    title: str


@entity(key=("PAPER#{id}", "PAPER#{id}"), gsi1=("COLLECTION#{series}", "DATE#{published}#{id}"))
class Paper(msgspec.Struct):
    id: str
    series: str
    title: str
    status: str
    published: date


class Papers(Table, entities=[Paper], indexes=[GSI("gsi1", projection=include("title"))]):
    @pattern(expected_items=19, expected_examined=20)
    def final_papers(self, series: str) -> Page[PaperInList]:
        """List the final papers of a collection."""
        return query(Paper, view=PaperInList, filter=lambda paper: paper.status == "final")
