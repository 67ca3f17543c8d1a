"""Fault runs find no violation, and a run that fails or hangs shows how to repeat it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.faults.disk_faults import is_available
from tests.engine.faults.fault_runs import SCENARIOS

ROOT = Path(__file__).parents[3]
RUNS = 10 * len(SCENARIOS)
SECONDS_MAX = 300


def fault_runs(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.engine.faults.fault_runs", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX, check=False
    )


@pytest.mark.slow
@pytest.mark.skipif(not (hasattr(os, "fork") and is_available()), reason="needs fork, and replaceable system calls")
def test_fault_runs_lose_no_confirmed_write_and_are_linearizable() -> None:
    run = fault_runs("--seed", os.environ.get("FAULT_SEED", "1"), "--runs", str(RUNS))
    assert run.returncode == 0, f"{run.stdout[-4000:]}\n{run.stderr[-8000:]}"
