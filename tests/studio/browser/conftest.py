"""A headless Chromium, and studios that it can open; without a Chromium, the tests are skipped."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import PROGRAM, ROOT, environment

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP rebound.example 127.0.0.1",
]
STOP_SECONDS_MAX = 20


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser for one module: Playwright runs an event loop, which other tests must not find running."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed; set CHROMIUM to its path")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class RunningStudio:
    """`singletable studio` in its own process."""

    process: subprocess.Popen[str]
    link: str

    @property
    def origin(self) -> str:
        return self.link.partition("/?")[0]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(STOP_SECONDS_MAX)
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture(scope="module")
def start() -> Generator[Callable[..., RunningStudio], None, None]:
    """Start studios, and stop them at the end of the module."""
    started: list[RunningStudio] = []

    def run(*arguments: str | Path) -> RunningStudio:
        command = [PROGRAM, "studio", *arguments, "--no-browser"]
        process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        link = re.search(r"http://\S+", process.stdout.readline())
        assert link is not None
        started.append(RunningStudio(process, link[0]))
        return started[-1]

    yield run
    for each in started:
        each.stop()


@dataclass
class Window:
    """A browser window that records what must not happen: script errors, and requests to other hosts."""

    page: Any
    origin: str
    problems: list[str] = field(default_factory=list)

    def open(self, path: str) -> Any:
        """Open a page of the studio, and wait until its script has read what it shows first."""
        try:
            self.page.goto(self.origin + path)
        except playwright.Error as problem:
            # The overview loads itself again when its sample has been read, and that navigation can win.
            if "interrupted by another navigation" not in problem.message:
                raise
            self.page.goto(self.origin + path)
        self.page.wait_for_load_state("networkidle")
        return self.page


@pytest.fixture
def window(chromium: Any) -> Generator[Callable[..., Window], None, None]:
    """Sign in to a studio in a new window; at the end, no script has failed."""
    opened: list[tuple[Any, Window]] = []

    def sign_in(studio: RunningStudio, state: Any = None, **options: Any) -> Window:
        context = chromium.new_context(viewport={"width": 1280, "height": 860}, storage_state=state, **options)
        page = context.new_page()
        found = Window(page, studio.origin)
        page.on("pageerror", lambda error: found.problems.append(f"script error: {error}"))
        page.on("console", lambda line: _record(found, line))
        page.on("request", lambda sent: found.problems.extend([sent.url] * (not sent.url.startswith(studio.origin))))
        if state is None:
            page.goto(studio.link)
        opened.append((context, found))
        return found

    yield sign_in
    for context, found in opened:
        context.close()
        assert found.problems == []


def until(page: Any, expression: str, seconds: float = 20.0) -> None:
    """Wait until an expression is true; Playwright's own wait evaluates text in the page, which the page forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        time.sleep(0.05)


def _record(window: Window, line: Any) -> None:
    if line.type == "error":
        window.problems.append(f"console: {line.text}")
