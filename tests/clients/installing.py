"""Clients that nobody here wrote, installed at the versions pinned beside this file, each into a folder of its own.

The folders are kept under `.clients` at the root, named for what is in them, so that a second run finds them. Where a
registry cannot be reached, or a language is not on the machine, the test that asked is skipped and says so.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".clients"
INSTALL_SECONDS_MAX = 300
# Who could not be installed, and why: one does not ask again for every test.
_FAILED: dict[str, str] = {}
# What the package managers say when they reach nobody. Anything else that stops them is a fault of ours, and no skip.
_UNREACHABLE = (
    "connection broken",
    "Connection refused",
    "Could not resolve host",
    "Name or service not known",
    "Temporary failure in name resolution",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "ENETUNREACH",
    "ENOTFOUND",
    "ETIMEDOUT",
    "dial tcp",
    "i/o timeout",
)


def all_asked_for() -> bool:
    """Whether this is `make clients`, which takes its time; `make test` runs what installs in seconds."""
    return os.environ.get("CLIENTS") == "all"


def python_environment(name: str) -> Path:
    """The programs of a virtual environment with `python/NAME.txt` in it."""
    requirements = HERE / "python" / f"{name}.txt"

    def install(folder: Path) -> None:
        _run(name, sys.executable, "-m", "venv", "--without-pip", str(folder))
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(folder / "bin" / "python"))
        _run(name, *pip, "install", "--quiet", "--retries", "1", "--requirement", str(requirements))

    return _made(name, [requirements], install) / "bin"


def node_modules() -> Path:
    """The packages of `node/package.json`: all of them for `make clients`, without the development ones otherwise."""
    npm = program("npm")
    manifests = [HERE / "node" / "package.json", HERE / "node" / "package-lock.json"]
    name, left_out = ("node-all", []) if all_asked_for() else ("node", ["--omit=dev"])

    def install(folder: Path) -> None:
        folder.mkdir(parents=True)
        for manifest in manifests:
            shutil.copy(manifest, folder)
        quiet = ("--no-audit", "--no-fund", "--fetch-retries=1")
        _run(name, npm, "ci", "--ignore-scripts", *quiet, *left_out, cwd=folder)

    return _made(name, manifests, install) / "node_modules"


def go_program() -> Path:
    """The program of `go/main.go`, built with the modules of `go/go.mod`."""
    go = program("go")
    source = HERE / "go"

    def build(folder: Path) -> None:
        folder.mkdir(parents=True)
        _run("go", go, "build", "-o", str(folder / "client"), ".", cwd=source)

    return _made("go", sorted(source.glob("*")), build) / "client"


def program(*names: str) -> str:
    """The first of these programs that the machine has."""
    for name in names:
        if found := shutil.which(name):
            return found
    pytest.skip(f"there is no {' or '.join(names)} on this machine")


def _made(name: str, manifests: list[Path], install: Callable[[Path], None]) -> Path:
    """The folder that holds what the manifests name, made by whoever comes first."""
    if name in _FAILED:
        pytest.skip(_FAILED[name])
    named = hashlib.sha256(b"".join(manifest.read_bytes() for manifest in manifests)).hexdigest()[:12]
    folder = CACHE / f"{name}-{named}"
    CACHE.mkdir(exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "installed"
        if not done.exists():
            for old in CACHE.glob(f"{name}-{'[0-9a-f]' * 12}"):
                shutil.rmtree(old)
            install(folder)
            done.touch()
    return folder


def _run(name: str, *command: str, cwd: Path | None = None) -> None:
    try:
        finished = subprocess.run(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=INSTALL_SECONDS_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired:
        _give_up(name, f"{name} could not be installed within {INSTALL_SECONDS_MAX} seconds")
    if finished.returncode and any(words in finished.stdout for words in _UNREACHABLE):
        _give_up(name, f"{name} could not be installed: its registry cannot be reached")
    assert finished.returncode == 0, f"{' '.join(command)}\n{finished.stdout}"


def _give_up(name: str, reason: str) -> NoReturn:
    _FAILED[name] = reason
    pytest.skip(reason)
