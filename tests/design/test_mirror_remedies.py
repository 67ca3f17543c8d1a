"""Mirrored items as a remedy: only for a read that no allowed index can serve, with a declaration that works."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Page, Table, entity, field, pattern, query, update
from singletable.conformance.witness import witness
from singletable.design.assumptions import deciding_assumptions
from singletable.design.designed_table import design_table
from singletable.design.model_workload import DesignOptions
from singletable.planner.planner import plan_all
from singletable.verify.design_check import check


@entity(identity=("user_id", "team_id"))
@dataclass
class Membership:
    user_id: str
    team_id: str
    role: str


class Teams(Table, entities=[Membership]):
    @pattern()
    def teams_of_user(self, user_id: str) -> Page[Membership]:
        return query(Membership, consistent=True)

    @pattern()
    def users_of_team(self, team_id: str) -> Page[Membership]:
        return query(Membership, consistent=True)

    @pattern()
    def promote(self, user_id: str, team_id: str, role: str) -> Membership:
        return update(Membership, field(Membership, lambda each: each.role).set(role))


class EventualTeams(Table, entities=[Membership]):
    @pattern()
    def teams_of_user(self, user_id: str) -> Page[Membership]:
        return query(Membership)

    @pattern()
    def users_of_team(self, team_id: str) -> Page[Membership]:
        return query(Membership)


MIRROR = (
    "or store each item twice: declare a class MembershipByUserId with the same fields and "
    '@entity(key=("USER#{user_id}", "MEMBERSHIP#{team_id}"), mirror_of=Membership), and return it.'
)


def test_two_strong_reads_of_a_many_to_many_get_a_mirror_as_a_remedy() -> None:
    (missing,) = design_table(Teams.design).not_served
    assert missing.pattern == "teams_of_user"
    assert missing.remedy == f"Remove consistent=True, {MIRROR}"


def test_a_read_that_an_index_serves_gets_no_mirror_unless_the_limit_forbids_the_index() -> None:
    assert not design_table(EventualTeams.design).not_served
    table = design_table(EventualTeams.design, DesignOptions(indexes_max=0))
    (missing,) = table.not_served
    assert missing.remedy == f"Allow more indexes with --max-gsis, {MIRROR}"
    assert not deciding_assumptions(table)


def test_a_key_that_an_update_changes_is_not_mirrored() -> None:
    class ByRole(Teams, entities=[Membership]):
        @pattern()
        def of_role(self, role: str) -> Page[Membership]:
            return query(Membership, consistent=True)

    found = {each.pattern: each.remedy for each in design_table(ByRole.design).not_served}
    assert "mirror_of" not in found["of_role"]


@entity(key=("USER#{user_id}", "MEMBERSHIP#{team_id}"), mirror_of=Membership, expected_per_partition=5)
@dataclass
class MembershipByUserId:
    user_id: str
    team_id: str
    role: str


class MirroredTeams(Table, entities=[Membership, MembershipByUserId]):
    @pattern()
    def teams_of_user(self, user_id: str) -> Page[MembershipByUserId]:
        return query(MembershipByUserId, consistent=True)

    @pattern()
    def users_of_team(self, team_id: str) -> Page[Membership]:
        return query(Membership, consistent=True)

    @pattern()
    def promote(self, user_id: str, team_id: str, role: str) -> Membership:
        return update(Membership, field(Membership, lambda each: each.role).set(role))


def test_a_model_that_follows_the_remedy_serves_every_read_without_an_index() -> None:
    table = design_table(MirroredTeams.design)
    assert not table.not_served
    assert table.solution.indexes == 0
    assert all(each.verdict.is_served for each in plan_all(table.after))
    assert [str(each) for each in check(table.after).findings if each.fails] == []
    assert witness(table.after, seed=4).passes
