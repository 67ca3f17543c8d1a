"""Inverse indexes serve patterns from the other end of an edge, and every write pays for them."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Page, Since, Table, entity, inverse, pattern, put, query
from singletable.planner.estimate import estimate
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_all
from singletable.verify.check import check
from tests.planner.edges import Edges, Membership, Rosters, Team, ThinEdges


def test_an_edge_is_found_from_its_other_end() -> None:
    assert Edges.teams_of.explain("u").proof[0] == (
        'Query on the table: PK = "USER#{user}" AND begins_with(SK, "TEAM#")'
    )
    assert Edges.members_of.explain("t").proof[:2] == (
        'Query on GSI1: SK = "TEAM#{team}" AND begins_with(PK, "USER#")',
        "the range holds Membership only",
    )
    assert Edges.members_from.explain("t", Since("u")).proof[0] == (
        'Query on GSI1: SK = "TEAM#{team}" AND PK BETWEEN "USER#{user.low}" AND "USER$"'
    )


def test_a_fixed_sort_key_gathers_all_items_of_an_entity() -> None:
    assert Edges.all_users.explain().proof[0] == 'Query on GSI1: SK = "USER" AND begins_with(PK, "USER#")'


def test_a_thin_one_answers_what_keys_give_back() -> None:
    assert ThinEdges.members_of.explain("t").requests[0].parameters["IndexName"] == "byTeam"


def test_a_collection_can_lie_in_it() -> None:
    assert Rosters.roster.explain("t").proof[0] == (
        'Query on GSI1: SK = "TEAM#{team}" AND PK BETWEEN "TEAM#{team}" AND "USER$"'
    )


class Written(Table, entities=[Membership, Team], indexes=[inverse("gsi1")]):
    @pattern(rate=2000)
    def store(self, team: Team) -> Team:
        return put(Team)


class Plain(Table, entities=[Membership, Team]):
    @pattern(rate=2000)
    def store(self, team: Team) -> Team:
        return put(Team)


def test_every_write_pays_for_its_entry() -> None:
    plain, indexed = (plan_all(table.design)[0] for table in (Plain, Written))
    assert isinstance(plain, Plan)
    assert isinstance(indexed, Plan)
    assert (estimate(Plain.design, plain).units, estimate(Written.design, indexed).units) == (1, 2)


def test_one_that_nothing_reads_is_found_once_and_not_for_each_entity() -> None:
    assert [(f.code, f.message) for f in check(Written.design).findings] == [("ST112", "GSI1 is read by no pattern")]
    assert [f for f in check(Rosters.design).findings if f.code == "ST112"] == []


@entity(key=("USER#{id:raw}", "PROFILE"), accept={"ST107": "checked at sign-up"}, expected_per_partition={"gsi1": 5000})
@dataclass(frozen=True)
class Profile:
    id: str
    number: int | None = None


@entity(key=("INVOICE#{number}", "INVOICE"), identity=("number",))
@dataclass(frozen=True)
class Invoice:
    number: int


class Hot(Table, entities=[Profile, Invoice], indexes=[inverse("gsi1")]):
    @pattern(rate=2000)
    def store(self, profile: Profile) -> Profile:
        return put(Profile)

    @pattern(rate=1)
    def profiles(self) -> Page[Profile]:
        return query(Profile)


def test_a_fixed_sort_key_is_one_hot_partition_of_it() -> None:
    report = check(Hot.design)
    (hot,) = (finding for finding in report.findings if finding.code == "ST109")
    assert 'writes into one partition of GSI1 only, SK = "PROFILE"' in hot.message
    assert Hot.profiles.explain().estimate.items == 5000


def test_what_is_said_of_the_tables_keys_is_not_said_again_of_the_inverse() -> None:
    codes = [finding.code for finding in check(Hot.design).findings]
    assert codes.count("ST107") == 1
    assert "ST105" not in codes
