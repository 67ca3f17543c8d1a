"""No import loses a table, an entity, an index, a pattern or an attribute without a note."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from singletable.cli.import_text import import_draft
from singletable.errors import ImportRefused
from singletable.importers.draft import Draft
from singletable.importers.onetable.onetable_schema import read_onetable
from singletable.importers.schema_json.schema_json_file import read_schema_json
from tests.importers.imported import PUBLISHED, workbench_draft

SHARED = Path(__file__).parents[3] / "shared" / "data" / "models"
_FOUND = sorted({*SHARED.glob("nosql_workbench/*.json"), *SHARED.glob("schema_json/*.json")})
FILES: list[Path | None] = [*_FOUND] or [None]
skip_without_models = pytest.mark.skipif(not _FOUND, reason="../shared/data/models is absent")


class Source:
    """A draft, its notes, and the names in the source file that neither of them contains."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.notes = [*draft.notes, *(note for table in draft.tables for note in table.notes)]
        self.lost: list[str] = []
        self.counts: dict[str, int] = {}

    def expect(self, kind: str, name: str, found: set[str]) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if name not in found and not any(name in note for note in self.notes):
            self.lost.append(f"{kind} {name}")


def entities_of(draft: Draft) -> set[str]:
    return {
        name for table in draft.tables for each in table.entities for name in (each.class_name, each.stored_name or "")
    }


def attributes_of(draft: Draft) -> set[str]:
    found: set[str] = set()
    for table in draft.tables:
        found |= {*table.keys, table.type_attribute or "", table.ttl_attribute or "", table.schema_version_attribute}
        found |= {name for index in table.indexes for name in (*index.partition, *index.sort)}
        found |= {field.stored_as for entity in table.entities for field in entity.fields}
    return found


def workbench(text: str) -> Source:
    source = Source(import_draft(workbench_draft(text)))
    draft = source.draft
    tables = {table.name for table in draft.tables}
    indexes = {index.name for table in draft.tables for index in table.indexes}
    for table in json.loads(text)["DataModel"]:
        source.expect("table", table["TableName"], tables)
        for index in (*(table.get("GlobalSecondaryIndexes") or ()), *(table.get("LocalSecondaryIndexes") or ())):
            source.expect("index", index["IndexName"], indexes)
        for facet in table.get("TableFacets") or ():
            source.expect("entity", facet["FacetName"], {*entities_of(draft), *map(str.lower, entities_of(draft))})
        for model in (table.get("ModelSchema") or {}).get("models") or ():
            if not model.startswith("~"):
                source.expect("entity", model, entities_of(draft))
        rows = [
            *(table.get("TableData") or ()),
            *(r for f in table.get("TableFacets") or () for r in f.get("TableData") or ()),
        ]
        declared = {each["AttributeName"] for each in table.get("NonKeyAttributes") or ()}
        for name in sorted(declared | {name for row in rows for name in row}):
            source.expect("attribute", name, attributes_of(draft))
    return source


def schema_json(text: str) -> Source:
    source = Source(import_draft(read_schema_json(text, "schema.json")))
    draft, document = source.draft, json.loads(text)
    indexes = {index.name for table in draft.tables for index in table.indexes}
    patterns = {pattern.name for table in draft.tables for pattern in table.patterns}
    for table in document["tables"]:
        source.expect("table", table["table_config"]["table_name"], {each.name for each in draft.tables})
        for index in table.get("gsi_list") or ():
            source.expect("index", index["name"], indexes)
        for entity in table["entities"].values():
            source.expect("entity", entity["entity_type"], entities_of(draft))
            for field in entity["fields"]:
                source.expect("attribute", field["name"], attributes_of(draft))
            for pattern in entity.get("access_patterns") or ():
                source.expect("pattern", pattern["name"], patterns)
    for pattern in document.get("cross_table_access_patterns") or ():
        source.expect("pattern", pattern["name"], patterns)
    return source


def onetable(text: str) -> Source:
    source = Source(import_draft(read_onetable(text, "OneTable.json")))
    draft, document = source.draft, json.loads(text)
    indexes = {index.name for table in draft.tables for index in table.indexes}
    for name in document["indexes"]:
        if name != "primary":
            source.expect("index", name, indexes)
    for name, model in document["models"].items():
        source.expect("entity", name, entities_of(draft))
        for field, definition in model.items():
            source.expect("attribute", definition.get("map") or field, attributes_of(draft))
    return source


def source_of(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    if path.parent.name == "schema_json":
        return schema_json(text)
    return workbench(text) if "DataModel" in json.loads(text) else onetable(text)


@skip_without_models
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem if path else "none")
def test_every_part_of_a_published_model_is_in_the_draft_or_in_a_note(path: Path) -> None:
    try:
        source = source_of(path)
    except ImportRefused:
        assert "invalid" in path.name
        return
    assert source.lost == []
    assert source.counts


def test_the_loss_check_finds_a_lost_index() -> None:
    document: Any = json.loads((PUBLISHED / "AnOnlineShop_facets.json").read_text(encoding="utf-8"))
    source = workbench(json.dumps(document))
    assert source.lost == []
    source.expect("index", "NoSuchIndex", set())
    assert source.lost == ["index NoSuchIndex"]


def print_counts() -> None:
    """Print a table of counts for every published model."""
    print("| model | tables | entities | indexes | patterns | attributes | notes | lost |")
    print("|---|---|---|---|---|---|---|---|")
    for path in _FOUND:
        try:
            source = source_of(path)
        except ImportRefused as problem:
            print(f"| {path.stem} | rejected: {str(problem).splitlines()[0].split(': ')[-1]} | | | | | | |")
            continue
        made = source.draft.tables
        cells = [
            len(made),
            sum(len(each.entities) for each in made),
            sum(len(each.indexes) for each in made),
            sum(len(each.patterns) for each in made),
            source.counts.get("attribute", 0),
            len(source.notes),
            len(source.lost),
        ]
        print(f"| {path.stem} | {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    print_counts()
