"""Memory of the size of a page is taken from the system once, and not for every page."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

TIMES = 40
# What the engine and the client do with a page: parts of it are put together, and all of them are let go.
_AGAIN_AND_AGAIN = f"""
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


def touched_anew(module: str, parts: int) -> int:
    """How many pages of memory are touched for the first time with every page of items, where a module is loaded."""
    command = [sys.executable, "-c", _AGAIN_AND_AGAIN, module, str(parts)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have rules of their own")
@pytest.mark.parametrize("parts", [9, 17])
@pytest.mark.parametrize("module", ["singletable.engine.page", "singletable.client.http.answer"])
def test_the_memory_of_a_page_is_kept_for_the_next(module: str, parts: int) -> None:
    assert touched_anew(module, parts) < 20  # and more than 100 where neither is loaded
