"""A process is killed while it creates, restores and deletes backups. Each backup is complete or absent."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.soak import longer

KILLS = 15
SCRIPT = Path(__file__).with_name("backup_crash_rounds.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked")
def test_backup_jobs_of_a_killed_process_leave_no_partial_backup_or_restored_table(tmp_path: Path) -> None:
    seed = int(os.environ.get("CRASH_SEED") or random.randrange(10**9))
    run = subprocess.run(
        [sys.executable, SCRIPT, tmp_path, str(longer(KILLS)), str(seed)], capture_output=True, text=True, check=False
    )
    again = f"CRASH_SEED={seed} repeats the operations, and nearly the moments of the kills"
    assert run.returncode == 0, f"{again}\n{run.stdout}\n{run.stderr}"
