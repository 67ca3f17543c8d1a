"""`singletable sql`: rows, the kind of access, and error messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from tests.cli.program import refused, singletable
from tests.cli.test_serve import serve
from tests.engine.table_requests import create_indexed, get, item, put, texts


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}") as engine:
        create_indexed(engine)
        for number in range(3):
            put(engine, {**texts(pk="p", sk=str(number), gsiPk="g"), "n": {"N": str(number)}})
        nested = {"M": {"city": {"S": "Oslo"}, "on": {"BOOL": True}, "l": {"L": [{"N": "1"}, {"NULL": True}]}}}
        put(engine, {**texts(pk="q", sk="1", odd="a\x1b[2Jb\nc"), "place": nested, "ss": {"NS": ["1", "2"]}})
    return path


def shown(store: Path, statement: str, *options: str) -> list[str]:
    done = singletable("sql", statement, "--data", store, *options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_sql_command_prints_rows_as_a_table_with_the_access(store: Path) -> None:
    assert shown(store, "SELECT sk, n FROM \"table\" WHERE pk = 'p' AND sk > '0' AND n < 2") == [
        "1 row",
        "sk  n",
        "--  -",
        "1   1",
        "",
        "Query on table (pk = 'p' AND sk > '0'), then filter \"n\" < 2",
        "consumed 0.5 read units in 1 request",
    ]


@pytest.mark.parametrize(
    ("statement", "access"),
    [
        ("SELECT * FROM \"table\" WHERE pk = 'p' AND sk = '1'", "GetItem on table (pk = 'p' AND sk = '1')"),
        (
            "SELECT * FROM \"table\" WHERE pk = 'p' AND sk IN ['1', '2']",
            "2 x GetItem on table (pk = 'p' AND sk = '1'; pk = 'p' AND sk = '2')",
        ),
        ("SELECT * FROM \"table\" WHERE pk = 'absent'", "Query on table (pk = 'absent')"),
        ('SELECT * FROM "table"."gsi" WHERE gsiPk = \'g\'', "Query on table.gsi (gsiPk = 'g')"),
        (
            "SELECT * FROM \"table\".\"lsi\" WHERE pk = 'p' AND lsiSk BETWEEN 'a' AND 'b'",
            "Query on table.lsi (pk = 'p' AND lsiSk BETWEEN 'a' AND 'b')",
        ),
        ('SELECT * FROM "table"', "Scan of table"),
        ('SELECT * FROM "table"."gsi"', "Scan of table.gsi"),
        ("SELECT * FROM \"table\" WHERE begins_with(sk, '1')", "Scan of table, then filter begins_with(\"sk\", '1')"),
        ("DELETE FROM \"table\" WHERE pk = 'x' AND sk = '1'", "DeleteItem on table (pk = 'x' AND sk = '1')"),
    ],
)
def test_the_sql_command_names_every_kind_of_access(store: Path, statement: str, access: str) -> None:
    assert access in shown(store, statement)


def test_the_sql_command_prints_readable_and_harmless_values(store: Path) -> None:
    lines = shown(store, "SELECT odd, place, ss FROM \"table\" WHERE pk = 'q'")
    assert lines[3] == "a\\x1b[2Jb\\nc  {city: 'Oslo', on: true, l: [1, null]}  <<1, 2>>"


def test_the_sql_command_executes_and_reports_a_write(store: Path) -> None:
    lines = shown(store, "UPDATE \"table\" SET n = ? WHERE pk = 'p' AND sk = '0'", "--parameters", "[12.5]")
    assert lines == ["UpdateItem on table (pk = 'p' AND sk = '0')", "consumed 2 write units in 1 request"]
    with Engine(f"file:{store}") as engine:
        found = get(engine, texts(pk="p", sk="0"))
    assert found is not None
    assert found["n"] == {"N": "12.5"}


def test_the_sql_command_accepts_parameters_in_plain_json_or_dynamodb_json(store: Path) -> None:
    statement = 'SELECT sk FROM "table" WHERE pk = ? AND n = ? AND absent <> ?'
    assert "1 row" in shown(store, statement, "--parameters", '["p", {"N": "1"}, null]')


def test_the_sql_command_shows_all_pages_up_to_the_limit(store: Path) -> None:
    with Engine(f"file:{store}") as engine:
        for number in range(6):
            put(engine, item(pk="large", sk=str(number), body="x" * 300_000))
    lines = shown(store, "SELECT sk FROM \"table\" WHERE pk = 'large'")
    assert (lines[0], lines[-1]) == ("6 rows", "consumed 220 read units in 2 requests")
    lines = shown(store, "SELECT sk FROM \"table\" WHERE pk = 'large'", "--limit", "2")
    assert (lines[0], lines[-1]) == ("2 rows", "there are more rows; increase --limit to show them")


def test_the_sql_command_reports_twice_the_cost_for_consistent_reads(store: Path) -> None:
    lines = shown(store, "SELECT sk FROM \"table\" WHERE pk = 'p'", "--consistent")
    assert lines[-1] == "consumed 1 read unit in 1 request"


def test_the_sql_command_json_is_one_document(store: Path) -> None:
    done = singletable("sql", "SELECT sk FROM \"table\" WHERE pk = 'p' AND n = 1", "--data", store, "--json")
    assert json.loads(done.stdout) == {
        "access": {
            "operation": "Query",
            "table": "table",
            "index": None,
            "keys": ["pk = 'p'"],
            "filter": '"n" = 1',
        },
        "consumed_units": 0.5,
        "requests": 1,
        "items": [{"sk": {"S": "1"}}],
        "has_more": False,
    }


def test_the_sql_command_shows_an_invalid_statement_with_its_position(store: Path) -> None:
    said = refused(singletable("sql", "SELECT * FROM t\nWHERE pk == 1", "--data", store))
    assert said.splitlines() == [
        "ValidationException: Statement wasn't well formed, can't be processed: Unexpected operator",
        "  WHERE pk == 1",
        "            ^",
    ]


def test_the_sql_command_reports_bad_input(store: Path, tmp_path: Path) -> None:
    assert "contains table." in refused(singletable("sql", "SELECT * FROM absent", "--data", store))
    missing = tmp_path / "none.db"
    assert refused(singletable("sql", "SELECT * FROM t", "--data", missing)).startswith("There is no store at ")
    assert not missing.exists()
    failed = "UPDATE \"table\" SET n = 1 WHERE pk = 'p' AND sk = '9'"
    assert "The conditional request failed" in refused(singletable("sql", failed, "--data", store))
    for parameters in ("{", "[]", "{}", "[[1]]", "[NaN]", "[1e999]", '[{"S": 1}]'):
        refused(singletable("sql", 'SELECT * FROM "table" WHERE pk = ?', "--data", store, "--parameters", parameters))
    refused(singletable("sql", 'SELECT * FROM "table"', "--data", store, "--limit", "0"))
    foreign = tmp_path / "foreign.db"
    foreign.write_text("no store")
    refused(singletable("sql", 'SELECT * FROM "table"', "--data", foreign))


def test_the_sql_command_runs_a_statement_on_a_server(store: Path) -> None:
    with serve("--json", "--data", store) as running:
        url = running.ready["url"]
        done = singletable("sql", 'SELECT sk FROM "table"."gsi" WHERE gsiPk = \'g\'', "--data", url, "--json")
        absent = singletable("sql", 'SELECT * FROM "absent"', "--data", url)
    answer = json.loads(done.stdout)
    assert answer["access"]["operation"] == "Query"
    assert answer["access"]["index"] == "gsi"
    assert sorted(each["sk"]["S"] for each in answer["items"]) == ["0", "1", "2"]
    assert answer["consumed_units"] == 0.5
    assert (absent.returncode, absent.stderr) == (2, "there is no table 'absent'; the tables are table\n")


def test_the_sql_command_accepts_a_store_as_a_url(store: Path) -> None:
    assert singletable("sql", "SELECT sk FROM \"table\" WHERE pk = 'p'", "--data", f"file:{store}").returncode == 0
