"""Plans of one entity's reads where the plain way would answer wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from singletable import Page, Table, entity, pattern, query
from singletable.planner.plan import Plan, UnsupportedPattern, Verdict


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


def test_plan_reads_does_not_support_a_fixed_limit_that_would_count_other_entities() -> None:
    outcome = Papers.latest.plan
    assert isinstance(outcome, UnsupportedPattern)
    assert "the range can also contain Translation, and limit=1 would count their items too" in outcome.reason


def test_plan_reads_supports_a_page_that_can_have_fewer_items_than_its_limit() -> None:
    outcome = Papers.topics.plan
    assert isinstance(outcome, Plan)
    assert [entity.label for entity in outcome.other_entities] == ["Translation"]


@entity(key=("LAMP#{id}", "LAMP"), gsi1=("SHADE#{shade}", "{id}"), expected_per_partition={"gsi1": 10})
@dataclass
class Lamp:
    """In an index by one of two texts."""

    id: str
    shade: Literal["light", "dark#"]


class Lamps(Table, entities=[Lamp]):
    """Partitions that can be counted."""

    @pattern(fanout=2)
    def lamps(self) -> Page[Lamp]:
        """All lamps."""
        return query(Lamp)

    @pattern()
    def undeclared(self) -> Page[Lamp]:
        """All lamps, which nobody said were two queries."""
        return query(Lamp)

    @pattern()
    def lamps_in(self, shade: Literal["light", "dark#"]) -> Page[Lamp]:
        """Lamps of one shade."""
        return query(Lamp)


def test_plan_reads_takes_one_query_per_value_of_an_unknown_literal() -> None:
    outcome = Lamps.lamps.plan
    assert isinstance(outcome, Plan)
    assert outcome.verdict_text() == "declared fan-out of 2"
    values = [request.parameters["ExpressionAttributeValues"] for request in Lamps.lamps.explain().requests]
    assert [next(iter(each.values())) for each in values] == [{"S": "SHADE#dark%23"}, {"S": "SHADE#light"}]
    assert Lamps.undeclared.plan.verdict_text() == "undeclared fan-out of 2"
    assert isinstance(Lamps.lamps_in.plan, Plan)
    assert Lamps.lamps_in.plan.verdict is Verdict.ONE_REQUEST


def test_plan_reads_of_an_open_table_cover_every_partition_of_a_literal() -> None:
    with Lamps.open("memory:") as lamps:
        for lamp in (Lamp("0", "light"), Lamp("1", "dark#"), Lamp("2", "light")):
            lamps.put(lamp)
        assert {each.id for each in lamps.lamps()} == {"0", "1", "2"}
        assert [each.id for each in lamps.lamps_in("light")] == ["0", "2"]


@entity(key=("TICKET#{id}", "METADATA"), gsi1=("STATUS#{status}", "TICKET"), unique=["number"])
@dataclass
class Ticket:
    """In an index whose sort key is a constant."""

    id: str
    status: str
    number: str
    opened_on: date


class Tickets(Table, entities=[Ticket]):
    """Orders that no field of an index provides."""

    @pattern()
    def newest(self, status: str, *, limit: int = 10, cursor: str | None = None) -> Page[Ticket]:
        """Tickets of a status, newest first."""
        return query(Ticket, newest_first=True)

    @pattern()
    def by_number(self, status: str, *, limit: int = 10, cursor: str | None = None) -> Page[Ticket]:
        """Tickets of a status by number."""
        return query(Ticket, order_by=lambda ticket: ticket.number)

    @pattern()
    def by_status(self, status: str, *, limit: int = 10, cursor: str | None = None) -> Page[Ticket]:
        """Tickets of a status, which all have the same status."""
        return query(Ticket, order_by=lambda ticket: ticket.status)

    @pattern()
    def unordered(self, status: str, *, limit: int = 10, cursor: str | None = None) -> Page[Ticket]:
        """Tickets of a status."""
        return query(Ticket)


def test_plan_reads_does_not_support_an_order_if_the_whole_index_key_is_fixed() -> None:
    for outcome, order in ((Tickets.newest.plan, "newest-first order"), (Tickets.by_number.plan, "order by number")):
        assert isinstance(outcome, UnsupportedPattern)
        reason = f"needs {order}, but GSI1 sorts by no other field, because the key condition fixes the whole key"
        assert reason in outcome.reason
    assert isinstance(Tickets.by_status.plan, Plan)
    assert isinstance(Tickets.unordered.plan, Plan)
