"""Plans of one entity's reads where the plain way would answer wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from singletable import Page, Table, entity, pattern, query
from singletable.planner.plan import Plan, Refusal


@entity(key=("PAPER#{paper}", "TOPIC#{day}"), identity=("paper", "day"))
@dataclass
class Topic:
    """What a paper is about."""

    paper: str
    day: date


@entity(key=("PAPER#{paper}", "TOPIC#{name}#TRANSLATED"), identity=("paper", "name"))
@dataclass
class Translation:
    """Lies among the topics."""

    paper: str
    name: str


class Papers(Table, entities=[Topic, Translation]):
    """A range that holds two entities."""

    @pattern()
    def latest(self, paper: str) -> Page[Topic]:
        """The latest topic."""
        return query(Topic, newest_first=True, limit=1)

    @pattern()
    def topics(self, paper: str, *, limit: int = 10, cursor: str | None = None) -> Page[Topic]:
        """Topics page by page."""
        return query(Topic)


def test_a_fixed_limit_that_would_count_other_entities_is_refused() -> None:
    outcome = Papers.latest.plan
    assert isinstance(outcome, Refusal)
    assert "Translation can lie in the range, so limit=1 would count those items too" in outcome.reason


def test_a_page_may_come_short_of_its_limit() -> None:
    outcome = Papers.topics.plan
    assert isinstance(outcome, Plan)
    assert [entity.label for entity in outcome.foreign] == ["Translation"]
