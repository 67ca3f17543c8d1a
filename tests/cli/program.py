"""The installed `singletable` program, run in the same way as by a user."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from tests.cli.forked_program import run_forked

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sysconfig.get_path("scripts")) / "singletable"
# Variables that one developer's shell may set and another's does not.
_HIDDEN = {"CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "LINES", "PYTHONIOENCODING", "PYTHONUNBUFFERED", "PYTHONUTF8"}


def environment(**added: str) -> dict[str, str]:
    """Return the environment of a plain shell, with the variables that a test adds."""
    return {name: value for name, value in os.environ.items() if name not in _HIDDEN} | added


def singletable(
    *arguments: str | Path,
    cwd: Path = ROOT,
    stdout: int | IO[str] = subprocess.PIPE,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the program: in a fork that saves its imports, or in a process of its own if `stdout` or `env` is given."""
    if stdout == subprocess.PIPE and env is None and hasattr(os, "fork"):
        return run_forked([str(argument) for argument in arguments], cwd, environment(), ROOT)
    return subprocess.run(
        [PROGRAM, *arguments],
        cwd=cwd,
        env=env if env is not None else environment(),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def refused(finished: subprocess.CompletedProcess[str]) -> str:
    """Return the error message for invalid input: on stderr, with exit code 2 and without a traceback."""
    said = f"stdout:\n{finished.stdout}\nstderr:\n{finished.stderr}"
    assert "Traceback" not in said, said
    assert finished.returncode == 2, f"exit code {finished.returncode}\n{said}"
    assert finished.stdout == "", said
    assert finished.stderr.strip(), "the program said nothing"
    return finished.stderr
