"""The topics of a paper are read, but translations of topics have the same prefix."""

import msgspec

from singletable import Page, Table, entity, pattern, query


@entity(key=("PAPER#{paper_id}", "TOPIC#{topic}"), expected_per_partition=5)
class Topic(msgspec.Struct):
    paper_id: str
    topic: str


@entity(key=("PAPER#{paper_id}", "TOPIC#{topic}#{language}"), expected_per_partition=5)
class Translation(msgspec.Struct):
    paper_id: str
    topic: str
    language: str


class Papers(Table, entities=[Topic, Translation]):
    @pattern()
    def topics(self, paper_id: str) -> Page[Topic]:
        """List the topics of a paper."""
        return query(Topic)
