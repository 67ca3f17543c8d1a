"""Rows of CSV and JSON lines files and of SQL databases: copied, and copied again from a watermark."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from singletable import ArgumentRefused, Table, entity, get, key, pattern
from singletable.client.request_steps import run
from singletable.consolidation import Consolidation, CsvSource, JsonLinesSource, LeftOut, SqlSource
from singletable.consolidation.consolidation_run import ConsolidationResult, ConsolidationRun, ConsolidationSettings
from singletable.consolidation.sources import Source
from singletable.engine import Engine
from singletable.migrations import item_pass

COUNT = 25


@entity(key=("PRICE#{sku}", "PRICE"))
@dataclass
class Price:
    sku: str
    amount: Decimal


class Prices(Table, entities=[Price]):
    @pattern
    def price(self, sku: str) -> Price | None:
        return get(Price)


@dataclass
class PriceRow:
    sku: str
    amount: Decimal
    changed: int


def price_of(row: PriceRow) -> Price | LeftOut:
    return LeftOut("a gift") if row.amount == 0 else Price(row.sku, row.amount)


Rows = dict[str, tuple[str, int]]
"""The amount and the watermark of each SKU."""


def write_csv(path: Path, rows: Rows) -> Source:
    lines = ["changed,sku,amount", *(f"{changed},{sku},{amount}" for sku, (amount, changed) in rows.items())]
    path.write_text("\n".join(lines), encoding="utf-8")
    return CsvSource(path, price_of, ("sku",), watermark="changed")


def write_json_lines(path: Path, rows: Rows) -> Source:
    documents = ({"sku": sku, "amount": float(each[0]), "changed": each[1]} for sku, each in rows.items())
    path.write_text("\n".join(map(json.dumps, documents)) + "\n\n", encoding="utf-8")
    return JsonLinesSource(path, price_of, ("sku",), watermark="changed")


def write_sql(path: Path, rows: Rows, query: str | None = None) -> Source:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE IF NOT EXISTS prices (sku TEXT PRIMARY KEY, amount NUMERIC, changed INTEGER)")
    database.execute("DELETE FROM prices")
    database.executemany("INSERT INTO prices VALUES (?, ?, ?)", [(sku, *each) for sku, each in rows.items()])
    database.commit()
    database.close()
    return SqlSource("prices", f"sqlite:///{path}", price_of, ("sku",), watermark="changed", query=query)


def write_query(path: Path, rows: Rows) -> Source:
    return write_sql(path, rows, "SELECT p.* FROM prices p WHERE sku <> 'other'")


WRITERS = [write_csv, write_json_lines, write_sql, write_query]


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    from singletable.consolidation import row_readers, sql_rows

    for module in (item_pass, row_readers, sql_rows):
        monkeypatch.setattr(module, "PAGE_ITEMS_MAX", 4)


def consolidate(engine: Engine, source: Source) -> ConsolidationResult:
    consolidation = Consolidation(Prices, source)
    with consolidation.open(engine) as prices:
        runner = ConsolidationRun(consolidation, prices, ConsolidationSettings(wait_seconds=0.0))
        return run(runner.run(), prices._opened().session)


def stored(engine: Engine) -> dict[str, Decimal]:
    with Prices.open(engine) as prices:
        return {each.sku: each.amount for each in prices.scan(Price, reason="test")}


@pytest.fixture
def engine() -> Engine:
    made = Engine("memory:")
    Prices.open(made, create=True).close()
    return made


@pytest.mark.parametrize("write", WRITERS)
def test_rows_are_copied_and_later_runs_read_from_the_watermark_on(
    write: Callable[[Path, Rows], Source], engine: Engine, tmp_path: Path
) -> None:
    rows: Rows = {f"s{number}": (f"{number}.5", 10 + number) for number in range(COUNT)}
    rows["gift"] = ("0", 5)
    path = tmp_path / "rows"
    result = consolidate(engine, write(path, rows))
    assert not result.failures
    assert result.work.left_out == {"a gift": 2}  # in both passes
    expected = {sku: Decimal(amount) for sku, (amount, _) in rows.items() if sku != "gift"}
    assert stored(engine) == expected
    rows |= {"s3": ("99.5", 100), "new": ("1.5", 101), "s4": ("50.5", 3)}  # a watermark below the highest is not read
    again = consolidate(engine, write(path, rows))
    assert stored(engine) == expected | {"s3": Decimal("99.5"), "new": Decimal("1.5")}
    assert again.work.items == 3  # the last row of the first run, and two with a higher watermark
    assert again.work.written == 2
    assert consolidate(engine, write(path, rows)).work.written == 0


@pytest.mark.parametrize("write", WRITERS)
def test_a_row_source_continues_at_the_checkpoint(
    write: Callable[[Path, Rows], Source], engine: Engine, tmp_path: Path
) -> None:
    source = write(tmp_path / "rows", {f"s{number}": ("1.5", number) for number in range(COUNT)})
    consolidation = Consolidation(Prices, source)
    with consolidation.open(engine) as prices:
        settings = ConsolidationSettings(wait_seconds=0.0, progress=_stop_after(12))
        with pytest.raises(_Stop):
            run(ConsolidationRun(consolidation, prices, settings).run(), prices._opened().session)
    assert len(stored(engine)) == 12
    result = consolidate(engine, source)
    assert not result.failures
    assert len(stored(engine)) == COUNT
    assert result.work.written == COUNT  # with those of the first runner


class _Stop(Exception):
    pass


def _stop_after(rows: int) -> Callable[[Any], None]:
    def progress(done: Any) -> None:
        if done.rows >= rows:
            raise _Stop

    return progress


BROKEN = {
    "sku,amount\ns1\n": "rows:2: the row has 1 columns, but the header has 2",
    "sku,price\n": "rows has no column changed; its columns are sku, price",
    'sku,amount,changed\n"s1': "cannot read",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_row_source_reports_a_malformed_csv_file(text: str, engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text(text, encoding="utf-8")
    source = CsvSource(path, price_of, ("sku",), watermark="changed" if "price" in text else None)
    with pytest.raises(ArgumentRefused, match=BROKEN[text]):
        consolidate(engine, source)


def test_other_malformed_sources_are_reported(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text('{"sku": 1}\n[]\n', encoding="utf-8")
    with pytest.raises(ArgumentRefused, match="rows:2: each line must be a JSON object"):
        consolidate(engine, JsonLinesSource(path, price_of, ("sku",)))
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ArgumentRefused, match="rows:1: not a JSON document"):
        consolidate(engine, JsonLinesSource(path, price_of, ("sku",)))
    with pytest.raises(ArgumentRefused, match=r"cannot read missing\.csv: No such file"):
        consolidate(engine, CsvSource("missing.csv", price_of, ("sku",)))
    with pytest.raises(ArgumentRefused, match=r"prices: cannot read sqlite://.*no such table: prices"):
        consolidate(engine, SqlSource("prices", f"sqlite:///{tmp_path / 'no.db'}", price_of, ("sku",)))
    url = "postgresql+nodriver://me:secret@host/db"
    with pytest.raises(ArgumentRefused, match="prices: cannot read postgresql") as caught:
        consolidate(engine, SqlSource("prices", url, price_of, ("sku",)))
    assert "secret" not in str(caught.value)


def test_a_wrong_row_of_a_row_source_is_listed_and_nothing_is_written(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text("sku,amount,changed\ns1,1.5,1\ns2,much,2\ns1,2.5,3\n", encoding="utf-8")
    result = consolidate(engine, CsvSource(path, price_of, ("sku",)))
    reasons = [each.reason for each in result.failures]
    assert sorted(each.key for each in result.failures) == ['rows {"sku": "s1"}', 'rows {"sku": "s2"}']
    assert any("the row is not a PriceRow: " in each for each in reasons)
    assert any("it maps to Price with sku='s1', as rows {" in each for each in reasons)
    assert stored(engine) == {}
    assert key(Price, sku="s1").values == {"sku": "s1"}
