"""Fast paths: the exception for input that they do not handle, hit and miss counters, and the compiled module loader.

A fast path is a short cut for common, valid input. It returns the same result as the slow path, or raises
NotOnFastPath. `docs/explanation/fast-paths.md` has the rules.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, NamedTuple

PURE = "SINGLETABLE_PURE"
"""The environment variable that disables the compiled modules when it is set to 1."""


INTERFACE_VERSIONS = {
    "singletable.client.items._fast_rows": 2,
    "singletable.engine.items._fast_keys": 1,
    "singletable.engine.storage._fast_checksums": 2,
    "singletable.values._fast_sizes": 1,
}
"""The compiled modules, and the interface version of each module that the Python code expects."""


class NotOnFastPath(Exception):
    """The exception that a fast path raises for input that only the slow path handles."""


class FastPathCounts(NamedTuple):
    """How often a fast path handled its input (hits), and how often the slow path handled it (misses)."""

    hits: int
    """The number of requests, pages, items or keys that the fast path handled."""
    misses: int
    """The number of requests, pages, items or keys that the slow path handled instead."""


class FastPath:
    """The counters of one fast path. They are approximate, because threads increment them without a lock."""

    __slots__ = ("hits", "misses", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.hits = 0
        self.misses = 0
        _FAST_PATHS[name] = self


_FAST_PATHS: dict[str, FastPath] = {}


def fast_path_counts() -> dict[str, FastPathCounts]:
    """Return the counters of every fast path that this process has loaded, by name."""
    return {name: FastPathCounts(each.hits, each.misses) for name, each in sorted(_FAST_PATHS.items())}


def compiled_module(name: str) -> Any:
    """Return a compiled module, or None if it is missing, disabled, or has another interface version."""
    if os.environ.get(PURE, "0") not in ("", "0"):
        return None
    try:
        module = import_module(name)
    except ImportError:
        return None
    return module if getattr(module, "INTERFACE_VERSION", None) == INTERFACE_VERSIONS[name] else None


def missing_modules() -> str | None:
    """Return a message that lists the compiled modules that this process cannot use, or None if it can use all."""
    missing = [name for name in INTERFACE_VERSIONS if compiled_module(name) is None]
    return f"missing compiled modules: {', '.join(missing)}" if missing else None
