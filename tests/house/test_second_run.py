"""The second run of failed tests, on small suites of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUITE = """
from pathlib import Path

def test_sound(): pass

def test_fails_the_first_time():
    seen = Path("seen")
    before = seen.exists()
    seen.touch()
    assert before
"""
BROKEN = "\ndef test_broken(): assert False\n"


def run(folder: Path, suite: str) -> subprocess.CompletedProcess[str]:
    """Both runs of `make unit`, in an empty folder that contains this suite."""
    (folder / "test_suite.py").write_text(suite)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "tools").symlink_to(Path(__file__).parents[2] / "tools")
    first = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "test_suite.py"], cwd=folder, capture_output=True, check=False
    )
    arguments = [sys.executable, "-m", "tools.second_run", str(first.returncode)]
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)


def test_the_second_run_names_a_test_that_passes_alone_as_unsteady(tmp_path: Path) -> None:
    second = run(tmp_path, SUITE)
    assert second.returncode == 0
    assert "UNSTEADY: failed in the first run, passed alone: test_suite.py::test_fails_the_first_time" in second.stdout


def test_a_test_that_fails_again_fails_the_run(tmp_path: Path) -> None:
    second = run(tmp_path, SUITE + BROKEN)
    assert second.returncode == 1
    assert "UNSTEADY" not in second.stdout


def test_the_second_run_does_not_repeat_many_failures(tmp_path: Path) -> None:
    second = run(tmp_path, SUITE + "".join(BROKEN.replace("broken", f"broken_{number}") for number in range(3)))
    assert second.returncode == 1
    assert second.stdout == ""


def test_an_interrupted_run_is_not_repeated(tmp_path: Path) -> None:
    second = run(tmp_path, "import no_such_module")
    assert second.returncode == 2
    assert second.stdout == ""
