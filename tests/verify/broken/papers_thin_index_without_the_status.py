"""Papers of a series in one status are read from an index that has neither the status nor the whole papers."""

from datetime import date

import msgspec

from singletable import GSI, KEYS_ONLY, Page, Table, entity, pattern, query


@entity(key=("PAPER#{id}", "PAPER#{id}"), gsi1=("COLLECTION#{series}", "DATE#{published}#{id}"))
class Paper(msgspec.Struct):
    id: str
    series: str
    status: str
    published: date


class Papers(Table, entities=[Paper], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):
    @pattern(expected_items=20)
    def final_papers(self, series: str, status: str) -> Page[Paper]:
        """List the papers of a collection in one status."""
        return query(Paper)
