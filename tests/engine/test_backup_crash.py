"""A process is killed while it makes, restores and removes backups: each of them is there whole, or not at all."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.how_long import longer

KILLS = 15
SCRIPT = Path(__file__).with_name("backup_crash_rounds.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked")
def test_no_kill_leaves_half_a_backup_or_half_a_restored_table(tmp_path: Path) -> None:
    seed = int(os.environ.get("CRASH_SEED") or random.randrange(10**9))
    run = subprocess.run(
        [sys.executable, SCRIPT, tmp_path, str(longer(KILLS)), str(seed)], capture_output=True, text=True, check=False
    )
    again = f"CRASH_SEED={seed} repeats the operations, and nearly the moments of the kills"
    assert run.returncode == 0, f"{again}\n{run.stdout}\n{run.stderr}"
