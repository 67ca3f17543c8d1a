"""Ancestor reads: with asyncio, strongly consistent, with unprocessed keys, and without expired nodes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from singletable import ArgumentRefused, Table, ancestors, entity, key, pattern
from tests.client.between import Document, between
from tests.client.places import Place
from tests.client.tree import Node, Orgs, Path

WAY: Path = ("root", "eng", "a#b", "x")


def filled(orgs: Orgs) -> Orgs:
    orgs.put_many([Node("o", path) for path in (WAY[:1], WAY[:2], WAY, ("root", "engineering"), ("root", "eng", "a"))])
    return orgs


def test_pattern_reads_return_ancestors_from_the_root_down_without_missing_nodes(place: Place) -> None:
    with place.open(Orgs) as orgs:
        filled(orgs)
        expected = [Node("o", WAY[:1]), Node("o", WAY[:2]), Node("o", WAY)]
        assert orgs.breadcrumbs("o", WAY) == expected
        assert orgs.breadcrumbs.using(consistent=True)("o", WAY) == expected
        assert orgs.breadcrumbs("o", ("nowhere", "at all")) == []

        async def awaited() -> list[Node]:
            return await orgs.breadcrumbs.aio("o", WAY)

        assert asyncio.run(awaited()) == expected


def test_pattern_reads_get_ancestors_in_one_batch_that_metrics_count_for_the_pattern() -> None:
    orgs = filled(Orgs.open("memory:"))
    seen = between(orgs)
    orgs.breadcrumbs("o", WAY)
    orgs.breadcrumbs.using(consistent=True)("o", WAY)
    orgs.way_to("o", WAY)
    orgs.way_to.using(consistent=False)("o", WAY)
    assert seen.operations == ["BatchGetItem"] * 4
    strong = [request["RequestItems"]["Orgs"].get("ConsistentRead", False) for request in seen.requests]
    assert strong == [False, True, True, False]
    assert orgs.metrics.by_pattern["breadcrumbs"].requests == 2


def test_pattern_reads_retry_unprocessed_keys_of_ancestors(place: Place) -> None:
    left: list[Document] = []

    def leave_over(operation: str, answer: Document) -> Document | None:
        if left or not answer["Responses"]["Orgs"]:
            return None
        left.append(answer["Responses"]["Orgs"].pop())
        over = {"PK": left[0]["PK"], "SK": left[0]["SK"]}
        return {**answer, "UnprocessedKeys": {"Orgs": {"Keys": [over]}}}

    with place.open(Orgs) as orgs:
        filled(orgs)
        seen = between(orgs, answer=leave_over)
        assert [node.path for node in orgs.breadcrumbs("o", WAY)] == [WAY[:1], WAY[:2], WAY]
        assert seen.operations == ["BatchGetItem"] * 2


def test_pattern_reads_reject_an_ancestor_path_deeper_than_declared_before_any_request() -> None:
    orgs = filled(Orgs.open("memory:"))
    seen = between(orgs)
    with pytest.raises(ArgumentRefused, match=r"has 10 elements, but the pattern declares fanout=9"):
        orgs.breadcrumbs("o", ("root",) * 10)
    assert seen.operations == []


@entity(key=("T#{tree}", "N#{path}"), ttl="ends", identity=("tree", "path"))
@dataclass(frozen=True)
class Passing:
    tree: str
    path: Path
    ends: int | None = None


class Passings(Table, entities=[Passing]):
    @pattern(fanout=3)
    def way_to(self, tree: str, path: Path) -> list[Passing]:
        return ancestors(Passing)


def test_pattern_reads_hide_expired_ancestors_by_default_and_move_subtree_moves_them(place: Place) -> None:
    nodes = [Passing("t", ("a",), 2_000), Passing("t", ("a", "b"), 1_000), Passing("t", ("a", "b", "c"))]
    with place.clocked(Passings, lambda: 1_500.0) as table:
        for node in nodes:
            table.put(node)
        assert table.way_to("t", ("a", "b", "c")) == [nodes[0], nodes[2]]
        assert table.way_to.using(expired=True)("t", ("a", "b", "c")) == nodes
        assert table.move_subtree(key(Passing, tree="t", path=("a",)), to=("z",)) == 3
        assert [node.ends for node in table.way_to.using(expired=True)("t", ("z", "b", "c"))] == [2_000, 1_000, None]
