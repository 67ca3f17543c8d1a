"""Local indexes for strongly consistent reads, and multi-attribute keys for updates that know only one field."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from singletable import Between, Page, Table, entity, field, get, pattern, put, query, update
from singletable.conformance.witness import witness
from singletable.cost.prices import prices_of
from singletable.design.design_report import DesignReport, design_report
from singletable.design.designed_table import design_table
from singletable.design.model_workload import DesignOptions
from singletable.model.design import Design
from singletable.planner.plan import Plan
from singletable.verify.design_check import check


@entity(identity=("thread", "id"))
@dataclass
class Message:
    thread: str
    id: str
    author: str
    sent_at: datetime
    score: int


class Forum(Table, entities=[Message]):
    @pattern()
    def message(self, thread: str, id: str) -> Message | None:
        return get(Message)

    @pattern()
    def newest(self, thread: str, *, limit: int = 20) -> Page[Message]:
        return query(Message, order_by=lambda message: message.sent_at, descending=True, consistent=True)

    @pattern()
    def of_author(self, author: str, sent_at: Between[datetime], *, limit: int = 20) -> Page[Message]:
        return query(Message)

    @pattern()
    def post(self, message: Message) -> Message:
        return put(Message)

    @pattern()
    def vote(self, thread: str, id: str, score: int) -> Message:
        return update(Message, field(Message, lambda message: message.score).set(score))


def report_of(design: Design, options: DesignOptions) -> DesignReport:
    return design_report(design_table(design, options), options, prices_of("us-east-1"))


def test_a_strong_read_that_the_table_key_does_not_serve_uses_a_local_index() -> None:
    report = report_of(Forum.design, DesignOptions())
    table = report.table
    assert report.headline.startswith("1 GSI and 1 LSI (proved minimal: Message needs 3 keys, one of them the table's)")
    assert table.keys["Message"] == {
        "key": ("THREAD#{thread}", "MESSAGE#{id}"),
        "gsi1": ("AUTHOR#{author}", "MESSAGE#{sent_at}#{thread}#{id}"),
        "lsi1": ("THREAD#{thread}", "MESSAGE#{sent_at}#{id}"),
    }
    assert 'lsi1="MESSAGE#{sent_at}#{id}"' in [getattr(each, "code", "") for each in table.edits()]
    indexes = {each.pattern.name: each.index.kind for each in table.outcomes if isinstance(each, Plan)}
    assert (indexes["newest"], indexes["of_author"]) == ("LSI", "GSI")
    assert check(table.after).passes
    assert witness(table.after).passes


def test_the_reason_for_a_chosen_local_index_names_the_strongly_consistent_read() -> None:
    keys = {each.alias: each.reason for each in report_of(Forum.design, DesignOptions()).keys}
    assert keys["lsi1"].startswith("partition by thread, as in the table, because newest must be strongly consistent;")


@entity()
@dataclass
class Match:
    id: str
    tournament: str
    round: str
    starts_at: datetime


@entity()
@dataclass
class Player:
    id: str
    team: str
    name: str


class League(Table, entities=[Match, Player]):
    @pattern()
    def match(self, id: str) -> Match | None:
        return get(Match)

    @pattern()
    def of_round(self, tournament: str, round: str, starts_at: Between[datetime], *, limit: int = 20) -> Page[Match]:
        return query(Match)

    @pattern()
    def player(self, id: str) -> Player | None:
        return get(Player)

    @pattern()
    def of_team(self, team: str, *, limit: int = 20) -> Page[Player]:
        return query(Player, order_by=lambda player: player.name)

    @pattern()
    def set_round(self, id: str, round: str) -> Match:
        return update(Match, field(Match, lambda match: match.round).set(round))

    @pattern()
    def set_start(self, id: str, starts_at: datetime) -> Match:
        return update(Match, field(Match, lambda match: match.starts_at).set(starts_at))


def test_the_remedy_for_a_design_without_multi_attribute_keys_names_the_parameter_or_the_option() -> None:
    (missing,) = design_table(League.design).not_served
    assert missing.pattern == "of_round"
    assert missing.reason == "set_start changes a key attribute but does not know tournament"
    assert missing.remedy == (
        "Add the parameter tournament to set_start, with where=lambda item: item.tournament == tournament, "
        "or allow multi-attribute keys with --multi-attribute, or let it read the item first with --allow-fan-out."
    )


def test_chosen_multi_attribute_keys_change_one_attribute_per_update() -> None:
    table = design_table(League.design, DesignOptions(multi_attribute=True))
    assert not table.not_served
    assert table.keys["Match"]["gsi1"] == (("ROUND#{round}",), ("MATCH#{tournament}", "{starts_at}", "{id}"))
    assert table.keys["Player"]["gsi1"] == (("TEAM#{team}",), ("PLAYER#{name}#{id}", "-", "-"))
    assert check(table.after).passes
    assert witness(table.after).passes
