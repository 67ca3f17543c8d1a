"""What tests of imports share: mutated documents, drafts that were proved and loaded, and a look for foreign code."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from singletable.cli.import_text import find_objections
from singletable.cli.load_model import load_tables
from singletable.drafts.draft import Draft
from singletable.drafts.proved import proved
from singletable.drafts.python_source import python_source
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


def reports(draft: Draft, folder: Path, *, are_proposed: bool = False) -> list[CheckReport]:
    """The draft, proved, written, loaded as a file and checked."""
    source = python_source(proved(draft, find_objections, are_proposed=are_proposed))
    assert_only_declarations(source)
    path = folder / "imported_model.py"
    path.write_text(source, encoding="utf-8")
    return [check(table.design) for table in load_tables(str(path))]


def assert_only_declarations(source: str, classes: Collection[str] = ()) -> None:
    """A model imports, declares and calls nothing but what drafts are written with, and its own classes."""
    ours = {"__future__", "singletable"}
    modules = {"copy", "dataclasses", "datetime", "decimal", "enum", "functools", "typing", "uuid"} | ours
    calls: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        assert not isinstance(node, ast.Import)
        if isinstance(node, ast.ImportFrom):
            assert node.module in modules
        if isinstance(node, ast.Call):
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
    """The path of every value inside a document."""
    members = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in members:
        yield (*path, key)
        yield from places(value, (*path, key))


@st.composite
def mutated(draw: st.DrawFn, document: Any) -> Any:
    """The document with one to three of its values replaced, taken out, or under another name."""
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
