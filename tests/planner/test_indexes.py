"""Every kind of index serves what it can: thin, local, native and multi-attribute."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import (
    GSI,
    KEYS_ONLY,
    LSI,
    Between,
    Page,
    Since,
    Table,
    entity,
    get,
    include,
    native,
    pattern,
    query,
    shard,
)
from singletable.planner.plan import Outcome, Plan, UnsupportedPattern
from singletable.verify.design_check import check


@entity(
    key=("ORG#{org}", "DOC#{id}"),
    gsi1=("OWNER#{owner}", "{size:08d}#{id}"),
    gsi2=("KIND#{kind}", "{id}"),
    lsi1="{size:08d}",
    by_place=((native("org"), native("kind")), (native("owner"), native("size"))),
)
@dataclass
class Doc:
    """A document."""

    org: str
    id: str
    owner: str
    kind: str
    size: int
    text: str


@dataclass
class DocLine:
    """What a listing shows; every field of it is in the keys."""

    org: str
    id: str
    owner: str
    size: int


class Docs(
    Table,
    entities=[Doc],
    indexes=[GSI("gsi1", projection=KEYS_ONLY), GSI("gsi2", projection=include("owner")), LSI("lsi1")],
):
    """One pattern for each kind of index."""

    @pattern()
    def whole_from_keys_only(self, owner: str) -> Page[Doc]:
        """Refused: the index lacks fields."""
        return query(Doc)

    @pattern()
    def lines_of_owner(self, owner: str) -> Page[DocLine]:
        """Fields that decode from keys count as held."""
        return query(Doc, view=DocLine)

    @pattern()
    def hydrated(self, owner: str) -> Page[Doc]:
        """The whole items, fetched after the keys."""
        return query(Doc, hydrate=True, limit=50)

    @pattern()
    def by_size(self, org: str, size: Since[int]) -> Page[Doc]:
        """The local index, strongly."""
        return query(Doc, consistent=True)

    @pattern()
    def of_owner_in_place(self, org: str, kind: str, owner: str, size: Between[int]) -> Page[Doc]:
        """Four attributes of one index."""
        return query(Doc)

    @pattern()
    def gap_in_place(self, org: str, kind: str, size: Between[int]) -> Page[Doc]:
        """Refused: sort attributes are used from the left."""
        return query(Doc)

    @pattern()
    def doc(self, org: str, id: str) -> Doc | None:
        """One item, strongly."""
        return get(Doc, consistent=True)


def served(outcome: Outcome) -> Plan:
    assert isinstance(outcome, Plan), outcome
    return outcome


def test_plan_reads_does_not_use_an_index_that_does_not_project_the_fields() -> None:
    outcome = Docs.whole_from_keys_only.plan
    assert isinstance(outcome, UnsupportedPattern)
    assert outcome.reason == "GSI1 (KEYS_ONLY) does not project kind, text"


def test_plan_reads_serves_a_view_of_key_fields_from_a_keys_only_index() -> None:
    assert served(Docs.lines_of_owner.plan).index.label == "GSI1"
    assert Docs.lines_of_owner.plan.verdict_text() == "unbounded"


def test_plan_reads_counts_hydration_as_a_declared_fan_out() -> None:
    assert Docs.hydrated.plan.verdict_text() == "declared fan-out of 2"


@entity(key=("NOTE#{id}", "NOTE"), gsi1=("PART#{part}", "{id}"), derived={"part": shard("id", of=4)}, identity=("id",))
@dataclass
class Note:
    """A note in four shards of a thin index."""

    id: str
    text: str


def test_the_more_than_one_request_rule_adds_batches_to_sharded_queries() -> None:
    class Notes(Table, entities=[Note], indexes=[GSI("gsi1", projection=KEYS_ONLY)]):
        @pattern(fanout=4)
        def enough(self) -> Page[Note]:
            """All of them."""
            return query(Note, hydrate=True)

        @pattern(fanout=2)
        def too_few(self) -> Page[Note]:
            """Two Queries are declared, and there are four."""
            return query(Note, hydrate=True)

        @pattern()
        def unsaid(self) -> Page[Note]:
            """None is declared."""
            return query(Note, hydrate=True)

    assert Notes.enough.plan.verdict_text() == "declared fan-out of 4 + 1 per 100 items, unbounded"
    found = [each for each in check(Notes.design).findings if each.code == "ST003"]
    assert [each.message for each in found] == [
        "too_few: needs 4 Queries and one BatchGetItem per 100 items, but declares fanout=2",
        "unsaid: needs 4 Queries and one BatchGetItem per 100 items",
    ]
    assert all("Set fanout=4 in @pattern of" in str(each.remedy) for each in found)


def test_plan_reads_can_read_a_local_index_strongly() -> None:
    plan = served(Docs.by_size.plan)
    assert (plan.index.kind, plan.strong_possible) == ("LSI", True)
    assert plan.key_condition() == 'PK = "ORG#{org}" AND LSI1SK BETWEEN "{size.low}" AND "99999999$"'
    (request,) = Docs.by_size.explain("o", Since(7)).requests
    assert request.parameters["ConsistentRead"] is True


def test_index_match_compares_a_multi_attribute_key_attribute_by_attribute() -> None:
    (request,) = Docs.of_owner_in_place.explain("o", "k", "w", Between(1, 9)).requests
    assert request.parameters["KeyConditionExpression"] == (
        "#n0 = :v0 AND #n1 = :v1 AND #n2 = :v2 AND #n3 BETWEEN :v3 AND :v4"
    )
    assert list(request.parameters["ExpressionAttributeNames"].values()) == ["org", "kind", "owner", "size"]
    assert request.parameters["ExpressionAttributeValues"][":v4"] == {"N": "9"}


def test_index_match_does_not_skip_a_sort_attribute() -> None:
    outcome = Docs.gap_in_place.plan
    assert isinstance(outcome, UnsupportedPattern)
    (reasons,) = [each.reasons for each in outcome.other_indexes if each.index == "by_place"]
    assert reasons == (
        "needs a range of size, but in the key of by_place this part follows owner (S), which no parameter provides",
    )


def test_plan_reads_can_make_a_get_strongly_consistent() -> None:
    (request,) = Docs.doc.explain("o", "1").requests
    assert (request.operation, request.parameters["ConsistentRead"]) == ("GetItem", True)
