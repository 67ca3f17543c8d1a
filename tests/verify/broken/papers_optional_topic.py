"""A paper without a topic is missing from GSI2, which is not declared sparse."""

from datetime import date

import msgspec

from singletable import Page, Table, entity, pattern, query


@entity(key=("PAPER#{id}", "PAPER#{id}"), gsi2=("TOPIC#{topic}", "DATE#{published}#{id}"))
class Paper(msgspec.Struct):
    id: str
    published: date
    topic: str | None = None


class Papers(Table, entities=[Paper]):
    @pattern(frequency="medium")
    def papers_with_topic(self, topic: str, *, limit: int = 20, cursor: str | None = None) -> Page[Paper]:
        """A4: list papers carrying a topic, newest first."""
        return query(Paper, newest_first=True)
