"""The catalogue: copies in sync with their paper, expiring drafts, and A4 without GSI2."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date

import pytest

from examples.papers.model import Papers
from examples.papers.rows import MODEL, ROWS
from examples.papers.topics_on_paper import PaperWithTopics
from examples.script import fill
from singletable import Page, Table, contains, field, key, pattern, query
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.testing import uses
from tests.client.places import call


@pytest.fixture
def papers() -> Iterator[Papers]:
    with Papers.open("memory:", now=lambda: time.time() + 7200) as table:
        fill(table, ROWS)
        yield table


def test_the_partition_of_a_paper_matches_the_document(papers: Papers) -> None:
    items = call(papers, "Scan")["Items"]
    drawer = {item["SK"]["S"]: item.get("role", {}).get("S") for item in items if item["PK"]["S"] == "PAPER#wp-002"}
    topics = {"TOPIC#cost": None, "TOPIC#dynamodb": None}
    assert drawer == {"PAPER#wp-002": None, "AUTHOR#jon": "author", "AUTHOR#guest": "contributor", **topics}
    with uses(papers, requests=1, read_units=0.5):
        whole = papers.paper_with_authors("wp-002")
    assert whole is not None
    assert {each.handle for each in whole.authors} == {"jon", "guest"}


def test_a_changed_publication_date_moves_the_paper_in_every_listing(papers: Papers) -> None:
    newest = date(2026, 6, 1)
    papers.update(key(type(MODEL), id="wp-001"), field(type(MODEL), lambda paper: paper.published).set(newest))
    assert [paper.id for paper in papers.papers_in_series("Data & Storage")] == ["wp-001", "wp-002"]
    assert [each.paper_id for each in papers.papers_by_author("jon")] == ["wp-001", "wp-002"]
    assert [each.paper_id for each in papers.papers_with_topic("cost")] == ["wp-001", "wp-002"]


def test_an_expired_draft_of_the_papers_example_and_its_items_are_hidden(papers: Papers) -> None:
    papers.supersede(MODEL.id, int(time.time()) + 3600)
    assert papers.paper(MODEL.id) is None
    assert [each.paper_id for each in papers.papers_by_author("jon")] == ["wp-001"]
    assert [each.paper_id for each in papers.papers_with_topic("dynamodb")] == []
    returned = call(
        papers, "Query", KeyConditionExpression="PK = :pk", ExpressionAttributeValues={":pk": {"S": "PAPER#wp-002"}}
    )
    assert [item["SK"]["S"] for item in returned["Items"] if "expires_at" in item] == [
        "AUTHOR#guest",
        "AUTHOR#jon",
        "PAPER#wp-002",
        "TOPIC#cost",
        "TOPIC#dynamodb",
    ]


def test_the_table_of_the_papers_example_uses_on_demand_billing(papers: Papers) -> None:
    assert call(papers, "DescribeTable")["Table"]["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_only_topics_of_the_papers_example_are_in_gsi2(papers: Papers) -> None:
    assert {entry["entity_type"]["S"] for entry in call(papers, "Scan", IndexName="GSI2")["Items"]} == {"Topic"}


def test_a_collection_and_an_author_of_the_papers_example_never_share_a_partition_of_gsi1() -> None:
    for bound in (Papers.papers_in_series, Papers.papers_by_author):
        plan = bound.plan
        assert isinstance(plan, Plan)
        assert plan.other_entities == ()


class WithoutGSI2(Table, entities=[PaperWithTopics]):
    """A4 for papers that contain their topics."""

    @pattern()
    def papers_with_topic(self, topic: str) -> Page[PaperWithTopics]:
        """List papers carrying a topic."""
        return query(PaperWithTopics, filter=lambda paper: contains(paper.topics, topic), newest_first=True)


def test_with_topics_on_the_paper_no_request_serves_a_topic() -> None:
    assert isinstance(WithoutGSI2.papers_with_topic.plan, UnsupportedPattern)
