"""Two indexes include 51 attributes each, but DynamoDB allows 100 in all indexes together."""

from datetime import date

import msgspec

from singletable import GSI, Page, Table, entity, include, pattern, query

NAMES = [f"note{number}" for number in range(51)]


class PaperInList(msgspec.Struct):
    id: str


@entity(
    key=("PAPER#{id}", "PAPER#{id}"),
    gsi1=("COLLECTION#{series}", "DATE#{published}#{id}"),
    gsi2=("STATUS#{status}", "DATE#{published}#{id}"),
    cardinality={"status": 4},
)
class Paper(msgspec.Struct):
    id: str
    series: str
    status: str
    published: date


class Papers(
    Table,
    entities=[Paper],
    indexes=[GSI("gsi1", projection=include(*NAMES)), GSI("gsi2", projection=include(*NAMES))],
):
    @pattern()
    def papers_in_series(self, series: str, *, limit: int = 20, cursor: str | None = None) -> Page[PaperInList]:
        """A2: list papers in a collection, newest first."""
        return query(Paper, view=PaperInList, newest_first=True)

    @pattern()
    def papers_in_status(self, status: str, *, limit: int = 20, cursor: str | None = None) -> Page[PaperInList]:
        """List papers in a status, newest first."""
        return query(Paper, view=PaperInList, newest_first=True)
