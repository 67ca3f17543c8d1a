"""Counters of fast paths, the loader of compiled modules, and a check that common requests stay on the fast paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from singletable.values import fast_path
from singletable.values.fast_path import (
    PURE,
    FastPath,
    FastPathCounts,
    compiled_module,
    fast_path_counts,
    missing_modules,
)
from tests.engine.table_requests import create, texts

SOURCES = Path(__file__).resolve().parents[2] / "src" / "singletable"


@pytest.fixture
def counted() -> Iterator[FastPath]:
    """A fast path of this test only."""
    yield FastPath("a test")
    del fast_path._FAST_PATHS["a test"]


def test_a_fast_path_counts_hits_and_misses(counted: FastPath) -> None:
    counted.hits += 2
    counted.misses += 1
    assert fast_path_counts()["a test"] == FastPathCounts(hits=2, misses=1)


def test_fast_path_counts_are_a_snapshot(counted: FastPath) -> None:
    before = fast_path_counts()
    counted.hits += 1
    assert before["a test"].hits == 0


def test_a_compiled_fast_path_module_that_cannot_be_imported_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fast_path.INTERFACE_VERSIONS, "singletable.no_such_module", 1)
    assert compiled_module("singletable.no_such_module") is None
    assert "singletable.no_such_module" in (missing_modules() or "")


def test_compiled_fast_path_modules_can_be_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PURE, "1")
    assert all(compiled_module(name) is None for name in fast_path.INTERFACE_VERSIONS)


def test_common_requests_stay_on_the_fast_paths() -> None:
    with Engine("memory:") as engine:
        create(engine)
        before = fast_path_counts()
        for number in range(5):
            item = {**texts(pk="a", sk=f"b{number}"), "n": {"N": "42"}, "m": {"M": {"x": {"L": [{"BOOL": True}]}}}}
            engine.call("PutItem", {"TableName": "table", "Item": item})
            engine.call("GetItem", {"TableName": "table", "Key": texts(pk="a", sk=f"b{number}")})
        after = fast_path_counts()
    for name, hits in (("item sizes", 5), ("stored keys", 10)):
        assert after[name].hits - before[name].hits >= hits, name
        assert after[name].misses == before[name].misses, name


def test_the_headers_of_compiled_fast_path_modules_have_no_function_bodies() -> None:
    for header in SOURCES.rglob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\)\s*\{", text), header


def test_compiled_fast_path_modules_use_heap_types_and_can_be_collected() -> None:
    for source in SOURCES.rglob("_fast_*.c"):
        text = source.read_text(encoding="utf-8")
        assert "static PyTypeObject" not in text, source
        assert text.count("Py_tp_traverse") == text.count("Py_tp_clear"), source
        assert text.count(".m_traverse") == text.count(".m_clear") == text.count("PyModuleDef_HEAD_INIT"), source
        assert text.count("Py_mod_gil") == text.count("PyModuleDef_HEAD_INIT"), source


def test_every_compiled_fast_path_module_is_built_and_expected() -> None:
    sources = {path.stem for path in SOURCES.rglob("_fast_*.pyi")}
    assert sources == {name.rpartition(".")[2] for name in fast_path.INTERFACE_VERSIONS}
