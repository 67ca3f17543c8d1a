"""Counters of stored items: a counter that is less than what it counts is reported, and others are not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from singletable import Table, entity
from singletable.conformance.counter_totals import CounterTotals


@entity(key=("THREAD#{thread_id}", "THREAD"))
@dataclass
class Thread:
    thread_id: str
    replies: int
    views: int


@entity(key=("THREAD#{thread_id}", "REPLY#{reply_id}"))
@dataclass
class Reply:
    thread_id: str
    reply_id: str
    views: int


@entity(key=("TEAM#{team_id}", "TEAM"))
@dataclass
class Team:
    team_id: str
    wins: int


@entity(key=("SEASON#{season}", "TEAM#{team_id}"))
@dataclass
class SeasonTeam:
    season: str
    team_id: str
    wins: int


@entity(key=("TEAM#{team_id}", "PLAYER#{player_id}"))
@dataclass
class TeamPlayer:
    team_id: str
    player_id: str
    wins: int


class Club(Table, entities=[Thread, Reply, Team, SeasonTeam, TeamPlayer]):
    pass


def found(*objects: object) -> list[tuple[str, str, int]]:
    totals = CounterTotals(Club.design)
    for each in objects:
        entity = Club.design.entity_of(type(each))
        item = {part.attribute: {"S": str(part.encode(vars(each)))} for part in entity.base.parts}
        totals.add(entity, item, vars(each))
    return [(each.finding.message, each.value, each.items) for each in totals.findings()]


def test_counter_totals_report_a_counter_below_the_number_of_counted_items() -> None:
    replies = [Reply("t1", "r1", 9), Reply("t1", "r2", 9), Reply("t2", "r3", 9)]
    assert found(Thread("t1", 1, 0), Thread("t2", 1, 0), *replies) == [
        (
            "Thread: replies is less than the number of its Reply items, so the counter is out of step",
            "1 instead of at least 2",
            1,
        )
    ]


@pytest.mark.parametrize("replies", [2, 7])
def test_counter_totals_accept_a_counter_of_at_least_the_counted_items(replies: int) -> None:
    assert found(Thread("t1", replies, 0), Reply("t1", "r1", 1), Reply("t1", "r2", 1)) == []


def test_counter_totals_report_a_counter_below_the_sum_of_its_periods() -> None:
    seasons = [SeasonTeam("2023", "a", 5), SeasonTeam("2024", "a", 2), SeasonTeam("2024", "b", 2)]
    ((message, value, items),) = found(*seasons, Team("a", 6), Team("b", 2))
    assert message == "Team: wins is less than the sum in SeasonTeam, so the counter is out of step"
    assert (value, items) == ("6 instead of at least 7", 1)


def test_counter_totals_do_not_add_counters_of_players_to_the_counter_of_their_team() -> None:
    assert found(Team("a", 6), TeamPlayer("a", "p1", 6), TeamPlayer("a", "p2", 6)) == []
