"""Settings of glibc's allocator: how much freed memory the server process keeps for its next response."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

# Parameter numbers from glibc's malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_FREED_BYTES_MAX = 64 * 1024 * 1024
_MAPPED_FROM_BYTES = 32 * 1024 * 1024  # the maximum that glibc allows


def keep_freed_memory() -> None:
    """Make glibc keep up to 64 MB of freed memory in the process. Do nothing on systems without glibc.

    The server reads a page of 1 MB as a thousand rows and joins them once. By default, glibc returns this memory to the
    system at once, and the next response must allocate it again. The allocation takes longer than reading the page from
    SQLite.
    """
    mallopt = _function_of_glibc("mallopt")
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _FREED_BYTES_MAX)
        mallopt(_MMAP_THRESHOLD, _MAPPED_FROM_BYTES)


def return_freed_memory() -> None:
    """Return all freed memory to the system, including memory between objects in use, which glibc otherwise keeps."""
    trim = _function_of_glibc("malloc_trim")
    if trim is not None:
        trim(0)


def _function_of_glibc(name: str) -> Any:
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
