"""No import loses a table, an entity, an index, a pattern or an attribute without a note, nor a row of a sample.

    PUBLISHED_MODELS=FOLDER pytest tests/importers/test_losses.py

also checks every JSON document in a folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from singletable.cli.import_text import import_draft
from singletable.conformance.items_report import ItemsCheck
from singletable.errors import ImportRefused
from singletable.importers.draft import Draft, DraftTable
from singletable.importers.onetable.onetable_schema import read_onetable
from singletable.importers.schema_json.schema_json_file import read_schema_json
from singletable.importers.workbench.workbench_document import read_workbench
from tests.importers.imported import PUBLISHED, loaded_design, workbench_draft
from tests.importers.random_documents import onetable_schemas, schema_json_documents, workbench_documents
from tests.importers.source_parts import SourcePart, losses, onetable_parts, schema_json_parts, workbench_parts

FOLDERS = [PUBLISHED, *(Path(each) for each in (os.environ.get("PUBLISHED_MODELS"),) if each)]
SOURCES = sorted(path for folder in FOLDERS for path in folder.rglob("*.json"))
EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def imported(document: Any, name: str = "model.json") -> tuple[list[SourcePart], Draft]:
    """Return the parts of a document, and the draft that an import makes of it."""
    text = json.dumps(document)
    if "DataModel" in document:
        return list(workbench_parts(document)), import_draft(workbench_draft(text))
    if "tables" in document:
        return list(schema_json_parts(document)), import_draft(read_schema_json(text, name))
    draft = import_draft(read_onetable(text, name))
    return list(onetable_parts(document, draft.tables[0].name)), draft


def lost(document: Any) -> list[str]:
    """Return the parts that are neither in the draft nor in a note; none if the import rejects the document."""
    try:
        parts, draft = imported(document)
    except ImportRefused:
        return []
    return [str(part) for part in losses(iter(parts), draft).lost]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_importers_lose_no_part_of_a_published_model(path: Path) -> None:
    assert lost(json.loads(path.read_text(encoding="utf-8"))) == []


@EXAMPLES
@given(workbench_documents())
def test_the_workbench_import_loses_no_part_of_a_random_model(document: Any) -> None:
    assert lost(document) == []


@EXAMPLES
@given(schema_json_documents())
def test_the_schema_json_import_loses_no_part_of_a_random_file(document: Any) -> None:
    assert lost(document) == []


@EXAMPLES
@given(onetable_schemas())
def test_the_onetable_import_loses_no_part_of_a_random_schema(document: Any) -> None:
    assert lost(document) == []


@EXAMPLES
@given(workbench_documents())
def test_the_workbench_import_reads_and_writes_every_row_without_loss(document: Any) -> None:
    try:
        draft = import_draft(workbench_draft(json.dumps(document)))
    except ImportRefused:
        return
    rows = {table.sample.name: table.sample.items for table in read_workbench(json.dumps(document)).tables}
    for table in draft.tables:
        if not any(
            "ST101" in entity.accept for entity in table.entities
        ):  # otherwise the keys do not decide the entity
            assert list(_row_problems(table, rows[table.name])) == []


def _row_problems(table: DraftTable, rows: Any) -> Iterator[str]:
    with loaded_design(table) as design:
        check = ItemsCheck(design)
        for row in rows:
            check.add(row)
        for each in check.report(is_whole=True).findings:
            if each.finding.code.startswith("ST2") and each.finding.fails and each.finding.accepted is None:
                yield str(each.finding)


@pytest.mark.parametrize(
    ("without", "kind"),
    [
        (lambda table: replace(table, indexes=()), "index"),
        (lambda table: replace(table, entities=()), "entity"),
        (lambda table: replace(table, patterns=()), "pattern"),
    ],
)
def test_the_test_for_losses_of_importers_finds_a_part_that_is_missing_in_the_draft(
    without: Callable[[DraftTable], DraftTable], kind: str
) -> None:
    document = json.loads((PUBLISHED / "schema_json" / "deals_schema.json").read_text(encoding="utf-8"))
    parts, draft = imported(document)
    assert losses(iter(parts), draft).lost == ()
    changed = replace(draft, tables=tuple(map(without, draft.tables)))
    assert kind in {part.kind for part in losses(iter(parts), changed).lost}
