"""`singletable export nosql-workbench`: a document that is imported again as the model it was made of."""

from __future__ import annotations

import json
from pathlib import Path

from examples.customers.model import Customers
from examples.customers.rows import CUSTOMERS
from tests.cli.program import refused, singletable


def test_a_model_of_three_tables_comes_back_with_all_its_patterns(tmp_path: Path) -> None:
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


def test_rows_are_those_of_a_store(tmp_path: Path) -> None:
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


def test_a_store_that_is_not_there_is_refused() -> None:
    model = "examples/customers/model.py:Customers"
    assert "no store has that path" in refused(
        singletable("export", "nosql-workbench", model, "--items", "file:/there/is/nothing.db")
    )
