"""The walkthrough `migration`: processes of the application and of the runner are killed, and nothing is lost.

`MOVED_ROWS=50000 pytest tests/consolidation/test_killed_processes.py` moves more rows; `make consolidate` does that.
"""

from __future__ import annotations

import os

import pytest

from examples.walkthroughs import migration

ROWS = int(os.environ.get("MOVED_ROWS") or 300)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that kills a process at once")
def test_killed_processes_of_a_consolidation_lose_no_write_and_fail_no_call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    is_long = "MOVED_ROWS" in os.environ
    if not is_long:
        monkeypatch.setattr(migration, "RUNNER_KILLS", 1)
        monkeypatch.setattr(migration, "TRAFFIC_SECONDS", 1.0)
    migration.main(ROWS, (1.0, 4.0) if is_long else (0.05, 0.5))
    lines = capsys.readouterr().out.splitlines()
    assert "stage 'dual write': the old tables and the new table are in sync" in lines
    assert any(line.endswith(" rows and the new table are in sync") for line in lines)
    steps = [line.split(":")[0] for line in lines if line[:2] in {f"{number}." for number in range(1, 9)}]
    names = ["CATALOGUE", "DESIGN", "SOURCES", "DUAL WRITE", "BACKFILL", "SHADOW READS", "CUT OVER", "RETIRE"]
    assert steps == [f"{number}. {name}" for number, name in enumerate(names, 1)]
    compared = [
        line.split() for line in lines if line.startswith(migration.PATTERNS) and ("shadow" in line or "done" in line)
    ]
    assert [(each[0], each[1], each[6], each[8]) for each in compared] == [
        (name, mode, "0", "0") for mode in ("shadow", "done") for name in sorted(migration.PATTERNS)
    ]
    assert "singletable: Shop.customer: 1 of 101 compared calls differ, so it cannot be switched to 'new'." in lines
    title = next(line for line in lines if line.endswith("products that the application has written so far"))
    written = title.split(" ")[0]
    assert written != "0"
    assert [line.split() for line in lines if line.split()[:1] in (["old"], ["new"])] == [
        ["old", written, "0"],
        ["new", written, "0"],
    ]
    assert "singletable: table 'Shop': the old tables cannot be retired yet; nothing was changed:" in lines
    assert "the dual writes have ended. These tables are backed up and protected:" in lines
    found = lines[-2].removeprefix("No call of the application has failed. ").split()
    assert found[0] == found[3]
