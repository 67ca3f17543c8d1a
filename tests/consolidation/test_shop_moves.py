"""A consolidation with clients of both sides, killed clients and runners, from one seed.

`SIMULATION=1000 pytest tests/consolidation/test_shop_moves.py` runs more seeds; `make simulate` does that.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from singletable.consolidation import dual_writer, row_changes, row_copies
from singletable.consolidation.dual_table import DualTable
from singletable.consolidation.entity_changes import EntityChanges
from singletable.errors import SingletableError
from singletable.migrations import item_pass
from tests.consolidation.shop_world import simulate

RUNS = int(os.environ.get("SIMULATION") or 8)
GUARD_RUNS = 400


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_pass, "PAGE_ITEMS_MAX", 3)


@pytest.mark.slow
def test_simulated_consolidations_of_the_shop_lose_no_confirmed_write_and_fail_no_call() -> None:
    for seed in range(RUNS):
        try:
            simulate(seed)
        except AssertionError as problem:
            raise AssertionError(f"seed {seed}: {problem}") from problem


def without_row_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a transaction commit although a row has changed since it was read."""
    for module in (dual_writer, row_copies, row_changes):
        monkeypatch.setattr(module, "row_guards", lambda before, keys, change, read=frozenset(): [])


def without_item_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a transaction commit although an item of the new table has changed since it was read."""
    monkeypatch.setattr(EntityChanges, "_unchanged", lambda self, stored: None)
    monkeypatch.setattr(DualTable, "_entry", lambda self, write, before, entity: write.action().entry(write.table))


GUARDS = (without_row_guards, without_item_guards)


@pytest.mark.slow
@pytest.mark.parametrize("remove", GUARDS if "SIMULATION" in os.environ else GUARDS[:1])
def test_the_simulated_consolidation_of_the_shop_fails_without_a_guard(
    remove: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    remove(monkeypatch)
    failed = next((seed for seed in range(GUARD_RUNS) if _fails(seed)), None)
    assert failed is not None, f"no seed of {GUARD_RUNS} fails {remove.__name__}"
    print(f"{remove.__name__}, seed {failed} fails")


def _fails(seed: int) -> bool:
    try:
        simulate(seed)
    except (AssertionError, SingletableError):
        return True
    return False
