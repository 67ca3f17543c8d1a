"""`singletable export nosql-workbench`: the exported document imports as the same model."""

from __future__ import annotations

import json
from pathlib import Path

from examples.customers.model import Customers
from examples.customers.rows import CUSTOMERS
from tests.cli.program import refused, singletable


def test_the_export_nosql_workbench_command_round_trips_three_tables_with_all_patterns(tmp_path: Path) -> None:
    document, again = tmp_path / "customers.json", tmp_path / "again.py"
    exported = singletable("export", "nosql-workbench", "examples/customers/model.py", "--output", document)
    assert exported.returncode == 0, exported.stderr
    assert [table["TableName"] for table in json.loads(document.read_text())["DataModel"]] == [
        "Customers",
        "Orders",
        "Teams",
    ]
    assert singletable("import", "nosql-workbench", document, "--output", again).returncode == 0
    checked = singletable("check", again)
    assert checked.returncode == 0, checked.stdout
    assert "Teams: 4 of 4 patterns served as declared" in checked.stdout


def test_the_export_nosql_workbench_command_takes_rows_from_a_store(tmp_path: Path) -> None:
    store = f"file:{tmp_path / 'c.db'}"
    with Customers.open(store, create=True) as table:
        for row in CUSTOMERS:
            table.put(row)
    model = "examples/customers/model.py:Customers"
    (table_document,) = json.loads(singletable("export", "nosql-workbench", model, "--items", store).stdout)[
        "DataModel"
    ]
    names = {row["name"]["S"] for facet in table_document["TableFacets"] for row in facet["TableData"] if "name" in row}
    assert names == {"Ada Lovelace", "Charles Babbage"}


def test_the_export_nosql_workbench_command_rejects_a_missing_store() -> None:
    model = "examples/customers/model.py:Customers"
    assert "there is no store at" in refused(
        singletable("export", "nosql-workbench", model, "--items", "file:/there/is/nothing.db")
    )
