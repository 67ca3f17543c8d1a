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
from hypothesis import strategies as st

from examples.commerce.releases import SecondRelease
from examples.shop.sharded import ShopByFunction
from singletable import Table, count, entity, exists
from singletable.cli.load_model import load_tables
from singletable.cli.main import main
from singletable.engine.engine import Engine
from singletable.errors import DesignError, ImportRefused
from singletable.importers.workbench.design_draft import DesignExport
from singletable.importers.workbench.workbench_export import to_workbench
from singletable.importers.workbench.workbench_import import functions_defined_in
from singletable.verify.design_check import check
from tests.importers import awkward_model, whole_model
from tests.importers.example_tables import EXAMPLES
from tests.importers.imported import HOSTILE, assert_only_declarations, workbench_source
from tests.importers.same_model import said

TABLES = [
    *(example.table for example in EXAMPLES),
    *(whole_model.Whole, awkward_model.Library, awkward_model.Chosen, awkward_model.Depots),
]


FUNCTIONS = functions_defined_in(whole_model, whole_model.__name__)


def exported(table: type[Table]) -> str:
    return to_workbench("Models", [DesignExport(table.design, table.__name__, table.__doc__ or "")])


def imported(document: str, folder: Path, functions: str | None = None) -> type[Table]:
    """Import a document and return its table; `functions` names the module that defines the functions of the model."""
    module = functions_defined_in(sys.modules[functions], functions) if functions is not None else None
    file = folder / "again.py"
    file.write_text(workbench_source(document, module), encoding="utf-8")
    (table,) = load_tables(str(file))
    return table


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_the_workbench_export_of_a_model_is_imported_unchanged(table: type[Table], tmp_path: Path) -> None:
    again = imported(exported(table), tmp_path, table.__module__)
    before, after = said(table), said(again)
    for part in before:
        assert after[part] == before[part]
    assert said(imported(exported(again), tmp_path, table.__module__)) == before


@pytest.mark.parametrize("module", [whole_model, awkward_model], ids=lambda module: module.__name__)
def test_the_import_of_a_workbench_export_passes_mypy_strict(module: ModuleType, tmp_path: Path) -> None:
    models = [
        DesignExport(table.design, table.__name__, table.__doc__ or "")
        for table in vars(module).values()
        if isinstance(table, type) and issubclass(table, Table) and table is not Table
    ]
    file = tmp_path / "typed_again.py"
    functions = functions_defined_in(module, module.__name__)
    file.write_text(workbench_source(to_workbench("Models", models), functions), encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(file)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


def test_the_comparison_of_workbench_exports_detects_every_change_of_a_model(tmp_path: Path) -> None:
    """The comparison of models sees every change in a document that is still valid."""
    document = exported(whole_model.Whole)
    before = said(whole_model.Whole)
    changes = [
        ("= Colour.BLUE", "= Colour.RED"),
        (" >= ", " <= "),
        ("frozenset[str]", "set[str]"),
        ("hydrate=True", "consistent=True"),
        (".add(", ".set("),
        ("= 7", "= 8"),
        ('Decimal("1.50")', 'Decimal("1.51")'),
        ("default_factory=utc_now", "default_factory=region"),
        ("LOW = 1", "LOW = 3"),
        ('street="?"', 'street="!"'),
    ]
    plain = json.loads(document)
    section = plain["DataModel"][0]["ModelSchema"]["singletable"]
    text = section["model"]
    for old, new in changes:
        assert text.count(old) >= 1, old
        section["model"] = text.replace(old, new, 1)
        assert said(imported(json.dumps(plain), tmp_path, whole_model.__name__)) != before, new


@pytest.mark.parametrize("table", [ShopByFunction, SecondRelease, whole_model.Whole], ids=lambda table: table.__name__)
def test_the_import_of_a_workbench_export_without_functions_writes_function_stubs(
    table: type[Table], tmp_path: Path
) -> None:
    source = workbench_source(exported(table))
    assert "import again with --functions MODULE" in " ".join(source.replace("# ", "").split())
    assert "raise NotImplementedError" in source
    again = imported(exported(table), tmp_path)
    assert check(again.design).passes
    assert [each.name for each in again.design.patterns] == [each.name for each in table.design.patterns]


def test_the_import_of_a_workbench_export_uses_only_functions_of_the_given_module() -> None:
    names = FUNCTIONS.functions
    assert sorted(names) == ["box_1", "box_2", "region", "utc_now"]
    document = exported(whole_model.Whole).replace("default_factory=utc_now", "default_factory=utc_then")
    source = workbench_source(document, FUNCTIONS)
    assert "from tests.importers.whole_model import box_1, box_2, region\n" in source
    assert "def utc_then(*arguments: Any) -> Any:" in source
    for hostile in ("shard", "print(1)", "__import__", "os.system", "lambda: print(1)"):
        document = exported(whole_model.Whole).replace("default_factory=utc_now", f"default_factory={hostile}")
        with pytest.raises(ImportRefused, match="not allowed in an imported model"):
            workbench_source(document, FUNCTIONS)


def test_the_import_of_a_workbench_export_notes_changes_made_after_the_export() -> None:
    plain = json.loads(exported(whole_model.Whole))
    (table,) = plain["DataModel"]
    assert "# " not in workbench_source(json.dumps(plain), FUNCTIONS)
    added = {**table["GlobalSecondaryIndexes"][0], "IndexName": "Later"}
    table["GlobalSecondaryIndexes"].append(added)
    table["TableFacets"][0]["FacetName"] = "Client"
    assert "# Later, Client, Customer changed in the document" in workbench_source(json.dumps(plain), FUNCTIONS)
    table["TableName"] = "Renamed"
    assert 'name="Renamed"' in workbench_source(json.dumps(plain), FUNCTIONS)
    second = {"TableName": "Second", "KeyAttributes": {"PartitionKey": {"AttributeName": "PK", "AttributeType": "S"}}}
    plain["DataModel"].append(second)
    assert "class SecondItem:" in workbench_source(json.dumps(plain), FUNCTIONS)


def test_export_requires_a_choice_between_two_tables_of_one_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = "examples/commerce/releases.py"
    assert main(["export", "nosql-workbench", model]) == 2
    assert f"select one: {model}:FirstRelease" in capsys.readouterr().err
    assert main(["export", "nosql-workbench", f"{model}:SecondRelease", "--output", str(tmp_path / "one.json")]) == 0


@given(data=st.data())
def test_a_workbench_export_with_a_changed_model_source_is_rejected_or_contains_only_declarations(
    data: st.DataObject,
) -> None:
    document = json.loads(exported(whole_model.Whole))
    section = document["DataModel"][0]["ModelSchema"]["singletable"]
    lines = section["model"].split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        start = data.draw(st.integers(0, len(lines[place])))
        end = data.draw(st.integers(start, len(lines[place])))
        lines[place] = lines[place][:start] + data.draw(HOSTILE | st.text(max_size=6)) + lines[place][end:]
    section["model"] = "\n".join(lines)
    with suppress(ImportRefused, DesignError):
        source = workbench_source(json.dumps(document))
        assert_only_declarations(source, {"Address", "Country", "Line", "Wrapping", "upgrade", "derive", "entity"})


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
    """Counters with conditions that a document cannot contain."""


def test_the_workbench_export_leaves_out_a_count_with_an_unwritable_condition_with_a_note() -> None:
    (document,) = json.loads(exported(Cupboards))["DataModel"]
    first, second = document["ModelSchema"]["singletable"]["notes"]
    assert first.startswith("Cup: the count in Cupboard.named was left out: the condition Function(name=")
    assert second == "Cup: the count in Cupboard.strange was left out: {1: 2}."


DOCUMENTED_MODEL = '''
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


class Notes(Table, entities=[Note], accept={"ST113": "no patterns yet"}):
    pass
'''
OPENINGS = [
    "",
    '"""Books, in a line."""',
    '"""Books\n\nThat are read: "twice".\n\n    quietly\n"""',
    '"""A \\\\ "book"\n"""',
]


@pytest.mark.parametrize("opening", OPENINGS)
def test_docstrings_survive_the_nosql_workbench_export_and_none_are_added(
    opening: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, document, again = (tmp_path / name for name in ("library_model.py", "library.json", "library_again.py"))
    first.write_text(opening + DOCUMENTED_MODEL, encoding="utf-8")
    assert main(["export", "nosql-workbench", str(first), "--output", str(document)]) == 0
    assert main(["import", "nosql-workbench", str(document), "--output", str(again)]) == 0
    said_twice = []
    for model in (first, again):
        capsys.readouterr()
        assert main(["docs", str(model), "--pictures", "none"]) == 0
        assert main(["export", "nosql-workbench", str(model)]) == 0
        said_twice.append(capsys.readouterr().out.replace(str(model), "MODEL").replace(model.name, "MODEL"))
    assert said_twice[0] == said_twice[1]
    config = str(Path(__file__).parents[3] / "pyproject.toml")
    for check_file in (["mypy", "--strict"], ["ruff", "format", "--check", "--config", config]):
        found = subprocess.run(
            [sys.executable, "-m", *check_file, str(again)], capture_output=True, text=True, check=False
        )
        assert found.returncode == 0, found.stdout


def test_the_workbench_export_and_import_commands_round_trip_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(Path.cwd()))
    model, document, again = "tests/importers/whole_model.py", tmp_path / "whole.json", tmp_path / "whole_again.py"
    assert main(["export", "nosql-workbench", model, "--output", str(document)]) == 0
    assert "note" not in capsys.readouterr().err
    given = ["import", "nosql-workbench", str(document), "--output", str(again), "--functions", whole_model.__name__]
    assert main(given) == 0
    assert "note" not in capsys.readouterr().out
    assert "from tests.importers.whole_model import box_1, box_2, region, utc_now\n" in again.read_text()
    (table,) = load_tables(str(again))
    assert said(table) == said(whole_model.Whole)
    assert main([*given, "--force", "--functions", "no.such.module"]) == 2
    assert "no.such.module: no such file or module" in capsys.readouterr().err


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_the_workbench_export_has_a_facet_per_entity_with_rows_that_the_table_accepts(table: type[Table]) -> None:
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


def test_key_templates_are_exported_in_the_onetable_syntax() -> None:
    (document,) = json.loads(exported(EXAMPLES[5].table))["DataModel"]
    models = document["ModelSchema"]["models"]
    assert models["Order"]["GSI1SK"] == {"type": "String", "value": "ORDER#${created_at:seconds}#${id}"}
    assert models["Order"]["total"] == {"type": "Number", "required": True}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_a_workbench_export_without_the_singletable_section_is_inferred_from_its_rows(
    table: type[Table], tmp_path: Path
) -> None:
    document = json.loads(exported(table))
    del document["DataModel"][0]["ModelSchema"]["singletable"]
    file = tmp_path / "inferred.py"
    file.write_text(workbench_source(json.dumps(document)), encoding="utf-8")
    (inferred,) = load_tables(str(file))
    assert check(inferred.design).passes
    assert [each.name for each in inferred.design.entities] == [each.name for each in table.design.entities]


def test_an_export_with_stored_rows_puts_unrecognized_items_into_the_table_data() -> None:
    shop = EXAMPLES[5]
    stranger = {"PK": {"S": "X"}, "SK": {"S": "Y"}}
    items = [*shop.seen().items, stranger]
    model = DesignExport(shop.table.design, "Shop", "", items)
    (document,) = json.loads(to_workbench("Shop", [model]))["DataModel"]
    assert sum(len(facet["TableData"]) for facet in document["TableFacets"]) == len(items) - 1
    assert document["TableData"] == [stranger]
