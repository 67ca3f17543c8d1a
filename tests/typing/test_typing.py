"""Type checking of user code: mypy --strict and pyright accept correct use and report each kind of misuse."""

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

from singletable.planner.plan import UnsupportedPattern
from singletable.planner.planner import plan_all

pytestmark = pytest.mark.slow

HERE = Path(__file__).resolve().parent
ACCEPTED = HERE / "accepted.py"
MISUSE = HERE / "misuse.py"
KINDS_OF_MISUSE_MIN = 14

_MARK = re.compile(r"  # (?P<by>misuse|mypy alone|pyright alone): (?P<name>.+)$")


@dataclass(frozen=True)
class Misuse:
    """A marked line: the kind of misuse, and the checkers that must report it."""

    line: int
    text: str
    name: str
    by: str

    def is_reported_by(self, checker: str) -> bool:
        return self.by in {"misuse", f"{checker} alone"}


def misuses() -> Iterator[Misuse]:
    for line, text in enumerate(MISUSE.read_text(encoding="utf-8").splitlines(), start=1):
        if mark := _MARK.search(text):
            yield Misuse(line, text.strip(), mark["name"], mark["by"])


@dataclass(frozen=True)
class Report:
    """The errors of one checker, by file and line."""

    checker: str
    errors: dict[str, dict[int, str]]

    def of(self, file: Path) -> dict[int, str]:
        return self.errors.get(file.name, {})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user project: the two files, the default settings of the checkers, and the installed singletable."""
    folder = tmp_path_factory.mktemp("project")
    package = folder / HERE.relative_to(HERE.parents[1])
    package.mkdir(parents=True)
    for file in (ACCEPTED, MISUSE):
        shutil.copy(file, package)
    config = {"include": [str(package.relative_to(folder))], "typeCheckingMode": "strict"}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def run(project: Path, *words: str) -> str:
    # Paths of the caller and update notices must not change the output of a checker.
    environment = {name: value for name, value in os.environ.items() if name not in {"MYPYPATH", "PYTHONPATH"}}
    environment |= {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYTHONUTF8": "1"}
    checked = subprocess.run(
        [sys.executable, "-m", *words], cwd=project, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    # Both exit with 1 for errors in the code, and with a higher code if they fail.
    assert checked.returncode in {0, 1}, checked.stdout + checked.stderr
    return checked.stdout


def mypy(project: Path) -> Iterator[tuple[str, int, str]]:
    words = ["--strict", "--no-error-summary", "--show-error-codes", "--output=json", "--explicit-package-bases"]
    # An empty name ignores configuration files of the machine.
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


def test_type_checkers_accept_correct_use(report: Report) -> None:
    compare(report, ACCEPTED, {})


def test_type_checkers_report_exactly_the_misuses(report: Report) -> None:
    expected = {misuse.line: misuse.text for misuse in misuses() if misuse.is_reported_by(report.checker)}
    compare(report, MISUSE, expected)


def test_every_typing_misuse_is_different() -> None:
    names = [misuse.name for misuse in misuses()]
    assert sorted(set(names)) == sorted(names)
    assert len([misuse for misuse in misuses() if misuse.by == "misuse"]) >= KINDS_OF_MISUSE_MIN


@pytest.mark.parametrize("file", [ACCEPTED, MISUSE], ids=lambda file: file.name)
def test_no_typing_error_is_suppressed(file: Path) -> None:
    assert not re.search(r"#\s*(type|pyright|mypy):", file.read_text(encoding="utf-8"))


def test_the_code_that_type_checkers_accept_is_a_valid_design() -> None:
    from tests.typing.accepted import Shop

    unsupported = [outcome.reason for outcome in plan_all(Shop.design) if isinstance(outcome, UnsupportedPattern)]
    assert not unsupported
