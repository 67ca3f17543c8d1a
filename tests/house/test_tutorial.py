"""Follow the tutorial as a reader does: copy files into a new folder, run the commands, compare the output.

The first line of a Python block names its file; a later block with the same name replaces the file. Commands of console
blocks run in bash. A line `...` in the output stands for any lines, and `...` inside a line for any text. Three things
differ from a reader's shell: the environment exists, so the test skips `python -m venv` and `pip install`; the port is
a free one; and the server stops at the end of the test.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sysconfig
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.house.test_docs_run import COLUMNS, TUTORIAL, stripped
from tools.pages import ROOT, Block, all_blocks_of

PORT = "8000"
HIDDEN = re.compile(r"PYTHONPATH|PYTEST_|HYPOTHESIS|COV_|AWS_|CLICOLOR|FORCE_COLOR|LINES|TTY_COMPATIBLE|SINGLETABLE")
LEFT_OUT = re.compile(r"mkdir |python -m venv |pip install ")
FILE_NAME = re.compile(r"# (?P<name>[\w.]+)\n")


def fits(shown: list[str], printed: list[str]) -> bool:
    """Return whether the printed lines match the lines on the page, with `...` as a wildcard."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(fits(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    pattern = ".*".join(re.escape(part) for part in shown[0].split("..."))
    # A line of dots at the start is the output of pytest, one dot per test.
    is_line = bool(printed) and (shown[0] == printed[0] or re.fullmatch(pattern, printed[0]) is not None)
    return is_line and fits(shown[1:], printed[1:])


def steps_of(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a console block, each with its documented output."""
    for step in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = step.partition("\n")
        yield command, stripped(output)


class Reader:
    """A reader who follows the page in a folder."""

    def __init__(self, folder: Path, port: str) -> None:
        self.folder = folder
        self.port = port
        self.status = 0
        self.environment = {name: value for name, value in os.environ.items() if not HIDDEN.match(name)}
        self.environment |= {
            "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]),
            "COLUMNS": str(COLUMNS),
            "NO_COLOR": "1",
            "PYTHONUTF8": "1",
            "TERM": "dumb",
        }

    def follow(self, block: Block, running: ExitStack) -> None:
        """Write the file or run the commands of a block."""
        if block.language == "python":
            named = FILE_NAME.match(block.text)
            assert named, f"line {block.line}: a block must begin with the name of its file"
            (self.folder / named["name"]).write_text(block.text.replace(PORT, self.port), encoding="utf-8")
        for command, shown in steps_of(block) if block.language == "console" else ():
            if LEFT_OUT.match(command):
                continue
            lines = [line.replace(PORT, self.port) for line in shown]
            printed = self.run(command.replace(PORT, self.port), running)
            assert fits(lines, printed), "\n".join([f"$ {command}", *printed])

    def run(self, command: str, running: ExitStack) -> list[str]:
        """Return the lines that a command prints; a command that ends with `&` keeps running after its first line."""
        if command == "echo $?":
            return [str(self.status)]
        if command.endswith("&"):
            return running.enter_context(self._server(command.removesuffix("&")))
        finished = self._start(command)
        printed, _ = finished.communicate(timeout=60)
        self.status = finished.returncode
        return stripped(printed)

    @contextmanager
    def _server(self, command: str) -> Iterator[list[str]]:
        with self._start(f"exec {command}") as server:
            assert server.stdout is not None
            try:
                yield stripped(server.stdout.readline())
            finally:
                server.terminate()

    def _start(self, command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def test_tutorial_works_when_every_block_is_copied(tmp_path: Path) -> None:
    reader = Reader(tmp_path, free_port())
    with ExitStack() as running:
        for block in (block for page in TUTORIAL for block in all_blocks_of(page)):
            reader.follow(block, running)
    assert {path.name for path in tmp_path.iterdir()} >= {"helpdesk.py", "helpdesk.db", "test_helpdesk.py"}


def test_tutorial_installs_existing_extras() -> None:
    installed = re.findall(
        r"pip install '(?:/path/to/)?singletable\[([\w,]+)\]'", TUTORIAL[0].read_text(encoding="utf-8")
    )
    assert len(installed) == 2, "one line for a checkout, one for the released package"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert installed[0] == installed[1]
    assert set(installed[0].split(",")) <= set(project["optional-dependencies"])


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a"], False),
        (["a"], ["a", "b"], False),
        (["...", "b"], ["x", "y", "b"], True),
        (["...", "b"], ["x", "y"], False),
        (["a", "..."], ["a"], True),
        (["2 passed in ...s"], ["2 passed in 0.31s"], True),
        (["2 passed in ...s"], ["1 failed, 1 passed in 0.31s"], False),
    ],
)
def test_an_ellipsis_in_the_tutorial_matches_any_output(shown: list[str], printed: list[str], same: bool) -> None:
    assert fits(shown, printed) is same
