"""`singletable import` reads a schema.json, a OneTable schema or a worksheet, and writes a model for `check`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from examples.shop.seventh import ShopByStatus
from singletable import DesignError, ModelNotLoaded, Table
from singletable.cli.import_text import find_objections, import_draft
from singletable.cli.load_model import load_tables
from singletable.cli.main import main
from singletable.errors import ImportRefused
from singletable.expressions.tree import Compare, Constant
from singletable.expressions.tree import Path as FieldPath
from singletable.importers.draft import (
    Draft,
    DraftEntity,
    DraftField,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    PythonCode,
    set_to_parameter,
)
from singletable.importers.draft_tree import draft_tree
from singletable.importers.onetable.onetable_schema import read_onetable
from singletable.importers.python_source import python_source
from singletable.importers.schema_json.schema_json_file import read_schema_json
from singletable.importers.validation import Objection
from singletable.model.design import Design
from singletable.planner.plan import UnsupportedPattern, Verdict
from singletable.planner.planner import plan_all
from singletable.verify.worksheet import worksheet
from tests.importers.draft_features import FEATURES
from tests.importers.example_tables import EXAMPLES
from tests.importers.imported import PUBLISHED, draft_of, loaded_design, workbench_draft
from tests.importers.random_drafts import HOSTILE_CALL, MARK, disguised_tables, misnamed_tables, tables

WORKSHEET = "Access Pattern;Entry Entity;Frequency\nGet user by ID;User;high\nOrders of a user;User;low\n"


@pytest.mark.parametrize(
    ("source", "file"),
    [("schema-json", "schema_json/ecommerce_schema.json"), ("onetable", "onetable/OneTable.json"), ("worksheet", "")],
)
def test_import_text_turns_a_file_into_a_model_that_the_check_command_accepts(
    source: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worksheet = tmp_path / "worksheet.csv"
    worksheet.write_text(WORKSHEET, encoding="utf-8")
    output = tmp_path / f"{source.replace('-', '_')}_imported.py"
    assert main(["import", source, str(PUBLISHED / file if file else worksheet), "--output", str(output)]) == 0
    assert f"wrote {output}" in capsys.readouterr().out
    assert main(["check", str(output)]) == 0
    assert "served as declared" in capsys.readouterr().out


@pytest.mark.parametrize("source", ["schema-json", "onetable", "worksheet"])
@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"{}", b"[1, 2"])
def test_import_text_rejects_an_unreadable_file_and_writes_nothing(
    source: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, output = tmp_path / "given.txt", tmp_path / "model.py"
    given.write_bytes(content)
    assert main(["import", source, str(given), "--output", str(output)]) == 2
    assert "given.txt" in capsys.readouterr().err
    assert not output.exists()


def test_the_import_schema_json_command_prints_every_problem_of_an_invalid_schema(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["import", "schema-json", str(PUBLISHED / "schema_json" / "invalid_gsi_schema.json")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 14


WORKBENCH = [path.stem for path in PUBLISHED.glob("*.json")]
SCHEMAS = [path.stem for path in (PUBLISHED / "schema_json").glob("*.json")]


@contextmanager
def design_of_file(table: DraftTable) -> Generator[Design, None, None]:
    """Yield the design of the written file. Its module exists in the block, because annotations are resolved in it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drafted_to_compare.py"
        file.write_text(python_source(Draft(table.class_name, (table,))), encoding="utf-8")
        try:
            (found,) = load_tables(str(file))
            yield found.design
        finally:
            sys.modules.pop("drafted_to_compare", None)
            sys.path.remove(str(file.parent.resolve()))


def assert_same_design(table: DraftTable) -> None:
    name = table.class_name
    with loaded_design(table) as made, design_of_file(table) as loaded:
        assert {each.label for each in made.keyless} == {each.label for each in loaded.keyless}
        if not made.keyless:  # a draft of a design needs all keys
            assert draft_of(made, name) == draft_of(loaded, name)
        assert worksheet(made, plan_all(made)) == worksheet(loaded, plan_all(loaded))


def objections_to_file(table: DraftTable) -> Sequence[Objection] | str:
    """Return why the written file is invalid, or the error that Python raises."""
    try:
        with design_of_file(table) as loaded:
            outcomes = plan_all(loaded)
    except DesignError as problem:
        return [Objection(each.message) for each in problem.problems]
    except ModelNotLoaded as problem:
        return str(problem)
    refused = [Objection(each.reason, each.pattern.name) for each in outcomes if isinstance(each, UnsupportedPattern)]
    wide = [each.pattern.name for each in outcomes if each.verdict is Verdict.UNDECLARED_FANOUT]
    return [*refused, *(Objection("it needs more than one request", name) for name in wide)]


def assert_same_objections(table: DraftTable) -> None:
    of_file, found = objections_to_file(table), find_objections(table)
    if isinstance(of_file, str):
        assert len(found) == 1, of_file
    else:
        assert found == of_file


@pytest.mark.parametrize("table", [*(each.table for each in EXAMPLES), ShopByStatus], ids=lambda table: table.__name__)
def test_import_text_builds_the_same_design_of_an_example_as_its_loaded_file(table: type[Table]) -> None:
    draft = draft_of(table.design, table.__name__)
    if not draft_tree(Draft("", (draft,))).functions:  # a written file contains functions to fill in
        assert_same_design(draft)


@pytest.mark.parametrize("name", WORKBENCH)
def test_import_text_builds_the_same_design_of_a_workbench_model_as_its_loaded_file(name: str) -> None:
    for table in workbench_draft((PUBLISHED / f"{name}.json").read_bytes()).tables:
        assert_same_design(table)


@pytest.mark.parametrize("name", SCHEMAS)
def test_import_text_checks_a_published_schema_json_like_its_written_file(name: str) -> None:
    text = (PUBLISHED / "schema_json" / f"{name}.json").read_text(encoding="utf-8")
    try:
        draft = read_schema_json(text, name)
    except ImportRefused:
        assert "invalid" in name
        return
    for table in draft.tables:
        assert_same_objections(table)
    for table in import_draft(draft).tables:
        assert_same_design(table)


def test_import_text_checks_the_published_onetable_schema_like_its_written_file() -> None:
    text = (PUBLISHED / "onetable" / "OneTable.json").read_text(encoding="utf-8")
    draft = read_onetable(text, "OneTable.json")
    for table in draft.tables:
        assert_same_objections(table)
    for table in import_draft(draft).tables:
        assert_same_design(table)


@pytest.mark.parametrize("name", FEATURES)
def test_import_text_builds_the_same_design_of_every_draft_feature_as_its_loaded_file(name: str) -> None:
    table = FEATURES[name]
    assert find_objections(table) == []
    assert_same_design(table)


ORDER = DraftEntity("Order", (DraftField("id", "str"),), {"key": DraftKeys(("ORDER#{id}",), ("ORDER",))})
NAMED = {**ORDER.keys, "name": ORDER.keys["key"]}
SHOP = DraftTable("Shop", "Shop", (ORDER,))


def _pattern(**changed: object) -> DraftTable:
    pattern = DraftPattern("orders", "Orders", "query", ("Order",))
    return replace(SHOP, patterns=(replace(pattern, **changed),))  # type: ignore[arg-type]  # any member


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (_pattern(), "no parameter provides id"),
        (_pattern(entities=("Invoice",)), "the type Invoice is not allowed"),
        (
            _pattern(changes=(set_to_parameter("id"),), kind="update"),
            "the body uses 'id', which is not one of its parameters",
        ),
        (_pattern(where=Compare("=", FieldPath(("total",)), Constant(1))), "the entity has no field 'total'"),
        (_pattern(where=Compare("=", FieldPath(("id",)), Constant(1))), "id is str, but the value is 1"),
        (_pattern(kind="get", view="int()"), "'int()' is not a Python name"),
        (_pattern(rate=float("inf")), "inf is not a number that a model can contain"),
        (_pattern(name="count"), "'count' is a reserved name and cannot be the name of a pattern"),
        (replace(SHOP, patterns=_pattern().patterns * 2), "the name 'orders' is defined twice"),
        (
            replace(SHOP, entities=(replace(ORDER, options={"mirror_of": PythonCode("Nobody")}),)),
            "the name Nobody is not",
        ),
        (replace(SHOP, entities=(replace(ORDER, class_name="Page"),)), "another class named Page is not allowed"),
        (replace(SHOP, entities=(replace(ORDER, stored_name="o", keys=NAMED),)), "keyword argument repeated: name"),
        (
            _pattern(kind="get", parameters=(DraftParameter("get", "str"),)),
            "the parameter get hides a function of the body",
        ),
    ],
)
def test_import_text_objections_name_the_problem(table: DraftTable, reason: str) -> None:
    objections = find_objections(table)
    assert objections
    assert reason in objections[0].reason


def test_import_text_does_not_name_members_or_items_after_reserved_words() -> None:
    put = DraftEntity("Put", ORDER.fields, {"key": DraftKeys(("ORDER#{id}",), ("PUT",))})
    writes = tuple(DraftPattern(f"write_{each}", "Write", "put", (each,)) for each in ("Class", "Put"))
    whole = DraftPattern("page", "All", "collection", ("Class", "Put"), (DraftParameter("id", "str"),))
    table = replace(SHOP, entities=(replace(ORDER, class_name="Class"), put), patterns=(*writes, whole))
    assert find_objections(table) == []
    assert_same_design(table)


@given(tables() | disguised_tables())
def test_import_text_checks_hostile_text_like_the_written_file(table: DraftTable) -> None:
    assert_same_objections(table)
    assert MARK not in sys.modules


@given(misnamed_tables())
def test_import_text_rejects_invalid_names_and_never_executes_them(table: DraftTable) -> None:
    assert find_objections(table)
    assert MARK not in sys.modules


def test_the_hostile_import_text_leaves_its_mark_when_it_is_executed() -> None:
    exec(HOSTILE_CALL)
    assert MARK in sys.modules
    del sys.modules[MARK]
