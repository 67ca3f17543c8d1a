"""A server keeps the memory of large answers: what it freed and asks for again is not handed out page by page."""

import platform
import subprocess
import sys

import pytest

# A hundred times two megabytes in small pieces, taken and given back; the faults are counted by the system.
_PROGRAM = """
import resource, sys
from singletable.engine.http.heap import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
def pages():
    return [bytes(1000) for _ in range(2000)], bytes(1_000_000)
for _ in range(3):
    pages()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(100):
    pages()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is one of glibc")
def test_freed_memory_is_used_again_without_page_faults() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM, "kept"], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1000  # each round takes 700 pages
