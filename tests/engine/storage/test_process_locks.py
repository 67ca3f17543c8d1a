"""The running-jobs lock shows jobs of other engines and processes until they end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from singletable.engine.storage.process_locks import RunningJobsLock

HOLD_LOCK = """
import sys
from pathlib import Path
from singletable.engine.storage.process_locks import RunningJobsLock
RunningJobsLock(Path(sys.argv[1])).enter()
print("entered", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def no_jobs_run(path: Path | None) -> bool:
    with RunningJobsLock(path).exclusive() as alone:
        return alone


def test_the_process_lock_for_running_jobs_is_free_without_jobs(path: Path) -> None:
    assert no_jobs_run(path)
    assert no_jobs_run(path)


def test_the_process_lock_shows_a_job_until_all_jobs_of_its_process_have_ended(path: Path) -> None:
    worker = RunningJobsLock(path)
    worker.enter()
    worker.enter()
    assert not no_jobs_run(path)
    with worker.exclusive() as alone:
        assert not alone
    worker.leave()
    assert not no_jobs_run(path)
    worker.leave()
    assert no_jobs_run(path)


def test_the_process_lock_for_running_jobs_allows_several_engines(path: Path) -> None:
    first, second = RunningJobsLock(path), RunningJobsLock(path)
    first.enter()
    second.enter()
    first.leave()
    assert not no_jobs_run(path)
    second.leave()
    assert no_jobs_run(path)


def test_the_process_lock_shows_a_job_of_another_process_until_the_process_is_killed(path: Path) -> None:
    command = [sys.executable, "-c", HOLD_LOCK, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"entered\n"
        assert not no_jobs_run(path)
        process.kill()
        process.wait()
        assert no_jobs_run(path)


def test_an_in_memory_store_creates_no_process_lock_file(tmp_path: Path) -> None:
    worker = RunningJobsLock(None)
    worker.enter()
    with worker.exclusive() as alone:
        assert not alone
    worker.leave()
    with worker.exclusive() as alone:
        assert alone
    assert list(tmp_path.iterdir()) == []
