"""Many threads can create decoders at once; with msgspec alone, the process crashes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src" / "singletable"

MANY_AT_ONCE = """
import sys, threading
import msgspec
from singletable.wire.api_types import decoder_of

sys.setswitchinterval(1e-7)
body = b'{"x": {"m19": {"a29": 1}}, "y": {"a29": 3}}'

def made():
    inner = msgspec.defstruct("Inner", [(f"a{n}", int | None, None) for n in range(30)])
    middle = msgspec.defstruct("Middle", [(f"m{n}", inner | None, None) for n in range(20)])
    return msgspec.defstruct("Outer", [("x", middle), ("y", inner)])

for _ in range(30):
    kind, start = made(), threading.Barrier(8)

    def read():
        start.wait()
        assert decoder_of(kind).decode(body).y.a29 == 3

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("all read")
"""


def test_many_threads_create_wire_decoders_of_one_type() -> None:
    finished = subprocess.run([sys.executable, "-c", MANY_AT_ONCE], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout) == (0, "all read\n"), finished.stderr


def test_every_wire_decoder_is_created_in_one_place() -> None:
    others = [
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if "json.Decoder(" in path.read_text(encoding="utf-8") and path.name != "api_types.py"
    ]
    assert others == []
