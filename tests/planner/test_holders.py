"""Copies are found by the index that leads from a source to what repeats it."""

from __future__ import annotations

from singletable.planner.holders import copies_found_by
from tests.client.social import Social
from tests.heat.models import Events, SpreadMagazine


def test_copies_are_found_by_the_index_of_their_holder() -> None:
    assert ("Post", "gsi1") in copies_found_by(Social.design)
    assert copies_found_by(SpreadMagazine.design) == {("SpreadArticle", "gsi1")}  # the keys alone, in shards


def test_a_design_without_copies_finds_none() -> None:
    assert copies_found_by(Events.design) == frozenset()
