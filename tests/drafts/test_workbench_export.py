"""A model that is exported to NoSQL Workbench and imported again is the same model, with the same plans."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given

from examples.commerce.releases import SecondRelease
from examples.shop.sharded import ShopByFunction
from singletable import Table, count, entity, exists
from singletable.cli.load_model import load_tables
from singletable.cli.main import main
from singletable.drafts.functions import defined_in
from singletable.drafts.python_source import python_source
from singletable.drafts.workbench import draft_from_workbench
from singletable.drafts.workbench_export import ExportedModel, to_workbench
from singletable.engine.engine import Engine
from singletable.errors import DesignError, ImportRefused
from singletable.verify.design_check import check
from tests.drafts import awkward_model, whole_model
from tests.drafts.example_tables import EXAMPLES
from tests.drafts.imported import assert_only_declarations, mutated
from tests.drafts.same_model import said

TABLES = [
    *(example.table for example in EXAMPLES),
    *(whole_model.Whole, awkward_model.Library, awkward_model.Chosen, awkward_model.Depots),
]


FUNCTIONS = defined_in(whole_model, whole_model.__name__)


def exported(table: type[Table]) -> str:
    return to_workbench("Models", [ExportedModel(table.design, table.__name__, table.__doc__ or "")])


def imported(document: str, folder: Path, functions: str | None = None) -> type[Table]:
    """The table of the document; `functions` is the module of its functions."""
    module = defined_in(sys.modules[functions], functions) if functions is not None else None
    file = folder / "again.py"
    file.write_text(python_source(draft_from_workbench(document, module)), encoding="utf-8")
    (table,) = load_tables(str(file))
    return table


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_what_was_exported_is_imported_as_the_same_model(table: type[Table], tmp_path: Path) -> None:
    again = imported(exported(table), tmp_path, table.__module__)
    before, after = said(table), said(again)
    for part in before:
        assert after[part] == before[part]
    assert said(imported(exported(again), tmp_path, table.__module__)) == before


@pytest.mark.parametrize("module", [whole_model, awkward_model], ids=lambda module: module.__name__)
def test_what_is_written_passes_a_strict_type_checker(module: ModuleType, tmp_path: Path) -> None:
    models = [
        ExportedModel(table.design, table.__name__, table.__doc__ or "")
        for table in vars(module).values()
        if isinstance(table, type) and issubclass(table, Table) and table is not Table
    ]
    draft = draft_from_workbench(to_workbench("Models", models), defined_in(module, module.__name__))
    file = tmp_path / "typed_again.py"
    file.write_text(python_source(draft), encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(file)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


def test_whatever_a_model_says_is_seen_when_it_is_another(tmp_path: Path) -> None:
    """The comparison itself: every change of a document that leaves it a model is another model."""
    document = exported(whole_model.Whole)
    before = said(whole_model.Whole)
    changes = [
        ('"default": {"member": ["Colour", "BLUE"]}', '"default": {"member": ["Colour", "RED"]}'),
        ('"comparator": ">="', '"comparator": "<="'),
        ('"type": "frozenset[str]"', '"type": "set[str]"'),
        ('"hydrate": true', '"consistent": true'),
        ('"action": "ADD"', '"action": "SET"'),
        ('"default": 7', '"default": 8'),
        ('"must_be_given": true', '"must_be_given": false'),
        ('"Decimal": "1.50"', '"Decimal": "1.51"'),
        ('"default_function": "utc_now"', '"default_function": "region"'),
        ('"LOW": 1', '"LOW": 2'),
        ('"street": "?"', '"street": "!"'),
    ]
    plain = json.dumps(json.loads(document))
    for old, new in changes:
        assert plain.count(old) >= 1, old
        assert said(imported(plain.replace(old, new, 1), tmp_path, whole_model.__name__)) != before, new


@pytest.mark.parametrize("table", [ShopByFunction, SecondRelease, whole_model.Whole], ids=lambda table: table.__name__)
def test_without_its_functions_a_model_says_what_is_missing(table: type[Table], tmp_path: Path) -> None:
    draft = draft_from_workbench(exported(table))
    assert all("--functions names the module" in note for note in draft.tables[0].notes)
    assert draft.tables[0].notes
    again = imported(exported(table), tmp_path)
    assert check(again.design).passes
    assert [each.name for each in again.design.patterns] == [each.name for each in table.design.patterns]


def test_only_functions_that_the_given_module_defines_are_taken(tmp_path: Path) -> None:
    names = defined_in(whole_model, "tests.drafts.whole_model").functions
    assert sorted(names) == ["box_1", "box_2", "region", "utc_now"]
    document = exported(whole_model.Whole).replace('"utc_now"', '"shard"')  # which the module only imports
    draft = draft_from_workbench(document, defined_in(whole_model, whole_model.__name__))
    assert "shard makes it" in draft.tables[0].notes[0]
    hostile = exported(whole_model.Whole).replace('"utc_now"', '"print(1)"')
    with pytest.raises(ImportRefused, match="cannot be a name"):
        draft_from_workbench(hostile, defined_in(whole_model, whole_model.__name__))


def test_a_document_that_was_changed_after_its_export_says_what_is_not_in_the_model() -> None:
    plain = json.loads(exported(whole_model.Whole))
    (table,) = plain["DataModel"]
    assert draft_from_workbench(json.dumps(plain), FUNCTIONS).tables[0].notes == ()
    added = {**table["GlobalSecondaryIndexes"][0], "IndexName": "Later"}
    table["GlobalSecondaryIndexes"].append(added)
    table["TableFacets"][0]["FacetName"] = "Client"
    (note,) = draft_from_workbench(json.dumps(plain), FUNCTIONS).tables[0].notes
    assert note.startswith("Later, Client, Customer changed in the document after it was exported")


def test_a_model_with_two_tables_of_one_name_is_exported_by_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = "examples/commerce/releases.py"
    assert main(["export", "nosql-workbench", model]) == 2
    assert f"select one: {model}:FirstRelease" in capsys.readouterr().err
    assert main(["export", "nosql-workbench", f"{model}:SecondRelease", "--output", str(tmp_path / "one.json")]) == 0


SECTION, COUNTING = (
    json.loads(exported(table))["DataModel"][0]["ModelSchema"]["singletable"]
    for table in (whole_model.Whole, awkward_model.Depots)
)


@given(section=mutated(SECTION) | mutated(COUNTING))
def test_a_mutated_model_of_ours_is_a_model_without_foreign_code_or_refused(section: Any) -> None:
    document = json.loads(exported(EXAMPLES[0].table))
    document["DataModel"][0]["ModelSchema"]["singletable"] = section
    with suppress(ImportRefused, DesignError):
        draft = draft_from_workbench(json.dumps(document))
        classes = {each.class_name for each in draft.tables[0].classes}
        assert_only_declarations(python_source(draft), classes)


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        (
            {"Compare": {"comparator": "=", "left": {"Path": {"steps": ["x()"]}}, "right": {"Constant": {"value": 1}}}},
            "place",
        ),
        ({"Function": {"name": "size", "arguments": [{"Path": {"steps": ["item"]}}]}}, "more than a model can say"),
        (
            {
                "Function": {
                    "name": "contains",
                    "arguments": [{"Path": {"steps": ["item"]}}, {"Parameter": {"name": "x"}}],
                }
            },
            "none of its parameters",
        ),
        ({"And": {"parts": []}}, "a list of one condition"),
        ({"Path": {"steps": ["item"]}}, "is no part of a condition"),
    ],
)
def test_a_condition_of_a_counter_that_no_model_can_say_is_refused(where: Any, reason: str) -> None:
    document = json.loads(exported(awkward_model.Depots))
    section = document["DataModel"][0]["ModelSchema"]["singletable"]
    crate = next(each for each in section["entities"] if each["class_name"] == "Crate")
    crate["counted"][1]["where"] = where
    with pytest.raises(ImportRefused, match=reason):
        draft_from_workbench(json.dumps(document))


def test_a_condition_of_a_copy_is_refused() -> None:
    document = json.loads(exported(awkward_model.Depots))
    section = document["DataModel"][0]["ModelSchema"]["singletable"]
    crate = next(each for each in section["entities"] if each["class_name"] == "Crate")
    crate["copies"] = [{**crate["counted"][1], "counter": None}]
    with pytest.raises(ImportRefused, match="the condition of a copy is more than a model can say"):
        draft_from_workbench(json.dumps(document))


@entity(key=("C#{id}", "C"))
@dataclass
class Cupboard:
    """A cupboard."""

    id: str
    named: int = 0
    strange: int = 0


@entity(
    key=("C#{cupboard}", "{id}"),
    counted=[
        count(Cupboard, by={"id": "cupboard"}, field="named", where=lambda c: exists(c.name)),
        count(Cupboard, by={"id": "cupboard"}, field="strange", where=lambda c: c.more == {"x": {1: 2}}),
    ],
)
@dataclass
class Cup:
    """A cup."""

    cupboard: str
    id: str
    name: str | None = "cup"
    more: dict[str, Any] = dataclass_field(default_factory=dict)


class Cupboards(Table, entities=[Cupboard, Cup]):
    """Counters whose conditions no document holds."""


def test_a_counter_whose_condition_no_document_holds_is_left_out_with_a_note() -> None:
    (table,) = draft_from_workbench(exported(Cupboards)).tables
    first, second = table.notes
    assert first.startswith("Cup: Cupboard.named does not count it here: the condition Function(name='attribute_type'")
    assert second == "Cup: Cupboard.strange does not count it here: no document holds the value {1: 2}."


def test_what_a_function_derives_has_a_name_since_it_is_a_field_without_the_function() -> None:
    document = json.loads(exported(whole_model.Whole))
    section = document["DataModel"][0]["ModelSchema"]["singletable"]
    section["entities"][0]["derived"] = {"x: int = print(1)  #": section["entities"][0]["derived"]["region"]}
    with pytest.raises(ImportRefused, match="cannot be a name in Python"):
        draft_from_workbench(json.dumps(document))


UNTOLD = '''
from dataclasses import dataclass
from enum import Enum

from singletable import Page, Table, collection, entity, get, pattern, query


class Colour(Enum):
    RED = "red"


@dataclass
class Place:
    street: str


@entity(key=("A#{id}", "A"))
@dataclass
class Author:
    id: str
    colour: Colour = Colour.RED
    place: Place | None = None


@entity(key=("A#{author_id}", "B#{id}"))
@dataclass
class Book:
    """A book
    of an author

      - with \\\\ a list, and the "quote"
    """

    id: str
    author_id: str


@dataclass
class Shelf:
    author: Author
    books: list[Book]


class Library(Table, entities=[Author, Book]):
    @pattern()
    def author(self, id: str) -> Author | None:
        """One author."""
        return get(Author)

    @pattern()
    def books(self, author_id: str) -> Page[Book]:
        """The books of one."""
        return query(Book)

    @pattern()
    def shelf(self, id: str) -> Shelf | None:
        """All of them."""
        return collection(Shelf)


@entity(key=("N#{id}", "N"))
@dataclass
class Note:
    id: str


class Notes(Table, entities=[Note], accept={"ST113": "nothing is asked yet"}):
    pass
'''
OPENINGS = [
    "",
    '"""Books, in a line."""',
    '"""Books\n\nThat are read: "twice".\n\n    quietly\n"""',
    '"""A \\\\ "book"\n"""',
]


@pytest.mark.parametrize("opening", OPENINGS)
def test_what_a_model_says_of_itself_is_neither_lost_nor_made_up(
    opening: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, document, again = (tmp_path / name for name in ("library_model.py", "library.json", "library_again.py"))
    first.write_text(opening + UNTOLD, encoding="utf-8")
    assert main(["export", "nosql-workbench", str(first), "--output", str(document)]) == 0
    assert main(["import", "nosql-workbench", str(document), "--output", str(again)]) == 0
    said_twice = []
    for model in (first, again):
        capsys.readouterr()
        assert main(["docs", str(model), "--pictures", "none"]) == 0
        assert main(["export", "nosql-workbench", str(model)]) == 0
        said_twice.append(capsys.readouterr().out.replace(str(model), "MODEL").replace(model.name, "MODEL"))
    assert said_twice[0] == said_twice[1]
    config = str(Path(__file__).parents[2] / "pyproject.toml")
    for check_file in (["mypy", "--strict"], ["ruff", "format", "--check", "--config", config]):
        found = subprocess.run(
            [sys.executable, "-m", *check_file, str(again)], capture_output=True, text=True, check=False
        )
        assert found.returncode == 0, found.stdout


def test_the_command_line_carries_a_model_there_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(Path.cwd()))
    model, document, again = "tests/drafts/whole_model.py", tmp_path / "whole.json", tmp_path / "whole_again.py"
    assert main(["export", "nosql-workbench", model, "--output", str(document)]) == 0
    assert "note" not in capsys.readouterr().err
    given = ["import", "nosql-workbench", str(document), "--output", str(again), "--functions", whole_model.__name__]
    assert main(given) == 0
    assert "note" not in capsys.readouterr().out
    assert "from tests.drafts.whole_model import box_1, box_2, region, utc_now\n" in again.read_text()
    (table,) = load_tables(str(again))
    assert said(table) == said(whole_model.Whole)
    assert main([*given, "--force", "--functions", "no.such.module"]) == 2
    assert "no.such.module: no such file or module" in capsys.readouterr().err


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
