"""Inverse indexes of an open table: created, checked, and read page by page."""

from __future__ import annotations

import pytest

from singletable import Since, TableDiffers
from tests.client.places import Place, call
from tests.planner.edges import Edge, Edges, Membership, Roster, Rosters, Team, ThinEdges, User


def test_pagination_reads_edges_of_an_inverse_index_from_both_ends(place: Place) -> None:
    with place.open(Edges) as edges:
        edges.put(User("u1", "Ada"))
        edges.put(Team("t1", "one"))
        edges.put_many([Membership(f"u{n}", team, "x") for n in range(5) for team in ("t1", "t10", "t#1")])
        assert [each.team for each in edges.teams_of("u3")] == ["t#1", "t1", "t10"]
        page = edges.members_of.using(limit=2)("t1")
        rest = edges.members_of.using(limit=9, cursor=page.cursor)("t1")
        assert [each.user for each in (*page, *rest)] == ["u0", "u1", "u2", "u3", "u4"]
        assert edges.members_of.using(limit=2, cursor=rest.previous)("t1").items == page.items
        assert [each.user for each in edges.members_from("t#1", Since("u3"))] == ["u3", "u4"]
        assert edges.members_of.count("t10") == 5
        assert list(edges.all_users()) == [User("u1", "Ada")]


def test_pattern_reads_return_a_collection_from_an_inverse_index(place: Place) -> None:
    with place.open(Rosters) as rosters:
        rosters.put(Team("t1", "one"))
        rosters.put_many([Membership(user, "t1", "x") for user in "ab"])
        expected = Roster(Team("t1", "one"), [Membership("a", "t1", "x"), Membership("b", "t1", "x")])
        assert rosters.roster("t1") == expected


def test_pagination_reads_edges_from_an_inverse_index_with_a_projection(place: Place) -> None:
    with place.open(ThinEdges) as edges:
        edges.put_many([Membership(user, "t1", "x") for user in "ab"])
        assert list(edges.members_of("t1")) == [Edge("a", "t1"), Edge("b", "t1")]
        (index,) = call(edges, "DescribeTable")["Table"]["GlobalSecondaryIndexes"]
        schema = [(each["AttributeName"], each["KeyType"]) for each in index["KeySchema"]]
        assert (index["IndexName"], schema) == ("byTeam", [("SK", "HASH"), ("PK", "RANGE")])


def test_open_table_rejects_a_table_without_the_inverse_index_of_the_model(place: Place) -> None:
    place.needs("several openings")
    with place.open(ThinEdges, name="edges"), pytest.raises(TableDiffers) as caught:
        Edges.open(place.url, name="edges")
    assert "index GSI1 is missing; the model declares it with SK (hash) + PK (range)" in str(caught.value)
