"""Install third-party clients at pinned versions, each into its own folder.

The folders are below `.clients` at the root, named by a hash of their manifests, so that the next run reuses them. A
test is skipped when a registry cannot be reached or a language is not installed.
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
# Failed installations and their reasons, so that each is tried only once.
_FAILED: dict[str, str] = {}
# Messages of package managers without a network. Any other failure is an error in our manifests and fails the test.
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


def runs_all_clients() -> bool:
    """Return whether to run every client, as `make clients` does.

    `make test` runs clients that install within seconds.
    """
    return os.environ.get("CLIENTS") == "all"


def python_environment(name: str) -> Path:
    """Return the `bin` folder of a virtual environment with the requirements `python/NAME.txt`."""
    requirements = HERE / "python" / f"{name}.txt"

    def install(folder: Path) -> None:
        _run(name, sys.executable, "-m", "venv", "--without-pip", str(folder))
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(folder / "bin" / "python"))
        _run(name, *pip, "install", "--quiet", "--retries", "1", "--requirement", str(requirements))

    return _installed_folder(name, [requirements], install) / "bin"


def node_modules() -> Path:
    """Return the installed packages of `node/package.json`. Only `make clients` has the development packages."""
    npm = program("npm")
    manifests = [HERE / "node" / "package.json", HERE / "node" / "package-lock.json"]
    name, options = ("node-all", []) if runs_all_clients() else ("node", ["--omit=dev"])

    def install(folder: Path) -> None:
        folder.mkdir(parents=True)
        for manifest in manifests:
            shutil.copy(manifest, folder)
        quiet = ("--no-audit", "--no-fund", "--fetch-retries=1")
        _run(name, npm, "ci", "--ignore-scripts", *quiet, *options, cwd=folder)

    return _installed_folder(name, manifests, install) / "node_modules"


def go_program() -> Path:
    """Return the program of `go/main.go`, built with the modules of `go/go.mod`."""
    go = program("go")
    source = HERE / "go"

    def build(folder: Path) -> None:
        folder.mkdir(parents=True)
        _run("go", go, "build", "-o", str(folder / "client"), ".", cwd=source)

    return _installed_folder("go", sorted(source.glob("*")), build) / "client"


def program(*names: str) -> str:
    """Return the path of the first installed program. If there is none, skip the test."""
    for name in names:
        if found := shutil.which(name):
            return found
    pytest.skip(f"{' or '.join(names)} is not installed")


def _installed_folder(name: str, manifests: list[Path], install: Callable[[Path], None]) -> Path:
    """Return the folder with the packages of the manifests. The first caller installs them."""
    if name in _FAILED:
        pytest.skip(_FAILED[name])
    digest = hashlib.sha256(b"".join(manifest.read_bytes() for manifest in manifests)).hexdigest()[:12]
    folder = CACHE / f"{name}-{digest}"
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
    if finished.returncode and any(message in finished.stdout for message in _UNREACHABLE):
        _give_up(name, f"{name} could not be installed: its registry cannot be reached")
    assert finished.returncode == 0, f"{' '.join(command)}\n{finished.stdout}"


def _give_up(name: str, reason: str) -> NoReturn:
    _FAILED[name] = reason
    pytest.skip(reason)
