"""Helpers for importer tests: mutate documents, validate and load drafts, and find foreign code in a model."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from singletable.cli.import_nosql_workbench import import_workbench
from singletable.cli.import_output import CLIENT_NAMES
from singletable.cli.import_text import import_draft
from singletable.cli.load_model import load_tables
from singletable.importers.draft import Draft, DraftTable
from singletable.importers.draft_tree import draft_tree
from singletable.importers.python_source import model_source, python_source
from singletable.importers.restricted_tree import load_tree
from singletable.importers.workbench.design_draft import DesignExport, design_draft
from singletable.importers.workbench.workbench_import import FunctionModule, read_workbench_model
from singletable.model.design import Design
from singletable.verify.design_check import CheckReport, check

PUBLISHED = Path(__file__).parent / "published"
HOSTILE = st.sampled_from(
    [
        '"); import os; os.system("true") #',
        '"""\nimport os\n"""',
        "{__import__('os')}",
        "\\",
        "a\nb",
        "\u2028x = 1",
        "class",
        "Table",
        "date",
        "self",
        "",
        " ",
        "é",
        "\ud800",
        "x" * 300,
    ]
)
VALUES: st.SearchStrategy[Any] = st.one_of(
    HOSTILE,
    st.text(max_size=12),
    st.none(),
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(allow_nan=False),
    st.lists(st.one_of(HOSTILE, st.integers()), max_size=6),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)


def draft_of(design: Design, class_name: str = "T") -> DraftTable:
    """Return the draft of a design."""
    return design_draft([DesignExport(design, class_name)]).tables[0]


@contextmanager
def loaded_design(table: DraftTable) -> Generator[Design, None, None]:
    """Yield the design of a draft, loaded as validation loads it."""
    with load_tree(draft_tree(Draft(table.name, (table,))), CLIENT_NAMES) as names:
        yield names[table.class_name].design


def workbench_draft(text: str | bytes) -> Draft:
    """Return the draft of a document that singletable did not export."""
    _, draft = read_workbench_model(text)
    assert draft is not None
    return draft


def workbench_source(text: str | bytes, functions: FunctionModule | None = None) -> str:
    """Return the Python file of a document."""
    return model_source(import_workbench(text, functions))


def reports(draft: Draft, folder: Path) -> list[CheckReport]:
    """Validate the draft, write it, load the file and check it."""
    source = python_source(import_draft(draft))
    assert_only_declarations(source)
    path = folder / "imported_model.py"
    path.write_text(source, encoding="utf-8")
    return [check(table.design) for table in load_tables(str(path))]


def assert_only_declarations(source: str, classes: Collection[str] = ()) -> None:
    """Check that a model imports and calls only what an imported model may use, or its own classes."""
    ours = {"__future__", "builtins", "singletable"}
    modules = {"copy", "dataclasses", "datetime", "decimal", "enum", "functools", "typing", "uuid"} | ours
    calls: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        assert not isinstance(node, ast.Import)
        if isinstance(node, ast.ImportFrom):
            assert node.module in modules
        if isinstance(node, ast.Call) and not isinstance(node.func, ast.Call):
            calls.add(node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func).rsplit(".", 1)[-1])
    assert calls <= {
        *classes,
        *("entity", "pattern", "sparse", "native", "GSI", "LSI", "include", "field", "set", "get", "query", "put"),
        *("create", "update", "delete", "collection", "within", "geohash", "exists", "contains"),
        *("Decimal", "UUID", "fromisoformat", "frozenset", "partial", "dataclass_field", "add", "append", "remove"),
        *("begins_with", "not_", "one_of", "present", "shard", "bucket", "depth", "parent", "first_letter", "skewed"),
        *("copy", "count", "inverse", "ancestors"),
    }


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a document."""
    members = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in members:
        yield (*path, key)
        yield from places(value, (*path, key))


@st.composite
def mutated(draw: st.DrawFn, document: Any) -> Any:
    """Draw the document with one to three values replaced, removed or renamed."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        if not (left := list(places(changed))):
            break
        *way, last = draw(st.sampled_from(left))
        owner = changed
        for step in way:
            owner = owner[step]
        match draw(st.sampled_from(["replace", "replace", "remove", "rename"])):
            case "remove":
                del owner[last]
            case "rename" if isinstance(owner, dict):
                owner[draw(st.one_of(HOSTILE, st.text(max_size=6)))] = owner.pop(last)
            case _:
                owner[last] = draw(VALUES)
    return changed
