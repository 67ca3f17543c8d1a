"""A consolidation with clients of both sides, killed clients and runners, from one seed.

`SIMULATION=1000 pytest tests/consolidation/test_shop_moves.py` runs more seeds; `make simulate` does that.
"""

from __future__ import annotations

import os

import pytest

from singletable.migrations import item_pass
from tests.consolidation.shop_world import simulate

RUNS = int(os.environ.get("SIMULATION") or 12)


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_pass, "PAGE_ITEMS_MAX", 3)


@pytest.mark.slow
def test_no_answered_write_is_lost_and_no_call_fails() -> None:
    for seed in range(RUNS):
        try:
            simulate(seed)
        except AssertionError as problem:
            raise AssertionError(f"seed {seed}: {problem}") from problem
