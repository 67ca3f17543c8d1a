"""Exported files contain the items: read back by pyarrow, DuckDB and pandas, from every source, after interruptions."""

from __future__ import annotations

import dataclasses
import enum
import json
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import duckdb
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from examples import SYSTEMS
from examples.helpdesk.model import HelpDesk
from singletable import AnalyticsRefused, Table, entity, upgrade
from singletable.analytics.data_export import DataExport, ExportManifest, partitioning, read_manifest
from singletable.analytics.export_files import ExportFormat, identifier
from singletable.analytics.table_source import ScanSource, SourcePage
from singletable.sample_rows.generate_rows import sample_rows
from singletable.testing import objects_of
from tests.analytics.expected_rows import expected, fields_of_object, found


def export(
    shop: Table, folder: Path, export_format: ExportFormat = "parquet", segments: int = 3, **options: Any
) -> ExportManifest:
    source = ScanSource(shop._opened(), segments=segments)
    return DataExport(type(shop).design, source, folder, export_format, **options).run()


def files_of(folder: Path, manifest: ExportManifest, name: str) -> list[Path]:
    return [folder / each["path"] for each in manifest.files.get(name, ())]


def by_pyarrow(files: list[Path]) -> list[dict[str, Any]]:
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def by_duckdb(files: list[Path]) -> list[dict[str, Any]]:
    with duckdb.connect() as database:
        relation = database.read_parquet(list(map(str, files)), hive_partitioning=False)
        table: list[dict[str, Any]] = relation.to_arrow_table().to_pylist()
        return table


def by_pandas(files: list[Path]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for file in files:
        schema = pq.ParquetFile(file).schema_arrow
        frame = pd.read_parquet(file, dtype_backend="pyarrow", partitioning=None)
        rows += pa.Table.from_pandas(frame, schema=schema).to_pylist()
    return rows


READERS: list[Callable[[list[Path]], list[dict[str, Any]]]] = [by_pyarrow, by_duckdb, by_pandas]


def assert_same(rows: list[dict[str, Any]], objects: list[Any], label: str) -> None:
    wanted = sorted(
        ({name: expected(each) for name, each in fields_of_object(one).items()} for one in objects), key=repr
    )
    assert len(rows) == len(wanted), label
    remaining = list(wanted)
    for row in rows:
        for one in remaining:
            if {name: found(row[name], one[name]) for name in one} == one:
                remaining.remove(one)
                break
    assert remaining == [], f"{label}: {remaining[:1]} is not in {rows[:3]}"


def assert_exported(shop: Table, folder: Path, manifest: ExportManifest) -> None:
    for each in type(shop).design.entities:
        objects: list[Any] = list(shop.scan(each.cls, reason="test", expired=True))
        files = files_of(folder, manifest, each.name)
        assert manifest.rows(each.name) == len(objects)
        for read in READERS if files else ():
            assert_same(read(files), objects, f"{each.name} by {read.__name__}")


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_parquet_export_of_an_example_equals_its_items(system: str, tmp_path: Path) -> None:
    scripts = [import_module(f"examples.{system}.{name}").SCRIPT for name in import_module(f"examples.{system}").TOUR]
    seen: set[type[Table]] = set()
    for script in scripts:
        if script.model in seen or not script.rows:
            continue
        seen.add(script.model)
        with script.model.open("memory:") as shop:
            shop.put_many(script.rows)
            manifest = export(shop, tmp_path / script.model.__name__)
            assert sum(map(manifest.rows, manifest.files)) > 0
            assert_exported(shop, tmp_path / script.model.__name__, manifest)
    assert seen


def test_a_parquet_export_of_generated_rows_equals_the_items(tmp_path: Path) -> None:
    with HelpDesk.open("memory:") as desk:
        engine = desk._opened().session.transport.engine  # type: ignore[attr-defined]  # the engine of memory:
        for row in sample_rows(HelpDesk.design).stored:
            engine.call("PutItem", {"TableName": "HelpDesk", "Item": dict(row)})
        assert_exported(desk, tmp_path / "out", export(desk, tmp_path / "out"))


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 9


@dataclasses.dataclass
class Part:
    name: str
    count: int = 3
    tags: list[str] | None = None


TYPES: list[Any] = [
    *(str, int, float, bool, bytes, Decimal, datetime, date, time, timedelta, uuid.UUID, Colour, Level),
    *(list[str], set[int], frozenset[str], tuple[int, ...], dict[str, int], dict[str, list[Decimal]], Part),
    *(list[Part], Literal["a", "b"], Literal[1, 2], int | str, Any, tuple[int, str], list[list[int]], dict[str, Part]),
]


@settings(max_examples=10, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_a_parquet_export_of_a_random_model_equals_its_items(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.tuples(st.sampled_from(TYPES), st.booleans()), min_size=1, max_size=8))
    fields: list[tuple[str, Any]] = [("id", str)]
    fields += [(f"f{number}", kind | None if optional else kind) for number, (kind, optional) in enumerate(chosen)]
    made = entity(key=("A#{id}", "HEAD"))(dataclasses.make_dataclass("Made", fields))
    table: Any = type("Random", (Table,), {}, entities=[made])
    values: dict[str, Any] = {
        "f" + str(number): st.integers(-(2**62), 2**62) for number, (kind, _) in enumerate(chosen) if kind is int
    }
    mixed: st.SearchStrategy[Any] = st.one_of(st.integers(), st.text())
    values |= {"f" + str(number): mixed for number, (kind, _) in enumerate(chosen) if kind is Any}
    objects = data.draw(st.lists(objects_of(table, made, **values), max_size=4, unique_by=lambda each: each.id))
    folder = Path(tempfile.mkdtemp())
    try:
        with table.open("memory:") as shop:
            for each in objects:
                shop.put(each)
            try:
                manifest = export(shop, folder / "out")
            except AnalyticsRefused as problem:
                if "does not fit the column type" not in str(problem):
                    raise
                assume(False)  # a nested int with more than 64 bits
            assert_exported(shop, folder / "out", manifest)
    finally:
        shutil.rmtree(folder)


@entity(key=("SALE#{id}", "HEAD"), schema_version=2)
class Sale(BaseModel):
    id: str
    price: Annotated[Decimal, Field(max_digits=7, decimal_places=2)]
    at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    shop: str | None = None
    lines: dict[str, int] = {}


@upgrade(Sale, from_version=1)
def with_price(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "price": fields.pop("cents") / 100}


class Sales(Table, entities=[Sale]):
    """Sales, whose prices have seven digits."""


def sale(number: int, **fields: Any) -> Sale:
    return Sale(id=f"s{number:04}", price=Decimal(number) / 4, **fields)


@pytest.fixture
def sales() -> Iterator[Sales]:
    with Sales.open("memory:") as opened:
        yield opened


def put_raw(shop: Table, **values: dict[str, Any]) -> None:
    engine = shop._opened().session.transport.engine  # type: ignore[attr-defined]  # the engine of memory:
    engine.call("PutItem", {"TableName": "Sales", "Item": {**values, "SK": {"S": "HEAD"}}})


def test_numbers_in_a_data_export_have_their_declared_digits(sales: Sales, tmp_path: Path) -> None:
    sales.put(sale(5))
    manifest = export(sales, tmp_path / "out")
    schema = pq.ParquetFile(files_of(tmp_path / "out", manifest, "Sale")[0]).schema_arrow
    assert str(schema.field("price").type) == "decimal128(7, 2)"
    assert pa.types.is_map(schema.field("lines").type)


@dataclasses.dataclass
class Measurement:
    level: int
    unit: str = "cm"
    tags: set[str] = dataclasses.field(default_factory=set)
    notes: list[str] = dataclasses.field(default_factory=lambda: ["none"])


@entity(key=("PROBE#{id}", "HEAD"))
@dataclasses.dataclass
class Probe:
    id: str
    tags: set[str] = dataclasses.field(default_factory=set)
    limits: dict[str, int] = dataclasses.field(default_factory=dict)
    last: Measurement | None = None
    unit: str = "cm"


class Probes(Table, entities=[Probe]):
    """Probes, whose fields have defaults."""


def test_an_export_fills_missing_attributes_with_the_defaults_of_the_fields(tmp_path: Path) -> None:
    with Probes.open("memory:") as probes:
        probes.put(Probe("p1"))
        probes.put(Probe("p2", {"a"}, {"x": 1}, Measurement(1)))
        engine = probes._opened().session.transport.engine  # type: ignore[attr-defined]  # the engine of memory:
        old = {"PK": {"S": "PROBE#p3"}, "SK": {"S": "HEAD"}, "entity_type": {"S": "Probe"}, "id": {"S": "p3"}}
        engine.call("PutItem", {"TableName": "Probes", "Item": old | {"last": {"M": {"level": {"N": "1"}}}}})
        manifest = export(probes, tmp_path / "out")
        assert_exported(probes, tmp_path / "out", manifest)
        rows = by_pyarrow(files_of(tmp_path / "out", manifest, "Probe"))
        assert sorted(row["id"] for row in rows if row["tags"] == []) == ["p1", "p3"]
        assert probes.arrow(Probe, tags=set()).num_rows == 2
        (p3,) = probes.arrow(Probe, id="p3").to_pylist()
        assert p3["last"] == {"level": 1, "unit": "cm", "tags": [], "notes": ["none"]}
        lines = export(probes, tmp_path / "lines", "jsonl")
        texts = [file.read_text() for file in files_of(tmp_path / "lines", lines, "Probe")]
        found = [json.loads(line) for text in texts for line in text.splitlines()]
        assert sorted(json.dumps(each["limits"]) for each in found) == ['{"x": 1}', "{}", "{}"]


def test_an_export_upgrades_items_of_an_older_schema_version(sales: Sales, tmp_path: Path) -> None:
    put_raw(sales, PK={"S": "SALE#s1"}, entity_type={"S": "Sale"}, id={"S": "s1"}, cents={"N": "250"})
    manifest = export(sales, tmp_path / "out")
    (row,) = by_pyarrow(files_of(tmp_path / "out", manifest, "Sale"))
    assert row["price"] == Decimal("2.50")


def test_a_value_that_does_not_fit_stops_the_export_and_names_its_item(sales: Sales, tmp_path: Path) -> None:
    sales.put(sale(1))
    item = {"PK": {"S": "SALE#s2"}, "id": {"S": "s2"}, "entity_type": {"S": "Sale"}, "schema_v": {"N": "2"}}
    put_raw(sales, **item, price={"N": "1234567.891"}, at={"S": "2026-01-01T00:00:00.000000Z"}, lines={"M": {}})
    with pytest.raises(AnalyticsRefused, match=r"SALE#s2.*Sale\.price is .*1234567\.891.*decimal128\(7, 2\)"):
        export(sales, tmp_path / "out")


def test_an_export_counts_items_of_unknown_entities(sales: Sales, tmp_path: Path) -> None:
    put_raw(sales, PK={"S": "X"}, entity_type={"S": "Refund"})
    assert export(sales, tmp_path / "out").unknown == {"Refund": 1}


def test_the_partitions_of_a_data_export_are_folders(sales: Sales, tmp_path: Path) -> None:
    moments = [None, "a/b=c", "a/b=c", "d"]
    for number, shop in enumerate(moments):
        sales.put(sale(number, shop=shop))
    chosen = {"Sale": partitioning("Sale.shop", Sales.design)}
    manifest = export(sales, tmp_path / "out", partitions=chosen)
    folders = sorted({file.parent.name for file in files_of(tmp_path / "out", manifest, "Sale")})
    assert folders == ["by_shop=__HIVE_DEFAULT_PARTITION__", "by_shop=a%2Fb%3Dc", "by_shop=d"]
    assert_exported(sales, tmp_path / "out", manifest)
    glob = str(tmp_path / "out" / "Sale" / "*" / "*.parquet")
    counted = duckdb.execute("SELECT by_shop, count(*) FROM read_parquet(?) GROUP BY ALL ORDER BY 1", [glob]).fetchall()
    assert counted == [("a/b=c", 2), ("d", 1), (None, 1)]


@pytest.mark.parametrize("text", ["Sale", "Sale.colour", "Order.shop", "Sale.at", "Sale.at:week", "Sale.shop:month"])
def test_a_data_export_rejects_an_unknown_partition(text: str) -> None:
    with pytest.raises(AnalyticsRefused, match="cannot partition by"):
        partitioning(text, Sales.design)


def test_a_value_that_cannot_name_a_folder_stops_a_partitioned_data_export(sales: Sales, tmp_path: Path) -> None:
    sales.put(sale(1, shop="x" * 300))
    with pytest.raises(AnalyticsRefused, match=r"Sale\.shop has the value 'x+'\.\.\., which is too long for the name"):
        export(sales, tmp_path / "out", partitions={"Sale": partitioning("Sale.shop", Sales.design)})


def test_an_export_of_an_entity_without_items_is_an_empty_file_with_its_columns(sales: Sales, tmp_path: Path) -> None:
    manifest = export(sales, tmp_path / "out")
    (file,) = files_of(tmp_path / "out", manifest, "Sale")
    for read in READERS:
        assert read([file]) == []
    assert str(pq.ParquetFile(file).schema_arrow.field("price").type) == "decimal128(7, 2)"


def test_all_formats_of_a_data_export_contain_the_same_items(sales: Sales, tmp_path: Path) -> None:
    for number in range(20):
        sales.put(sale(number, lines={"x": number, "é": 1}, shop=None if number % 3 else 'a,"b"\n'))
    for export_format in ("csv", "jsonl", "duckdb"):
        manifest = export(sales, tmp_path / export_format, export_format, step_rows=7)
        assert manifest.rows("Sale") == 20
    with duckdb.connect(str(tmp_path / "duckdb" / "Sales.duckdb"), read_only=True) as database:
        rows = database.sql(f"SELECT * FROM {identifier('Sale')}").to_arrow_table().to_pylist()
    assert_same(rows, list(sales.scan(Sale, reason="test")), "duckdb")
    assert sorted(path.name for path in (tmp_path / "duckdb").iterdir()) == ["Sales.duckdb", "manifest.json"]
    texts = [file.read_text(encoding="utf-8") for file in (tmp_path / "jsonl").rglob("part-*")]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    assert sorted((each["id"], each["price"], each["lines"]["x"]) for each in lines)[:2] == [
        ("s0000", "0.00", 0),
        ("s0001", "0.25", 1),
    ]
    glob = str(tmp_path / "csv" / "Sale" / "*.csv")
    read = duckdb.execute("SELECT count(*), sum(price), max(shop) FROM read_csv(?, header = true)", [glob]).fetchone()
    assert read == (20, 47.5, 'a,"b"\n')


class Interrupted(Exception):
    """The process ended."""


def test_an_interrupted_data_export_continues(sales: Sales, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3000):
        sales.put(sale(number, shop="x" * 1500))
    pages = ScanSource.pages

    def interrupted(self: ScanSource, position: Any) -> Iterator[SourcePage]:
        for number, page in enumerate(pages(self, position)):
            if number == 1:
                raise Interrupted
            yield page

    monkeypatch.setattr(ScanSource, "pages", interrupted)
    attempts = 0
    while True:
        attempts += 1
        try:
            manifest = export(sales, tmp_path / "out", segments=1, step_rows=10)
        except Interrupted:
            known = read_manifest(tmp_path / "out")
            assert known is not None
            assert not known.is_complete
            (tmp_path / "out" / "Sale").mkdir(exist_ok=True)
            (tmp_path / "out" / "Sale" / "part-00099.parquet").write_bytes(b"unfinished")
            continue
        break
    assert attempts > 2
    assert not (tmp_path / "out" / "Sale" / "part-00099.parquet").exists()
    rows = by_pyarrow(files_of(tmp_path / "out", manifest, "Sale"))
    assert sorted(row["id"] for row in rows) == [f"s{number:04}" for number in range(3000)]
    with pytest.raises(AnalyticsRefused, match="already has a complete export"):
        export(sales, tmp_path / "out")


def test_a_slow_data_export_stores_its_progress_every_minute(sales: Sales, tmp_path: Path) -> None:
    for number in range(3000):
        sales.put(sale(number, shop="x" * 1500))
    times = iter(range(0, 10_000, 61))
    manifest = export(sales, tmp_path / "out", segments=1, clock=lambda: next(times))
    assert len(manifest.files["Sale"]) > 3
    assert manifest.rows("Sale") == 3000


def test_a_data_export_with_other_settings_is_not_continued(sales: Sales, tmp_path: Path) -> None:
    manifest = export(sales, tmp_path / "out")
    manifest.is_complete = False
    manifest.write(tmp_path / "out")
    with pytest.raises(AnalyticsRefused, match="has an unfinished export with another format"):
        export(sales, tmp_path / "out", "csv")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(AnalyticsRefused, match="is not empty; choose a new folder"):
        export(sales, tmp_path / "other")


def test_the_rate_of_a_data_export_limits_its_read_units(sales: Sales) -> None:
    for number in range(40):
        sales.put(sale(number, shop="x" * 4000))
    waits: list[float] = []
    source = ScanSource(sales._opened(), segments=1, rate=5, clock=lambda: 0.0, wait=waits.append)
    units = sum(page.read_units for page in source.pages(None))
    assert waits == [units / 5]
