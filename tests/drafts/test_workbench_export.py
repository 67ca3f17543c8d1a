"""A model that is exported to NoSQL Workbench and imported again is the same model, with the same plans."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from singletable import Table
from singletable.cli.load_model import load_tables
from singletable.cost.prices import prices_of
from singletable.drafts.draft import DraftTable
from singletable.drafts.from_design import draft_of
from singletable.drafts.python_source import python_source
from singletable.drafts.workbench import draft_from_workbench
from singletable.drafts.workbench_export import ExportedModel, to_workbench
from singletable.engine.engine import Engine
from singletable.heat.report import heat_report
from singletable.heat.simulation import Growth
from singletable.model.entity import EntityDeclaration
from singletable.model.settings import TableSettings
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
        assert said(again) == said(table)
    else:
        assert all(row.verdict != "refused" for row in _rows(again))


def said(table: type[Table]) -> Any:
    """What the model says of itself, as it was declared: drafts on both sides would not miss what no draft holds."""
    design = table.design
    entities = [
        {
            each.name: getattr(entity.declaration, each.name)
            for each in fields(EntityDeclaration)
            # Classes are others, and so are the types of their fields where an enumeration became its texts.
            if each.name not in ("cls", "location", "fields", "keys", "copies", "counted", "mirror_of")
        }
        | {"stored": entity.attributes, "linked": _links(entity.declaration)}
        for entity in design.entities
    ]
    patterns = [(each.name, each.title, replace(each.options, entry=None)) for each in design.patterns]
    settings = {each.name: getattr(design.settings, each.name) for each in fields(TableSettings)}
    for name in ("location", "keys", "indexes"):  # said in more than one way; the indexes tell what they come to
        del settings[name]
    return settings, design.indexes, entities, patterns, heat(table)


def _links(declared: EntityDeclaration) -> Any:
    """What an item shares with those of other classes, by the names of these."""
    copies = [(each.source.__name__, each.by, each.fields, each.in_parts) for each in declared.copies]
    counted = [(each.owner.__name__, each.by, each.field) for each in declared.counted]
    return copies, counted, declared.mirror_of and declared.mirror_of.__name__


def heat(table: type[Table]) -> Any:
    """What cost and heat make of it."""
    report = heat_report(table.design, prices_of("us-east-1"), [Growth(1), Growth(100)])
    return [(hot.partition.template, hot.partition.demand, hot.courses) for hot in report.hot], report.places


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
