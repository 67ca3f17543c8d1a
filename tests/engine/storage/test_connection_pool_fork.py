"""A forked child cannot use the stores of its parent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, sys
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused

Store.open(sys.argv[1] + ".closed").close()
store = Store.open(sys.argv[1])
if os.fork() == 0:
    for use in (store.reading, store.writing, lambda: Store.open(sys.argv[1])):
        try:
            with use():
                print("no error")
        except StoreRefused as error:
            print(error)
    for name in ("other", "closed"):
        with Store.open(f"{sys.argv[1]}.{name}"):
            print(name, "store opens")
    sys.stdout.flush()
    os._exit(0)
os.wait()
with store.writing() as connection:
    print(connection.execute("SELECT count(*) FROM meta").fetchone()[0])
store.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_cannot_use_an_open_connection_pool_and_the_parent_continues(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    command = [sys.executable, "-c", PROGRAM, f"file:{path}"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    message = f"{path} was open when this process was forked"
    assert output.count(message) == 3
    assert "no error" not in output
    assert output.endswith("other store opens\nclosed store opens\n4\n")
