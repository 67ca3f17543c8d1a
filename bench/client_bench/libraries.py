"""Libraries of the contenders. Each has a fixed version, and its own virtual environment in a cache folder."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.client_bench.contenders import OURS
from bench.engine_bench.peers import install_from_pypi, version_of

PINS = {
    "aiodynamo": "aiodynamo[aiohttp]==26.4",
    "boto3": "boto3==1.44.0",
    "dyntastic": "dyntastic==0.18.0",
    "pydynox": "pydynox==1.8.0",
    "pynamodb": "pynamodb==6.1.0",
}


def python_of(library: str, cache: Path) -> Path:
    """Return the Python with a library, and install the library if necessary. Raise NotAvailable if that fails."""
    if library == OURS:
        return Path(sys.executable)
    if (python := cached_python(library, cache)) is not None:
        return python
    folder = folder_of(library, cache)
    folder.mkdir(parents=True, exist_ok=True)
    python_in(folder).unlink(missing_ok=True)  # the environment has another release, so it is rebuilt
    return install_from_pypi(folder, PINS[library], library)


def cached_python(library: str, cache: Path) -> Path | None:
    """Return the Python with the pinned release of a library, or None if it is not installed."""
    python = python_in(folder_of(library, cache))
    _, _, release = PINS[library].partition("==")
    return python if python.exists() and version_of(python, library) == release else None


def folder_of(library: str, cache: Path) -> Path:
    """Return the folder of the environment of a library."""
    return cache / f"client-{library}"


def python_in(folder: Path) -> Path:
    """Return the Python of an environment."""
    return folder / "bin" / "python"
