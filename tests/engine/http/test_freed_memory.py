"""A server keeps the memory of large responses, so that reusing it causes no page faults."""

import platform
import subprocess
import sys

import pytest

# Allocates and frees two megabytes in small pieces a hundred times. The system counts the page faults.
_PROGRAM = """
import resource, sys
from singletable.engine.http.freed_memory import keep_freed_memory
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


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting exists in glibc only")
def test_freed_memory_is_used_again_without_page_faults() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM, "kept"], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1000  # each iteration needs 700 pages
