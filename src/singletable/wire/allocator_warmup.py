"""Allocator warm-up: makes the C library keep memory blocks of the size of a page.

The C library of Linux keeps more free memory after a program has freed a large block. Before that, it returns the
memory of each page to the system and requests new memory for the next page. The system clears new memory, and this
takes as long as SQLite takes to read the page.
"""

from __future__ import annotations

from singletable.values.limits import PAGE_BYTES_MAX


def warm_up_allocator() -> None:
    """Allocate and free a block that holds a page as JSON; nothing writes to it, so it costs nothing."""
    bytes(2 * PAGE_BYTES_MAX)
