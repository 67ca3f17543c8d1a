"""One name, one meaning: no two source files and no two public classes share a name, and tests name their subject."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.house.language import EMPTY_NAMES

TESTS = Path(__file__).resolve().parents[1]
SOURCE = TESTS.parent / "src" / "singletable"
MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if path.name != "__init__.py"]

# Names that two modules share on purpose, with the reason.
ALLOWED_FILES = {
    "design": "the command `design`, and the compiled design of a table, which is the older name",
    "query": "the command `query`, and DynamoDB's action Query",
}
ALLOWED_CLASSES: dict[str, str] = {}


def relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def shared(places: dict[str, list[str]], allowed: dict[str, str]) -> list[str]:
    return [f"{name}: {', '.join(where)}" for name, where in places.items() if len(where) > 1 and name not in allowed]


def test_no_two_source_files_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        places[path.stem].append(relative(path))
    assert not (found := shared(places, ALLOWED_FILES)), "\n  ".join(["Rename one of each:", *found])
    assert all(len(places[name]) > 1 for name in ALLOWED_FILES), "an exception is no longer needed"


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(relative(path))
    assert not (found := shared(places, ALLOWED_CLASSES)), "\n  ".join(["Rename one of each:", *found])
    assert all(len(places[name]) > 1 for name in ALLOWED_CLASSES), "an exception is no longer needed"


def test_file_names_describe_the_content() -> None:
    assert [relative(path) for path in MODULES if path.stem in EMPTY_NAMES] == []


def test_no_test_name_starts_with_the_place_instead_of_the_subject() -> None:
    found = [
        f"{path.relative_to(TESTS).as_posix()}: {node.name}"
        for path in sorted(TESTS.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_in_")
    ]
    assert not found, "\n  ".join(["Begin with the subject: test_SUBJECT_does_SOMETHING:", *found])
