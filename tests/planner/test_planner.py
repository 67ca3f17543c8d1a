"""Copies are found by the index that leads from a source to what repeats it."""

from __future__ import annotations

from singletable.planner.planner import copy_indexes
from tests.client.social import Social
from tests.heat.models import Events, SpreadMagazine


def test_the_planner_finds_copies_by_an_index_of_the_copying_entity() -> None:
    assert ("Post", "gsi1") in copy_indexes(Social.design)
    assert copy_indexes(SpreadMagazine.design) == {("SpreadArticle", "gsi1")}  # the keys alone, in shards


def test_the_planner_plans_no_query_for_copies_in_a_design_without_copies() -> None:
    assert copy_indexes(Events.design) == frozenset()
