"""The process requests the memory of a page from the system once, not for every page."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

TIMES = 40
# As the engine and the client do with a page: join its parts, and free all of them.
_REPEATED_PAGES = f"""
import resource, sys
__import__(sys.argv[1])
def page():
    return b"".join([b"x" * 60_000 for _ in range(int(sys.argv[2]))])
def touched():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    page()
before = touched()
for _ in range({TIMES}):
    page()
print((touched() - before) // {TIMES})
"""


def new_memory_pages(module: str, parts: int) -> int:
    """Return how many memory pages are new to the process for each page of items, after a module is imported."""
    command = [sys.executable, "-c", _REPEATED_PAGES, module, str(parts)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have rules of their own")
@pytest.mark.parametrize("parts", [9, 17])
@pytest.mark.parametrize("module", ["singletable.engine.items.page_reader", "singletable.client.http.response_parser"])
def test_allocator_warmup_lets_the_memory_of_a_page_be_reused_for_the_next(module: str, parts: int) -> None:
    assert new_memory_pages(module, parts) < 20  # more than 100 without the import
