"""The libraries of the contenders: each in an environment of its own below a cache folder, at one release."""

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
    """The Python that has a library, which is installed when it is not there; raises NotAvailable."""
    if library == OURS:
        return Path(sys.executable)
    if (kept := cached(library, cache)) is not None:
        return kept
    folder = folder_of(library, cache)
    folder.mkdir(parents=True, exist_ok=True)
    python_in(folder).unlink(missing_ok=True)  # of another release: made anew
    return install_from_pypi(folder, PINS[library], library)


def cached(library: str, cache: Path) -> Path | None:
    """The Python that has a library at its release already."""
    python = python_in(folder_of(library, cache))
    _, _, release = PINS[library].partition("==")
    return python if python.exists() and version_of(python, library) == release else None


def folder_of(library: str, cache: Path) -> Path:
    """Where a library is installed."""
    return cache / f"client-{library}"


def python_in(folder: Path) -> Path:
    """The Python of an environment."""
    return folder / "bin" / "python"
