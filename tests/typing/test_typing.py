"""The types as users meet them: mypy --strict and pyright accept correct use and report each kind of misuse."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from singletable.planner.plan import Refusal
from singletable.planner.planner import plan_all

HERE = Path(__file__).resolve().parent
ACCEPTED = HERE / "accepted.py"
MISUSE = HERE / "misuse.py"
KINDS_OF_MISUSE_MIN = 14

_MARK = re.compile(r"  # (?P<by>misuse|mypy alone|pyright alone): (?P<name>.+)$")


@dataclass(frozen=True)
class Misuse:
    """A marked line: what is wrong with it, and which of the checkers must say so."""

    line: int
    text: str
    name: str
    by: str

    def is_seen_by(self, checker: str) -> bool:
        return self.by in {"misuse", f"{checker} alone"}


def misuses() -> Iterator[Misuse]:
    for line, text in enumerate(MISUSE.read_text(encoding="utf-8").splitlines(), start=1):
        if mark := _MARK.search(text):
            yield Misuse(line, text.strip(), mark["name"], mark["by"])


@dataclass(frozen=True)
class Report:
    """What one checker said, by file and line."""

    checker: str
    errors: dict[str, dict[int, str]]

    def of(self, file: Path) -> dict[int, str]:
        return self.errors.get(file.name, {})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's own project: the two files, the checkers' defaults, and singletable as it is installed."""
    folder = tmp_path_factory.mktemp("project")
    package = folder / HERE.relative_to(HERE.parents[1])
    package.mkdir(parents=True)
    for file in (ACCEPTED, MISUSE):
        shutil.copy(file, package)
    config = {"include": [str(package.relative_to(folder))], "typeCheckingMode": "strict"}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def run(project: Path, *words: str) -> str:
    # Neither paths of the caller's own nor news of another release may add to what a checker says.
    environment = {name: value for name, value in os.environ.items() if name not in {"MYPYPATH", "PYTHONPATH"}}
    environment |= {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYTHONUTF8": "1"}
    checked = subprocess.run(
        [sys.executable, "-m", *words], cwd=project, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    # Both exit with 1 for errors in the code, and with more when they could not check it.
    assert checked.returncode in {0, 1}, checked.stdout + checked.stderr
    return checked.stdout


def mypy(project: Path) -> Iterator[tuple[str, int, str]]:
    words = ["--strict", "--no-error-summary", "--show-error-codes", "--output=json", "--explicit-package-bases"]
    # An empty name keeps configurations of the machine out.
    output = run(project, "mypy", "--config-file=", f"--cache-dir={project / 'cache'}", *words, "tests")
    for each in map(json.loads, output.splitlines()):
        if each["severity"] == "error":
            yield each["file"], each["line"], f"{each['message']} [{each['code']}]"


def pyright(project: Path) -> Iterator[tuple[str, int, str]]:
    output = run(project, "pyright", "--outputjson", "--project", str(project), "--pythonpath", sys.executable)
    for each in json.loads(output)["generalDiagnostics"]:
        if each["severity"] == "error":
            yield each["file"], each["range"]["start"]["line"] + 1, f"{each['message']} [{each.get('rule', 'error')}]"


Checker = Callable[[Path], Iterator[tuple[str, int, str]]]


@pytest.fixture(scope="module", params=[mypy, pyright], ids=lambda checker: checker.__name__)
def report(request: pytest.FixtureRequest, project: Path) -> Report:
    checker: Checker = request.param
    errors: dict[str, dict[int, str]] = {}
    for file, line, text in checker(project):
        of_file = errors.setdefault(Path(file).name, {})
        of_file[line] = f"{of_file[line]}; {text}" if line in of_file else text
    return Report(request.param.__name__, errors)


def compare(report: Report, file: Path, expected: dict[int, str]) -> None:
    reported = report.of(file)
    missing = [f"  line {line}, not reported: {text}" for line, text in expected.items() if line not in reported]
    surplus = [f"  line {line}, surplus: {text}" for line, text in sorted(reported.items()) if line not in expected]
    if missing or surplus:
        pytest.fail("\n".join([f"{report.checker} on {file.name}:", *missing, *surplus]), pytrace=False)


def test_a_checker_accepts_correct_use(report: Report) -> None:
    compare(report, ACCEPTED, {})


def test_a_checker_reports_the_misuses_and_nothing_else(report: Report) -> None:
    expected = {misuse.line: misuse.text for misuse in misuses() if misuse.is_seen_by(report.checker)}
    compare(report, MISUSE, expected)


def test_every_misuse_is_of_another_kind() -> None:
    names = [misuse.name for misuse in misuses()]
    assert sorted(set(names)) == sorted(names)
    assert len([misuse for misuse in misuses() if misuse.by == "misuse"]) >= KINDS_OF_MISUSE_MIN


@pytest.mark.parametrize("file", [ACCEPTED, MISUSE], ids=lambda file: file.name)
def test_nothing_is_hidden_from_the_checkers(file: Path) -> None:
    assert not re.search(r"#\s*(type|pyright|mypy):", file.read_text(encoding="utf-8"))


def test_what_the_checkers_accept_is_a_design_that_can_be_served() -> None:
    from tests.typing.accepted import Shop

    refused = [outcome.reason for outcome in plan_all(Shop.design) if isinstance(outcome, Refusal)]
    assert not refused
