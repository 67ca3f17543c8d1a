"""The shape of the code itself: what a reader may count on before opening a file."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.architecture_map import first_sentence

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
MODULES = sorted(SOURCE.rglob("*.py"))

FILE_LINES_MAX = 450
FUNCTION_LINES_MAX = 60
# It takes about one module of the standard library (dataclasses, inspect, datetime, decimal) for each of ours. This
# leaves room for twice as much; a library that slips in brings its hundred at once.
IMPORTED_MODULES_MAX = 150
DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc"}
# What turns text into code, and the modules that may: their text is made of the names of a model that the user's own
# program has declared, and of nothing that was read.
EVALUATORS = {"exec", "eval", "compile", "__import__", "literal_eval"}
EVALUATING = {
    "src/singletable/client/arguments.py": "a function with the parameters of a declared pattern",
    "src/singletable/client/items/columns.py": "the function that makes objects of a declared class out of rows",
    "src/singletable/client/write/encode.py": "the function that encodes objects of a declared class as items",
}
# The libraries that users' classes are made with, AWS's own, and the terminal: each is loaded by who asks for it.
NOT_IMPORTED = {"attr", "attrs", "boto3", "botocore", "msgspec", "pydantic", "rich", "starlette"}


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions_of(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def report(claim: str, offenders: list[str]) -> None:
    assert not offenders, "\n  ".join([claim, *offenders])


def test_every_module_opens_with_one_sentence() -> None:
    silent = [shown(path) for path in MODULES if first_sentence(path.read_text(encoding="utf-8")) is None]
    report("A module's docstring opens with one sentence that says what it holds, full stop included:", silent)


def test_no_module_is_a_drawer_for_everything() -> None:
    drawers = [shown(path) for path in MODULES if DRAWERS & set(path.relative_to(SOURCE).with_suffix("").parts)]
    report("What modules share is a step with a name of its own:", drawers)


def test_every_file_can_be_held_in_the_head() -> None:
    lengths = {shown(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    long = [f"{path}: {lines} lines" for path, lines in lengths.items() if lines > FILE_LINES_MAX]
    report(f"A file has at most {FILE_LINES_MAX} lines:", long)


def test_every_function_is_short() -> None:
    long = []
    for path in MODULES:
        for function in functions_of(path):
            lines = (function.end_lineno or function.lineno) - function.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                long.append(f"{shown(path)}:{function.lineno} {function.name}: {lines} lines")
    report(f"A function has at most {FUNCTION_LINES_MAX} lines:", long)


def evaluated_in(path: Path) -> list[str]:
    """The places where a module turns text into code, by calling what does or by speaking of it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = [(node.lineno, node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
    named += [
        (node.lineno, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "re")
    ]
    named += [
        (node.lineno, each.name) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for each in node.names
    ]
    return [f"{shown(path)}:{line} {name}" for line, name in named if name in EVALUATORS]


def test_no_text_becomes_code() -> None:
    found = {shown(path): places for path in MODULES if (places := evaluated_in(path))}
    report(
        "Nothing is evaluated that came from data:",
        [place for path, places in found.items() if path not in EVALUATING for place in places],
    )
    assert found.keys() == EVALUATING.keys(), "a module that evaluates nothing needs no exception"


def test_the_architecture_map_is_up_to_date() -> None:
    tool = ROOT / "tools" / "architecture_map.py"
    checked = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """What `import singletable` adds to an interpreter that has just started."""
    script = "import sys; before = set(sys.modules); import singletable; print(*(set(sys.modules) - before))"
    # Isolated (-I): neither the caller's PYTHONPATH nor the current folder may add or hide a module.
    started = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False)
    assert started.returncode == 0, started.stderr
    return set(started.stdout.split())


def test_importing_singletable_imports_no_library(imported: set[str]) -> None:
    libraries = sorted({name.partition(".")[0] for name in imported} & NOT_IMPORTED)
    report("`import singletable` must not load these:", libraries)


def test_importing_singletable_loads_few_modules(imported: set[str]) -> None:
    # Counted, not timed: a count is the same on every machine.
    assert len(imported) < IMPORTED_MODULES_MAX, " ".join(sorted(imported))
