"""Inverse indexes serve patterns from the other end of an edge, and every write pays for them."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Page, Since, Table, entity, inverse, pattern, put, query
from singletable.planner.estimate import estimate
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_all
from singletable.verify.design_check import check
from tests.planner.edges import Edges, Membership, Rosters, Team, ThinEdges


def test_plan_reads_finds_an_edge_from_its_other_end_in_an_inverse_index() -> None:
    assert Edges.teams_of.explain("u").proof[0] == (
        'Query on the table: PK = "USER#{user}" AND begins_with(SK, "TEAM#")'
    )
    assert Edges.members_of.explain("t").proof[:2] == (
        'Query on GSI1: SK = "TEAM#{team}" AND begins_with(PK, "USER#")',
        "the range contains only Membership",
    )
    assert Edges.members_from.explain("t", Since("u")).proof[0] == (
        'Query on GSI1: SK = "TEAM#{team}" AND PK BETWEEN "USER#{user.low}" AND "USER$"'
    )


def test_plan_reads_finds_items_with_a_fixed_sort_key_in_one_inverse_partition() -> None:
    assert Edges.all_users.explain().proof[0] == 'Query on GSI1: SK = "USER" AND begins_with(PK, "USER#")'


def test_plan_reads_serves_fields_decoded_from_keys_from_a_keys_only_inverse_index() -> None:
    assert ThinEdges.members_of.explain("t").requests[0].parameters["IndexName"] == "byTeam"


def test_plan_collections_can_serve_a_collection_from_an_inverse_index() -> None:
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


def test_the_estimate_of_every_write_includes_its_entry_in_an_inverse_index() -> None:
    plain, indexed = (plan_all(table.design)[0] for table in (Plain, Written))
    assert isinstance(plain, Plan)
    assert isinstance(indexed, Plan)
    assert (estimate(Plain.design, plain).units, estimate(Written.design, indexed).units) == (1, 2)


def test_the_unused_index_rule_reports_an_inverse_index_once() -> None:
    assert [(f.code, f.message) for f in check(Written.design).findings] == [("ST112", "no pattern reads GSI1")]
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


def test_the_hot_partition_rule_finds_a_fixed_sort_key_in_an_inverse_index() -> None:
    report = check(Hot.design)
    (hot,) = (finding for finding in report.findings if finding.code == "ST109")
    assert 'writes to only one partition of GSI1, SK = "PROFILE"' in hot.message
    assert Hot.profiles.explain().estimate.items == 5000


def test_the_design_check_does_not_repeat_findings_about_table_keys_for_the_inverse_index() -> None:
    codes = [finding.code for finding in check(Hot.design).findings]
    assert codes.count("ST107") == 1
    assert "ST105" not in codes
