"""Presence: nobody takes what another engine or process has under way for something that was left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from singletable.engine.storage.presence import Presence

HOLDS = """
import sys
from pathlib import Path
from singletable.engine.storage.presence import Presence
Presence(Path(sys.argv[1])).enter()
print("entered", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def is_alone(path: Path | None) -> bool:
    with Presence(path).alone() as alone:
        return alone


def test_who_finds_nobody_is_alone(path: Path) -> None:
    assert is_alone(path)
    assert is_alone(path)


def test_who_is_at_work_is_seen_until_all_of_it_has_ended(path: Path) -> None:
    worker = Presence(path)
    worker.enter()
    worker.enter()
    assert not is_alone(path)
    with worker.alone() as alone:
        assert not alone
    worker.leave()
    assert not is_alone(path)
    worker.leave()
    assert is_alone(path)


def test_several_may_be_at_work(path: Path) -> None:
    first, second = Presence(path), Presence(path)
    first.enter()
    second.enter()
    first.leave()
    assert not is_alone(path)
    second.leave()
    assert is_alone(path)


def test_another_process_is_seen_until_it_is_killed(path: Path) -> None:
    command = [sys.executable, "-c", HOLDS, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"entered\n"
        assert not is_alone(path)
        process.kill()
        process.wait()
        assert is_alone(path)


def test_a_store_in_memory_is_nobody_elses(tmp_path: Path) -> None:
    worker = Presence(None)
    worker.enter()
    with worker.alone() as alone:
        assert not alone
    worker.leave()
    with worker.alone() as alone:
        assert alone
    assert list(tmp_path.iterdir()) == []
