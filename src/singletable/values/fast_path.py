"""Fast paths: the exception for input that they do not handle, hit and miss counters, and the compiled module loader.

A fast path is a short cut for common, valid input: it returns what the slow path would return, or raises NotOnFastPath.
`docs/explanation/fast-paths.md` has the rules.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, NamedTuple

PURE = "SINGLETABLE_PURE"
"""The environment variable that disables the compiled modules when it is set to 1."""


INTERFACE_VERSIONS = {
    "singletable.client.items._fast_rows": 1,
    "singletable.engine.items._fast_keys": 1,
    "singletable.values._fast_sizes": 1,
}
"""The compiled modules, each with the version of its interface that the Python code expects."""


class NotOnFastPath(Exception):
    """The fast path does not handle this input; the slow path does."""


class FastPathCounts(NamedTuple):
    """How often a fast path handled its input (hits), and how often the slow path handled it (misses)."""

    hits: int
    """The number of requests, pages, items or keys that the fast path handled."""
    misses: int
    """The number of requests, pages, items or keys that the slow path handled instead."""


class FastPath:
    """The counters of one fast path, which its callers increment; concurrent threads may lose single counts."""

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
    """Return a compiled module; return None if it is missing, disabled, or has another interface version."""
    if os.environ.get(PURE, "0") not in ("", "0"):
        return None
    try:
        module = import_module(name)
    except ImportError:
        return None
    return module if getattr(module, "INTERFACE_VERSION", None) == INTERFACE_VERSIONS[name] else None


def missing_modules() -> str | None:
    """Return a sentence naming the compiled modules that cannot be imported; None when all can."""
    missing = [name for name in INTERFACE_VERSIONS if compiled_module(name) is None]
    return f"missing compiled modules: {', '.join(missing)}" if missing else None
