"""Modes in the table: registration by several processes, switches at the same time, and items of a newer release."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from singletable import ArgumentRefused, ConsolidationRefused, TableDiffers
from singletable.client.request_steps import run
from singletable.consolidation import read_pattern_states, switch_mode
from singletable.consolidation.pattern_modes import ModeItems, PatternMode, mode_items
from tests.consolidation.shop_reads import TwoShops, start, two_shops

NAMES = [f"pattern_{number}" for number in range(45)]


@pytest.fixture
def shops() -> Iterator[TwoShops]:
    with two_shops() as found:
        yield found


def items_of(shops: TwoShops) -> ModeItems:
    return mode_items(shops.new.design, "Shop")


def test_pattern_modes_contain_the_patterns_that_several_processes_register(shops: TwoShops) -> None:
    items, session = items_of(shops), shops.new._opened().session
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: run(items.register(NAMES, 5.0), session), range(4)))
    assert all(each == dict.fromkeys(sorted(NAMES), PatternMode("old", 5.0, 1)) for each in found)
    states = read_pattern_states(shops.new)
    assert sorted(states) == sorted(NAMES)
    assert {(each.calls, each.since, each.clean_since) for each in states.values()} == {(0, 5.0, 5.0)}


def test_pattern_modes_reject_one_of_two_switches_at_the_same_time(shops: TwoShops) -> None:
    items, session = items_of(shops), shops.new._opened().session
    (before,) = run(items.register(["customer"], 5.0), session).values()
    assert run(items.switch("customer", before, "shadow", 6.0), session)
    assert not run(items.switch("customer", before, "old", 7.0, "too many errors"), session)
    assert read_pattern_states(shops.new)["customer"].mode == "shadow"


def test_pattern_modes_are_switched_independently(shops: TwoShops) -> None:
    items, session = items_of(shops), shops.new._opened().session
    before = run(items.register(NAMES[:8], 5.0), session)
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(lambda name: run(items.switch(name, before[name], "shadow", 6.0), session), NAMES[:8]))
    assert {each.mode for each in read_pattern_states(shops.new).values()} == {"shadow"}


def test_before_the_first_call_no_pattern_has_a_mode(shops: TwoShops) -> None:
    assert read_pattern_states(shops.new) == {}
    with pytest.raises(ArgumentRefused, match="no mode for 'customer'; it has modes for: none; no process has read"):
        switch_mode(shops.new, "customer", "shadow")


def test_a_mode_cannot_be_skipped(shops: TwoShops) -> None:
    start(shops.reads())
    for mode in ("new", "done"):
        with pytest.raises(ConsolidationRefused, match=f"is in the mode 'old', so it cannot be switched to '{mode}'"):
            switch_mode(shops.new, "customer", mode)


@pytest.mark.parametrize("content", [{"customer": {"M": {"mode": {"S": "sideways"}}}}, {"customer": {"S": "new"}}])
def test_modes_of_a_newer_release_are_rejected(shops: TwoShops, content: dict[str, object]) -> None:
    key = {"S": "$singletable#consolidation#modes"}
    shops.client.put_item(TableName="Shop", Item={"PK": key, "SK": key, "$singletable": {"M": content}})
    with pytest.raises(TableDiffers, match=r"the item \$singletable#consolidation#modes is not readable"):
        read_pattern_states(shops.new)
    with pytest.raises(TableDiffers, match="Install that release"):
        shops.reads().customer("c000001")
