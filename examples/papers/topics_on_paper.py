"""The catalogue without GSI2: a paper contains its topics, and a filter finds the papers with a topic."""

from datetime import date

import msgspec

from singletable import Page, Table, contains, entity, field, pattern, query, update


@entity(
    key=("PAPER#{id}", "PAPER#{id}"),
    gsi1=("COLLECTION#{series}", "DATE#{published}#{id}"),
    name="Paper",
    expected_bytes=1200,
    expected_per_partition={"gsi1": 20},
)
class PaperWithTopics(msgspec.Struct):
    """A paper with its topics, in one item."""

    id: str
    series: str
    title: str
    abstract: str
    published: date
    topics: frozenset[str]


class PapersWithTopics(
    Table,
    entities=[PaperWithTopics],
    accept={"ST108": "discarded reads are the price of a catalogue without GSI2"},
):
    """The access pattern A4, without an index on the topics."""

    @pattern(frequency="medium", expected_items=6, expected_examined=20)
    def papers_in_series_with_topic(self, series: str, topic: str) -> Page[PaperWithTopics]:
        """List the papers of a collection with a topic, newest first."""
        return query(PaperWithTopics, filter=lambda paper: contains(paper.topics, topic), newest_first=True)

    @pattern(rate=0.1)
    def rename(self, id: str, title: str) -> PaperWithTopics:
        """Change the title of a paper."""
        return update(PaperWithTopics, field(PaperWithTopics, lambda paper: paper.title).set(title))
