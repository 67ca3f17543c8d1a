"""Run the documentation: execute every Python block and compare the output of every `$ singletable` command.

The Python blocks of a page form one program, which runs in an empty folder. Commands run at the root of the
repository, 100 columns wide and without colours; `$ echo $?` after a command shows its exit status. Commands of other
programs do not run here. tests/clients runs those of docs/guides/clients.md, and test_tutorial.py those of
docs/tutorial.md and docs/tutorial-run.md.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import boto3  # type: ignore[import-untyped]
import pytest

from tests.clients.local_server import serve
from tests.clients.shop import create_shop
from tools.pages import DOCS, PAGES, README, ROOT, Block, blocks_of, module_of, name_of, run_python

# The tutorial needs its own folder, several files and a server: test_tutorial.py runs it.
TUTORIAL = (DOCS / "tutorial.md", DOCS / "tutorial-run.md")
RUN_HERE = [page for page in PAGES if page not in TUTORIAL]
COLUMNS = 100


@dataclass(frozen=True)
class Command:
    """A command of a console block, its documented output, and its exit status if the page shows it."""

    page: Path
    line: int
    words: tuple[str, ...]
    output: str
    status: str | None = None

    def __str__(self) -> str:
        return f"{name_of(self.page)}:{self.line}"


def commands_of(block: Block) -> Iterator[Command]:
    lines = block.text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        words = tuple(shlex.split(lines[start].removeprefix("$ "), comments=True))
        yield Command(block.page, block.line + start, words, "\n".join(lines[start + 1 : end]))


def our_commands_of(page: Path) -> Iterator[Command]:
    for block in blocks_of(page, "console"):
        commands = list(commands_of(block))
        for command, following in zip(commands, [*commands[1:], None], strict=True):
            if command.words[:1] == ("singletable",):
                shown = following is not None and following.words == ("echo", "$?")
                yield replace(command, status=following.output.strip() if following and shown else None)


def stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def run(words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    hidden = {"CLICOLOR_FORCE", "FORCE_COLOR", "LINES", "PYTHONPATH", "TTY_COMPATIBLE"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"COLUMNS": str(COLUMNS), "NO_COLOR": "1", "PYTHONUTF8": "1", "TERM": "dumb"}
    program = Path(sysconfig.get_path("scripts")) / words[0]
    return subprocess.run(
        [program, *words[1:]],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def test_the_docs_have_a_readme_with_code() -> None:
    assert README.is_file()


def test_pages_of_subfolders_run_too() -> None:
    assert DOCS / "patterns" / "geo.md" in RUN_HERE


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_fence_of_a_docs_page_is_closed(page: Path) -> None:
    fences = re.findall(r"^```", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) % 2 == 0, "A block without an end would not run."


@pytest.fixture
def _server_for_the_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start a server, set variables and create a table, as docs/guides/clients.md describes."""
    if page.name != "clients.md":
        yield
        return
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    with serve(tmp_path / "served.db") as served:
        create_shop(served)
        for name, value in served.environment(tmp_path).items():
            monkeypatch.setenv(name, value)
        yield


@pytest.fixture
def _log_settings() -> Iterator[None]:
    """Restore the loggers that a page configures, because later tests in this process count the calls of a request."""
    names = ("singletable", "singletable.requests")
    before = [
        (logging.getLogger(name), logging.getLogger(name).level, list(logging.getLogger(name).handlers))
        for name in names
    ]
    yield
    for logger, level, handlers in before:
        logger.setLevel(level)
        logger.handlers[:] = handlers


@pytest.mark.usefixtures("_server_for_the_page", "_log_settings")
@pytest.mark.parametrize("page", RUN_HERE, ids=name_of)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_of(page)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for _ in run_python(page, module, tmp_path):
        pass


@pytest.mark.parametrize("command", [command for page in RUN_HERE for command in our_commands_of(page)], ids=str)
def test_a_command_in_the_docs_prints_what_the_page_shows(command: Command) -> None:
    finished = run(command.words)
    assert stripped(finished.stdout) == stripped(command.output), f"{command}\n{finished.stdout}"
    assert command.status in {None, str(finished.returncode)}, f"{command} exits with {finished.returncode}"
