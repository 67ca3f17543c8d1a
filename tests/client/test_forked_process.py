"""Client calls in a forked child, after the parent has made the same calls."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.places import OURS, server

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

PROGRAM = """
import os, sys
from dataclasses import dataclass
from singletable import StoreRefused, Table, entity, key

@entity(key=("NOTE#{id}", "METADATA"))
@dataclass
class Note:
    id: str

class Notes(Table, entities=[Note]):
    pass

def use(table, name):
    table.put_many([Note(f"{name}{number:02}") for number in range(60)])
    found = table.get_many([key(Note, id=f"{name}{number:02}") for number in range(60)])
    assert [note.id for note in found] == [f"{name}{number:02}" for number in range(60)]
    return len(list(table.scan(Note, reason="test", segments=4)))

table = Notes.open(sys.argv[1], create=True)
print("parent", use(table, "a"), flush=True)
if os.fork() == 0:
    try:
        print("child", use(table, "b"), flush=True)
    except StoreRefused as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
print("parent", use(table, "c"), flush=True)
table.close()
"""


def output_of(url: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, url]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def test_a_forked_process_calls_a_server_that_its_parent_uses(tmp_path: Path) -> None:
    with server(OURS, tmp_path) as url:
        assert output_of(url) == ["parent 60", "child 120", "parent 180"]


def test_a_forked_process_has_its_own_copy_of_an_engine_in_memory() -> None:
    assert output_of("memory:") == ["parent 60", "child 120", "parent 120"]


def test_a_forked_process_cannot_use_the_store_file_of_its_parent(tmp_path: Path) -> None:
    first, refused, remedy, last = output_of(f"file:{tmp_path / 'store.db'}")
    assert (first, last) == ("parent 60", "parent 120")
    assert "was open when this process was forked; a forked child cannot use it" in refused
    assert remedy.startswith("  Open the store in each process after the fork")
