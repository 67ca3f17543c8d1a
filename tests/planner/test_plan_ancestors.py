"""The way down to a path: one key for each node, computed from the path, or the reason why they cannot be."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from singletable import ArgumentRefused, DesignError, KeyRefused, Page, Subtree, Table, ancestors, entity, pattern
from singletable.planner.plan import Plan, UnsupportedPattern
from singletable.planner.planner import plan
from singletable.planner.remedies import remedy
from singletable.verify.design_check import check
from tests.planner.forest import Forest, Leaf, Node, Path


def test_the_explanation_of_ancestors_shows_the_batch_and_its_cost() -> None:
    explained = Forest.nodes_above.explain("o", ("r", "r#eng"))
    assert explained.proof == (
        'BatchGetItem on the table: PK = "ORG#{org}" AND SK = "NODE#{path*}"',
        "one key per {path*}: path and each of its ancestors, up to 100 keys per request",
        "order: root first",
        "verdict: declared fan-out of at most 4",
        "reads 4 items, 1188 bytes, ≈2 RRU (guessed: the size of Node)",
    )
    (request,) = explained.requests
    assert request.operation == "BatchGetItem"
    keys = [{"PK": {"S": "ORG#o"}, "SK": {"S": text}} for text in ("NODE#r", "NODE#r#r%23eng")]
    assert request.parameters == {"RequestItems": {"Forest": {"Keys": keys}}}


def test_requests_of_an_ancestors_plan_can_be_a_strongly_consistent_batch() -> None:
    (request,) = Forest.places_above.explain(("r",)).requests
    assert request.parameters["RequestItems"]["Forest"]["ConsistentRead"] is True
    assert Forest.places_above.explain(("r",)).estimate.units == 4.0


def test_requests_of_an_ancestors_plan_contain_values_derived_from_every_path() -> None:
    (request,) = Forest.leaves_above.explain("o", "k", ("r", "eng", "x")).requests
    keys = request.parameters["RequestItems"]["Forest"]["Keys"]
    assert [key["SK"]["S"] for key in keys] == ["LEAF#1#r", "LEAF#2#r#eng", "LEAF#3#r#eng#x"]


def test_requests_of_an_ancestors_plan_reject_a_path_deeper_than_declared_with_both_numbers() -> None:
    with pytest.raises(ArgumentRefused, match=r"has 5 elements, but the pattern declares fanout=4"):
        Forest.nodes_above.explain("o", ("r",) * 5)


@pytest.mark.parametrize("path", [(), "root", ("r", ""), ["r"], ("r", 1)])
def test_requests_of_an_ancestors_plan_reject_a_value_that_is_not_a_path(path: Path) -> None:
    with pytest.raises(KeyRefused):
        Forest.nodes_above.explain("o", path)


class Deep(Table, entities=[Node]):
    @pattern(fanout=250)
    def nodes_above(self, org: str, path: Path) -> list[Node]:
        return ancestors(Node)


def test_requests_of_an_ancestors_plan_take_several_batches_for_more_than_100_keys() -> None:
    requests = Deep.nodes_above.explain("o", ("r",) * 250).requests
    assert [len(request.parameters["RequestItems"]["Deep"]["Keys"]) for request in requests] == [100, 100, 50]


@entity(key=("ORG#{org}", "NODE#{id}"), gsi1=("ORG#{org}", "{path}"))
@dataclass(frozen=True)
class Indexed:
    org: str
    id: str
    path: Path


@entity(key=("A#{first}", "B#{path}"), identity=("first", "path"))
@dataclass(frozen=True)
class Two:
    first: Path
    path: Path


class Refused(Table, entities=[Node, Leaf, Indexed, Two]):
    @pattern(fanout=9)
    def path_in_an_index_only(self, org: str, id: str, path: Path) -> list[Indexed]:
        return ancestors(Indexed)

    @pattern(fanout=9)
    def two_paths(self, first: Path, path: Path) -> list[Two]:
        return ancestors(Two)

    @pattern(fanout=9)
    def no_partition(self, path: Path) -> list[Node]:
        return ancestors(Node)

    @pattern(fanout=9)
    def no_path(self, org: str) -> list[Node]:
        return ancestors(Node)

    @pattern(fanout=9)
    def a_range(self, org: str, path: Subtree[Path]) -> list[Node]:
        return ancestors(Node)

    @pattern(fanout=9)
    def by_name(self, org: str, path: Path, name: str) -> list[Node]:
        return ancestors(Node)

    @pattern()
    def undeclared(self, org: str, path: Path) -> list[Node]:
        return ancestors(Node)


@pytest.mark.parametrize(
    ("name", "reason", "way_out"),
    [
        ("path_in_an_index_only", "the key of Indexed has no path", "Put the path into the key of the entity"),
        ("two_paths", "the key of Two has two paths, first and path", "Put the path into the key of the entity"),
        ("no_partition", "its key also contains org, which no parameter provides", "Add org as a parameter."),
        ("no_path", "no parameter provides path", "Add the path as a parameter: path: tuple[str, ...]."),
        ("a_range", "Subtree[...] is not a single value of path", "Add the path as a parameter"),
        ("by_name", "the key of Node has no name", "Remove name"),
    ],
)
def test_plan_reads_does_not_support_ancestors_whose_keys_cannot_be_computed_from_the_path(
    name: str, reason: str, way_out: str
) -> None:
    declared = Refused.design.pattern(name)
    assert declared is not None
    outcome = plan(Refused.design, declared)
    assert isinstance(outcome, UnsupportedPattern)
    assert not outcome.needs_scan
    assert reason in outcome.reason
    assert way_out in str(remedy(Refused.design, outcome))


def test_plan_reads_needs_a_declared_depth_for_ancestors() -> None:
    declared = Refused.design.pattern("undeclared")
    assert declared is not None
    outcome = plan(Refused.design, declared)
    assert isinstance(outcome, Plan)
    assert outcome.verdict_text() == "undeclared fan-out of a number that depends on the arguments"
    (finding,) = (each for each in check(Refused.design).findings if each.subject == "undeclared")
    assert (finding.code, str(finding.remedy)) == (
        "ST003",
        "Set fanout=12 in @pattern of undeclared. This is the maximum depth of a path.",
    )


def test_the_ancestors_intent_returns_a_list() -> None:
    with pytest.raises(DesignError, match=r"is annotated with Page\[Node\], but its body returns list\[Node\]"):

        @pattern(fanout=4)
        def above(self: object, org: str, path: Path) -> Page[Node]:
            return ancestors(Node)  # type: ignore[return-value]
