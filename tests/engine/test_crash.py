"""A writer is killed at random times: acknowledged writes exist, no write is partial, and indexes match."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.soak import longer

pytestmark = pytest.mark.slow

KILLS = 10
SCRIPT = Path(__file__).with_name("crash_rounds.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked")
def test_a_store_survives_the_kill_of_its_writer(tmp_path: Path) -> None:
    seed = int(os.environ.get("CRASH_SEED") or random.randrange(10**9))
    rounds = longer(KILLS)
    run = subprocess.run(
        [sys.executable, SCRIPT, tmp_path, str(rounds), str(seed)], capture_output=True, text=True, check=False
    )
    again = f"CRASH_SEED={seed} repeats the operations, and nearly the moments of the kills"
    assert run.returncode == 0, f"{again}\n{run.stdout}\n{run.stderr}"
