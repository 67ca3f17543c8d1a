"""SQL schemas become models without keys: every table, column and statement is in the model or in a note.

`samples/NAME.txt` is the model of `samples/NAME.sql` with `samples/NAME.queries.sql`. After a deliberate change,
rewrite them and review the difference:

    REWRITE_MODELS=1 pytest tests/importers
"""

from __future__ import annotations

import ast
import os
import sqlite3
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.cli.import_text import import_draft
from singletable.errors import ImportRefused
from singletable.importers.draft import Draft
from singletable.importers.python_source import python_source
from singletable.importers.sql.read_sql import read_sql
from singletable.importers.sql.sql_statements import statements_of
from singletable.verify.design_check import check
from tests.cli.program import refused, singletable
from tests.importers.imported import loaded_design

SAMPLES = Path(__file__).parent / "samples"
NAMES = sorted(path.name.removesuffix(".queries.sql") for path in SAMPLES.glob("*.queries.sql"))


def text_of(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")


def model_of(schema: str, queries: str | None = None, dialect: str | None = None) -> Draft:
    return import_draft(read_sql(schema, "sample.sql", queries=queries, dialect=dialect))


def sample(name: str) -> Draft:
    return model_of(text_of(f"{name}.sql"), text_of(f"{name}.queries.sql"))


@pytest.mark.parametrize("name", NAMES)
def test_read_sql_produces_the_recorded_model(name: str) -> None:
    path = SAMPLES / f"{name}.txt"
    draft = sample(name)
    with loaded_design(draft.tables[0]) as design:
        findings = check(design).findings
    found = "\n".join(
        [python_source(draft), "---", *(f"{each.code} {each.subject}: {each.remedy}" for each in findings)]
    )
    if "REWRITE_MODELS" in os.environ:
        path.write_text(f"{found}\n", encoding="utf-8")
    assert f"{found}\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_read_sql_turns_every_query_into_a_pattern_or_a_note(name: str) -> None:
    draft = sample(name)
    count = text_of(f"{name}.queries.sql").count(";\n")
    table = draft.tables[0]
    left_out = [note for note in table.notes if " is not in the model: " in note]
    assert len(table.patterns) + len(left_out) == count


@pytest.mark.parametrize("name", NAMES)
def test_read_sql_detects_the_dialect_of_a_schema(name: str) -> None:
    assert statements_of(text_of(f"{name}.sql"), name, None)[1] == name.rpartition("_")[2]


def test_read_sql_finds_the_columns_and_primary_keys_that_sqlite_finds() -> None:
    database = sqlite3.connect(":memory:")
    database.executescript(text_of("blog_sqlite.sql"))
    for entity in sample("blog_sqlite").tables[0].entities:
        table = (entity.doc or "").split("from the SQL table ")[1].split(".")[0]
        columns = database.execute(f"PRAGMA table_info({table})").fetchall()
        assert [each.name.rstrip("_") for each in entity.fields] == [column[1] for column in columns]
        required = {each.name.rstrip("_") for each in entity.fields if not each.optional and not each.has_default}
        assert required == {column[1] for column in columns if (column[3] or column[5]) and column[4] is None}
    database.close()


def test_check_reports_every_sql_entity_as_missing_a_key() -> None:
    with loaded_design(sample("shop_postgres").tables[0]) as design:
        report = check(design)
    assert {finding.code for finding in report.findings} == {"ST004"}
    assert len(report.findings) == len(report.design.keyless) == 3


COLUMN_TYPES = st.sampled_from(
    ["INTEGER", "TEXT", "DATE", "NUMERIC(5, 2)", "BOOLEAN", "BLOB", "TIMESTAMP", "REAL", "JSON", "UUID", "weird", ""]
)
CONSTRAINTS = st.sampled_from(["", "NOT NULL", "PRIMARY KEY", "UNIQUE", "DEFAULT 1", "DEFAULT 'x'", "CHECK (1 = 1)"])
IDENTIFIERS = st.sampled_from(
    ["id", "class", "self", "select_", "a b", "Größe", "date", "x-y", "entity", "__init__", "1st"]
)
COLUMNS = st.lists(st.tuples(IDENTIFIERS, COLUMN_TYPES, CONSTRAINTS), min_size=1, max_size=5, unique_by=lambda c: c[0])


@given(tables=st.lists(st.tuples(IDENTIFIERS, COLUMNS), min_size=1, max_size=3, unique_by=lambda table: table[0]))
def test_read_sql_imports_every_table_and_column_of_a_random_schema(
    tables: list[tuple[str, list[tuple[str, str, str]]]],
) -> None:
    statements = [
        f'CREATE TABLE "{name}" ({", ".join(f"{chr(34)}{c}{chr(34)} {kind} {rule}" for c, kind, rule in columns)});'
        for name, columns in tables
    ]
    table = model_of("\n".join(statements), dialect="sqlite").tables[0]
    left_out = " ".join(note for note in table.notes if "was left out" in note)
    kept = {len(entity.fields) for entity in table.entities}
    assert len(table.entities) + left_out.count(" was left out: ") == len(tables)
    assert kept <= {len(columns) for _, columns in tables}
    ast.parse(python_source(model_of("\n".join(statements), dialect="sqlite")))


PROGRAMS = [
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE b SET x = 1; SELECT 1; END;",
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE b SET x = 1;",
    "CREATE FUNCTION f() RETURNS int AS $body$ BEGIN RETURN 1; END; $body$ LANGUAGE plpgsql;",
    "DELIMITER ;;\nCREATE PROCEDURE p() BEGIN IF 1 THEN SELECT 1; END IF; END;;\nDELIMITER ;",
    "DELIMITER //\nCREATE FUNCTION f() RETURNS INT BEGIN RETURN 1; END //\nDELIMITER ;",
    "COPY a (id) FROM stdin;\n1\n'; \n\\.\n",
    "\\connect shop\n",
    "# a comment; with 'quotes\n",
    "INSERT INTO a VALUES ('; CREATE TABLE x (');",
    "-- it's a comment;\n",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_read_sql_finds_every_table_among_the_other_statements_of_a_dump(program: str) -> None:
    text = f"CREATE TABLE a (id INTEGER PRIMARY KEY);\n{program}\nCREATE TABLE b (id INTEGER PRIMARY KEY);\n"
    assert [each.class_name for each in model_of(text).tables[0].entities] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE TABLE t (id INTEGER", "line 1"),
        ("SELECT 1;", "no CREATE TABLE statement found"),
        ("", "no CREATE TABLE statement found"),
        (f"CREATE TABLE t (x INTEGER CHECK ({'(' * 5000}1{')' * 5000}))", "nested too deeply"),
    ],
)
def test_read_sql_rejects_a_file_that_is_not_a_schema(text: str, message: str) -> None:
    with pytest.raises(ImportRefused, match=message):
        read_sql(text, "schema.sql")


def test_the_import_sql_command_writes_a_model_that_check_reads(tmp_path: Path) -> None:
    output = tmp_path / "shop.py"
    queries = SAMPLES / "shop_postgres.queries.sql"
    finished = singletable("import", "sql", SAMPLES / "shop_postgres.sql", "--queries", queries, "--output", output)
    assert (finished.returncode, finished.stderr) == (0, "")
    checked = singletable("check", output)
    assert checked.returncode == 1
    assert 'Set key=("CUSTOMER#{id}", "METADATA") in @entity of Customer.' in checked.stdout
    assert "no key yet" in refused(singletable("cost", output))


def test_the_import_sql_command_names_the_missing_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from singletable.cli.main import main

    for name in [each for each in sys.modules if each.startswith(("sqlglot", "singletable.importers.sql."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    assert main(["import", "sql", str(tmp_path / "none.sql")]) != 0
    assert "pip install 'singletable[sql]'" in capsys.readouterr().err
