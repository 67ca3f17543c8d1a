"""The memory of long answers: the allocator is told once that blocks as large as a page of items come and go.

The C library of Linux learns how much free memory is worth keeping from the largest block that was given back to it.
Before it has learned of one, the memory of every page goes back to the system and is asked of it anew, cleared byte by
byte, which takes as long as SQLite takes to read the page.
"""

from __future__ import annotations

from singletable.values.limits import PAGE_BYTES_MAX


def expect_pages() -> None:
    """Takes a block that holds a page as JSON, and gives it back; it is never touched, and so costs nothing."""
    bytes(2 * PAGE_BYTES_MAX)
