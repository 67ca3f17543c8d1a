"""The second run of failed tests: a test that passes when it runs alone is reported as unsteady, and does not fail.

Some tests run threads, processes, sockets and real signals, and a busy machine can delay each of them. One delayed
test among 17,000 says nothing about a change, so `make test` runs up to `MOST` failed tests once more, one at a time.
A defect fails again: Hypothesis replays the example that failed. An unsteady test is a defect of the test: mend it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

FAILED = Path(".pytest_cache/v/cache/lastfailed")
MOST = 3


def second_run(status: int, failed_file: Path = FAILED) -> int:
    """Return the exit status of `make unit`, given the exit status of the first run."""
    failed = sorted(json.loads(failed_file.read_text())) if failed_file.is_file() else []
    if status != pytest.ExitCode.TESTS_FAILED or not 0 < len(failed) <= MOST:
        return status
    print(f"\nRunning the tests that failed once more, alone: {', '.join(failed)}", flush=True)
    again = int(pytest.main(failed))
    if again == pytest.ExitCode.OK:
        print(f"\nUNSTEADY: failed in the first run, passed alone: {', '.join(failed)}")
    return again


if __name__ == "__main__":
    sys.exit(second_run(int(sys.argv[1])))
