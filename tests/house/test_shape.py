"""Rules on the shape of the source code: docstrings, lengths, evaluation of text, and imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.module_map import first_sentence

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
MODULES = sorted(SOURCE.rglob("*.py"))

FILE_LINES_MAX = 450
FUNCTION_LINES_MAX = 60
# About half of the imported modules are from the standard library (dataclasses, inspect, datetime, decimal). The limit
# leaves room for twice as many; importing a third-party library by accident exceeds it at once.
IMPORTED_MODULES_MAX = 150
CATCH_ALL_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}
# Functions that evaluate text, and the modules that may use them: they generate code only from names in the user's own
# model, never from data.
EVALUATORS = {"exec", "eval", "compile", "__import__", "literal_eval"}
EVALUATING = {
    "src/singletable/lazy_dataclass.py": "the constructor of a dataclass, from the names of its fields",
    "src/singletable/client/pattern.py": "a function with the parameters of a declared pattern",
    "src/singletable/client/items/row_columns.py": "the function that builds objects of a declared class from rows",
    "src/singletable/importers/restricted_tree.py": "an imported model, checked against an allowlist of syntax",
    "src/singletable/client/write/item_encoder.py": "the function that encodes objects of a declared class as items",
}
# Libraries for user classes, for AWS and for the terminal: each is loaded only when it is used.
NOT_IMPORTED = {"attr", "attrs", "boto3", "botocore", "msgspec", "pydantic", "rich", "starlette"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions_of(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def report(claim: str, offenders: list[str]) -> None:
    assert not offenders, "\n  ".join([claim, *offenders])


def test_every_module_docstring_starts_with_one_sentence() -> None:
    silent = [relative(path) for path in MODULES if first_sentence(path.read_text(encoding="utf-8")) is None]
    report("A module docstring starts with one sentence that describes the module and ends with a full stop:", silent)


def test_no_module_has_a_catch_all_name() -> None:
    found = [
        relative(path) for path in MODULES if CATCH_ALL_NAMES & set(path.relative_to(SOURCE).with_suffix("").parts)
    ]
    report("Name shared code after what it does:", found)


def test_every_file_is_short() -> None:
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    long = [f"{path}: {lines} lines" for path, lines in lengths.items() if lines > FILE_LINES_MAX]
    report(f"A file has at most {FILE_LINES_MAX} lines:", long)


def test_every_function_is_short() -> None:
    long = []
    for path in MODULES:
        for function in functions_of(path):
            lines = (function.end_lineno or function.lineno) - function.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                long.append(f"{relative(path)}:{function.lineno} {function.name}: {lines} lines")
    report(f"A function has at most {FUNCTION_LINES_MAX} lines:", long)


def evaluated_in(path: Path) -> list[str]:
    """Return the places where a module uses or mentions a function that evaluates text."""
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
    return [f"{relative(path)}:{line} {name}" for line, name in named if name in EVALUATORS]


def test_only_listed_modules_evaluate_text() -> None:
    found = {relative(path): places for path in MODULES if (places := evaluated_in(path))}
    report(
        "Never evaluate text that comes from data:",
        [place for path, places in found.items() if path not in EVALUATING for place in places],
    )
    assert found.keys() == EVALUATING.keys(), "an exception is no longer needed"


def test_the_list_of_modules_is_up_to_date() -> None:
    tool = ROOT / "tools" / "module_map.py"
    checked = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """Return the modules that `import singletable` loads in a new interpreter."""
    script = "import sys; before = set(sys.modules); import singletable; print(*(set(sys.modules) - before))"
    # Isolated (-I): neither the caller's PYTHONPATH nor the current folder may add or hide a module.
    started = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False)
    assert started.returncode == 0, started.stderr
    return set(started.stdout.split())


def test_importing_singletable_imports_no_library(imported: set[str]) -> None:
    libraries = sorted({name.partition(".")[0] for name in imported} & NOT_IMPORTED)
    report("`import singletable` must not load these:", libraries)


def test_importing_singletable_loads_few_modules(imported: set[str]) -> None:
    # A count is the same on every machine; a time is not.
    assert len(imported) < IMPORTED_MODULES_MAX, " ".join(sorted(imported))
