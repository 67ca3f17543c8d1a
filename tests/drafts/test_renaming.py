"""Two tables of one file have classes of their own, and everything that names them follows."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from singletable.cli.load_model import load_tables
from singletable.drafts.draft import Draft
from singletable.drafts.python_source import python_source
from singletable.drafts.renaming import distinct
from tests.drafts.drafted_features import FEATURES
from tests.drafts.same_model import said


@pytest.mark.parametrize("name", FEATURES)
def test_a_table_that_stands_in_a_file_twice_says_the_same_twice(name: str) -> None:
    table = FEATURES[name]
    twice = tuple(distinct([table, replace(table, name=f"{table.name} too")]))
    names = [{each.class_name for each in one.entities} | {each.class_name for each in one.classes} for one in twice]
    assert names[0].isdisjoint(names[1])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "both_tables.py"
        file.write_text(python_source(Draft("Both", twice)), encoding="utf-8")
        first, second = map(said, load_tables(str(file)))
    assert second["settings"]["name"] == f"{table.name} too"
    if table.type_attribute is not None:
        assert [each["name"] for each in second["entities"]] == [each["name"] for each in first["entities"]]
    assert second["plans"] == first["plans"]
    assert [each["parameters"] and len(each["parameters"]) for each in second["patterns"]] == [
        each["parameters"] and len(each["parameters"]) for each in first["patterns"]
    ]


def test_a_table_with_names_of_its_own_keeps_them() -> None:
    table = FEATURES["classes and conditions"]
    assert list(distinct([table])) == [table]
