"""Migrations between random designs of a shop, with concurrent clients, killed runners and stale runners.

`SIMULATION=1000 pytest tests/migrations/test_shop_simulation.py` runs more seeds; `make simulate` does that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from singletable.client.reading import both_keys
from singletable.client.write import counter_marks, derived_actions, item_moves, moved_writes
from singletable.client.write.item_actions import ItemAction
from singletable.client.write.stored_expressions import exists
from singletable.migrations import item_changes, item_pass, moved_items
from singletable.migrations.control_items import ControlItems
from singletable.migrations.item_changes import ItemChange
from singletable.migrations.item_conversion import ItemConversion
from singletable.model.derived_data import Marking
from tests.migrations.shop_simulation import failure_of

RUNS = int(os.environ.get("SIMULATION") or 100)
PARTS = 4
GUARD_RUNS = 1000
QUICK_GUARDS = ("mark", "lease wait", "other key", "lease wait of a move", "lease wait with a control table")


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_pass, "PAGE_ITEMS_MAX", 4)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("is_move", [False, True], ids=["in place", "moves"])
def test_a_simulated_migration_of_the_shop_loses_no_confirmed_write_and_returns_no_wrong_read(
    part: int, is_move: bool
) -> None:
    for seed in range(part, RUNS, PARTS):
        assert failure_of(seed, is_move=is_move) is None, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_a_control_table_guards_a_migration_like_the_table_itself(part: int) -> None:
    for seed in range(part, RUNS, PARTS):
        settings = {"is_move": seed % 3 == 0, "has_control_table": True}
        assert failure_of(seed, **settings) is None, f"seed {seed}"


def without_source_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    change = ItemConversion._change

    def unguarded(self: ItemConversion, *arguments: Any) -> ItemChange | None:
        made = change(self, *arguments)
        return None if made is None else replace(made, unchanged={})

    monkeypatch.setattr(ItemConversion, "_change", unguarded)


def without_existence_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    without_source_guards(monkeypatch)  # these also require that the item exists
    expressions = item_changes._update_expressions

    def unguarded(*shape: Any) -> Any:
        return {**expressions(*shape), "ConditionExpression": "attribute_exists(#k) OR attribute_not_exists(#k)"}

    monkeypatch.setattr(item_changes, "_update_expressions", unguarded)


def without_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = counter_marks.counted_owners

    def unmarked(count: Any, before: Any, after: Any, mark: Any) -> Any:
        return (before, after) if count.marking is Marking.WRITTEN else owners(count, before, after, mark)

    for module in (counter_marks, derived_actions):
        monkeypatch.setattr(module, "counted_owners", unmarked)


def without_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    check = ControlItems.epoch_check

    def unchecked(self: ControlItems, epoch: int) -> ItemAction:
        return replace(check(self, epoch), guards=(exists(self.place.attributes[0]),))

    monkeypatch.setattr(ControlItems, "epoch_check", unchecked)


def without_source_guards_of_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the conditions of the delete of a move, in the runner and in clients."""
    actions = item_moves.move_actions

    def change(*given: Any, **fields: Any) -> ItemChange:
        return ItemChange(*given, **{**fields, "unchanged": {}})

    def unguarded(*given: Any) -> tuple[ItemAction, ...]:
        return tuple(replace(each, guards=()) if each.kind == "Delete" else each for each in actions(*given))

    monkeypatch.setattr(moved_items, "ItemChange", change)
    monkeypatch.setattr(moved_writes, "move_actions", unguarded)


def without_checks_of_the_other_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moved_writes.MovedWrites, "_other_keys", lambda self, entries, moves: iter(()))


def with_one_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the new range before the old one, so that an item can move from the second to the first."""
    made = both_keys.MergedRanges.__init__

    def swapped(self: Any, *given: Any) -> None:
        made(self, *given)
        self._ranges = self._ranges[::-1]

    monkeypatch.setattr(both_keys.MergedRanges, "__init__", swapped)


GUARDS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None] | None, dict[str, Any]]] = {
    "source": (without_source_guards, {}),
    "existence": (without_existence_guards, {}),
    "mark": (without_marks, {"features": ("counter", "open_counter")}),
    "lease wait": (None, {"wait_seconds": 0.0}),
    "epoch": (without_epoch, {}),
    "source of a move": (without_source_guards_of_moves, {"is_move": True}),
    "other key": (without_checks_of_the_other_key, {"is_move": True}),
    "order of the ranges": (with_one_range, {"is_move": True}),
    "lease wait of a move": (None, {"wait_seconds": 0.0, "is_move": True}),
    "epoch of a move": (without_epoch, {"is_move": True}),
    "lease wait with a control table": (None, {"wait_seconds": 0.0, "has_control_table": True}),
    "epoch in a control table": (without_epoch, {"has_control_table": True}),
}


@pytest.mark.slow
@pytest.mark.parametrize("guard", GUARDS if "SIMULATION" in os.environ else QUICK_GUARDS)
def test_the_simulated_migration_of_the_shop_fails_without_a_guard(guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    remove, settings = GUARDS[guard]
    if remove is not None:
        remove(monkeypatch)
    failed = next((seed for seed in range(GUARD_RUNS) if failure_of(seed, **settings) is not None), None)
    assert failed is not None, f"no seed of {GUARD_RUNS} fails without the guard {guard}"
    print(f"without the guard {guard}, seed {failed} fails")
