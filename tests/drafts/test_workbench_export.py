"""A model that is exported to NoSQL Workbench and imported again is the same model, with the same plans."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from singletable import Table
from singletable.cli.load_model import load_tables
from singletable.drafts.draft import DraftTable
from singletable.drafts.from_design import draft_of
from singletable.drafts.python_source import python_source
from singletable.drafts.workbench import draft_from_workbench
from singletable.drafts.workbench_export import ExportedModel, to_workbench
from singletable.engine.engine import Engine
from singletable.verify.check import check
from singletable.verify.worksheet import worksheet
from tests.drafts.example_tables import EXAMPLES

TABLES = [example.table for example in EXAMPLES]
# Functions, which no document carries: there a computed key is a field with the function's values, and items of
# older schema versions are not upgraded.
COMPUTED = {"ShopByFunction", "SecondRelease"}


def exported(table: type[Table]) -> str:
    return to_workbench("Models", [ExportedModel(table.design, table.__name__, table.__doc__ or "")])


def without_docs(draft: DraftTable) -> DraftTable:
    return replace(draft, doc="", notes=(), entities=tuple(replace(each, doc="") for each in draft.entities))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_what_was_exported_is_imported_as_the_same_model(table: type[Table], tmp_path: Path) -> None:
    file = tmp_path / "again.py"
    file.write_text(python_source(draft_from_workbench(exported(table))), encoding="utf-8")
    (again,) = load_tables(str(file))
    if table.__name__ not in COMPUTED:
        assert without_docs(draft_of(again.design, again.__name__)) == without_docs(
            draft_of(table.design, table.__name__)
        )
        assert [_plan(row) for row in _rows(again)] == [_plan(row) for row in _rows(table)]
    else:
        assert all(row.verdict != "refused" for row in _rows(again))


def _rows(table: type[Table]) -> Any:
    return worksheet(table.design, check(table.design).outcomes)


def _plan(row: Any) -> tuple[str, ...]:
    return (row.pattern, row.operation, row.index, row.key_condition, row.sort, row.limit, row.verdict)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_entity_has_a_facet_with_rows_that_the_table_takes(table: type[Table]) -> None:
    (document,) = json.loads(exported(table))["DataModel"]
    assert [facet["FacetName"] for facet in document["TableFacets"]] == [each.name for each in table.design.entities]
    known = {each["AttributeName"] for each in document["NonKeyAttributes"]} | set(table.design.table.key_attributes)
    with Engine("memory:") as engine:
        table.open(engine, create=True)
        for facet in document["TableFacets"]:
            assert len(facet["TableData"]) >= 2
            for row in facet["TableData"]:
                assert row.keys() <= known
                engine.call("PutItem", {"TableName": table.design.name, "Item": row})


def test_templates_are_written_as_other_tools_read_them() -> None:
    (document,) = json.loads(exported(EXAMPLES[5].table))["DataModel"]
    models = document["ModelSchema"]["models"]
    assert models["Order"]["GSI1SK"] == {"type": "String", "value": "ORDER#${created_at:seconds}#${id}"}
    assert models["Order"]["total"] == {"type": "Number", "required": True}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_a_document_whose_own_section_was_lost_is_told_from_its_rows(table: type[Table], tmp_path: Path) -> None:
    document = json.loads(exported(table))
    del document["DataModel"][0]["ModelSchema"]["singletable"]
    file = tmp_path / "told.py"
    file.write_text(python_source(draft_from_workbench(json.dumps(document))), encoding="utf-8")
    (told,) = load_tables(str(file))
    assert check(told.design).passes
    assert [each.name for each in told.design.entities] == [each.name for each in table.design.entities]


def test_rows_can_be_those_of_a_store_and_what_is_no_entity_stands_beside() -> None:
    shop = EXAMPLES[5]
    stranger = {"PK": {"S": "X"}, "SK": {"S": "Y"}}
    items = [*shop.seen().items, stranger]
    model = ExportedModel(shop.table.design, "Shop", "", items)
    (document,) = json.loads(to_workbench("Shop", [model]))["DataModel"]
    assert sum(len(facet["TableData"]) for facet in document["TableFacets"]) == len(items) - 1
    assert document["TableData"] == [stranger]
