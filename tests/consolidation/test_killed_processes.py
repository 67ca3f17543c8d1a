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
    compared = [line.split() for line in lines if line.startswith(migration.PATTERNS)]
    assert [(each[0], each[6], each[8]) for each in compared] == [
        (name, "0", "0") for name in sorted(migration.PATTERNS)
    ]
    title = next(line for line in lines if line.endswith("products that the application has written meanwhile"))
    written = int(title.split(" ")[0].replace(",", ""))
    assert written > 0
    assert [line.split() for line in lines[-2:]] == [
        ["old", "tables", f"{written:,}", "0"],
        ["new", "table", f"{written:,}", "0"],
    ]
