"""Keeps the memory of a large answer for the next one, where the C library would hand it back page by page.

A page of 1 MB is read as a thousand rows and put together once. glibc returns that memory to the system as soon as it
is free, and the next answer pays for all of it anew, which was measured to take longer than reading it from SQLite.
"""

from __future__ import annotations

import ctypes
import sys

# By the numbers that glibc's malloc.h has for them.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3

KEPT_BYTES = 64 * 1024 * 1024
MAPPED_FROM_BYTES = 32 * 1024 * 1024  # the most that glibc allows


def keep_freed_memory() -> None:
    """Has the process keep up to 64 MB that it freed; does nothing where there is no such setting."""
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, MAPPED_FROM_BYTES)
