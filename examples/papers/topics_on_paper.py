"""The catalogue without GSI2: a paper carries its topics, and a topic is looked for by a filter."""

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
    """A paper and the topics it carries, in one item."""

    id: str
    series: str
    title: str
    abstract: str
    published: date
    topics: frozenset[str]


class PapersWithTopics(
    Table,
    entities=[PaperWithTopics],
    accept={"ST108": "what a filter reads in vain is the price of a catalogue without GSI2"},
):
    """What is left of A4 when no index has the topics."""

    @pattern(frequency="medium", expected_items=6, expected_examined=20)
    def papers_in_series_with_topic(self, series: str, topic: str) -> Page[PaperWithTopics]:
        """List the papers of one collection that carry a topic, newest first."""
        return query(PaperWithTopics, filter=lambda paper: contains(paper.topics, topic), newest_first=True)

    @pattern(rate=0.1)
    def rename(self, id: str, title: str) -> PaperWithTopics:
        """Give a paper another title."""
        return update(PaperWithTopics, field(PaperWithTopics, lambda paper: paper.title).set(title))
