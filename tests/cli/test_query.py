"""`singletable query`: the reads are shown before, and the result is a table, CSV, JSON or Parquet."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from examples.shop.model import Shop
from examples.shop.rows import ROWS
from tests.cli.program import singletable

MODEL = "examples/shop/model.py"
ORDERS = "SELECT id, status FROM \"Order\" WHERE customer_id = 'c1' ORDER BY id"


@pytest.fixture
def url(tmp_path: Path) -> str:
    place = f"file:{tmp_path / 'shop.db'}"
    with Shop.open(place, create=True) as shop:
        shop.put_many(ROWS)
    return place


def test_the_query_command_shows_its_reads_and_its_result(url: str) -> None:
    finished = singletable("query", MODEL, url, ORDERS)
    assert finished.stdout.splitlines()[2:] == ["----  ---------", "o100  DELIVERED", "o101  SHIPPED"]
    assert finished.stderr.splitlines() == [
        "reads: 1 Query request, about 0.5 read units, less than $0.01",
        "  Order: GSI1: GSI1PK = 'CUST#c1', GSI1SK begins with 'ORDER#'",
        "read: 2 items, 0.5 read units, 1 request",
    ]


def test_the_query_command_with_plan_reads_nothing(url: str) -> None:
    finished = singletable("query", MODEL, url, "SELECT count(*) FROM Product", "--plan")
    assert finished.stdout.splitlines() == [
        "reads: Scan of the table (13 items, 1,760 bytes), about 2 read units, less than $0.01",
        "  Scan for Product: no key is compared with a constant",
    ]
    assert finished.stderr == ""


def test_every_format_of_the_query_command_has_the_rows(url: str, tmp_path: Path) -> None:
    assert singletable("query", MODEL, url, ORDERS, "--format", "csv").stdout == (
        "id,status\no100,DELIVERED\no101,SHIPPED\n"
    )
    found = json.loads(singletable("query", MODEL, url, ORDERS, "--json").stdout)
    assert found == [{"id": "o100", "status": "DELIVERED"}, {"id": "o101", "status": "SHIPPED"}]
    singletable("query", MODEL, url, ORDERS, "--format", "parquet", "--output", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == found
    twice = singletable("query", MODEL, url, "SELECT sku, sku FROM Product ORDER BY 1 LIMIT 1", "--json")
    assert list(json.loads(twice.stdout)[0].values()) == ["AVON-TORTOISE"] * 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("{url}", "DELETE FROM Product"), "not a SELECT statement that DuckDB can parse"),
        (("{url}", "SELECT nothing FROM Product"), 'Referenced column "nothing" not found'),
        (("{url}", "SELECT 1", "--format", "parquet"), "--format parquet needs --output FILE"),
        (("file:nowhere.db", "SELECT 1"), "there is no store at file:nowhere.db"),
        (("{url}", "SELECT 1", "--output", "/nowhere/x.csv"), "cannot write /nowhere/x.csv"),
    ],
)
def test_a_wrong_query_is_rejected(words: tuple[str, ...], message: str, url: str) -> None:
    finished = singletable("query", MODEL, *(each.format(url=url) for each in words))
    assert finished.returncode == 2
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr
