"""Statements with push-down have the same result as DuckDB over all rows, and read only the partitions they need."""

from __future__ import annotations

import enum
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import duckdb
import pytest

from singletable import AnalyticsRefused, ArgumentRefused, Table, entity, sparse
from singletable.analytics.data_export import DataExport
from singletable.analytics.sql_query import SqlPlan, SqlReader
from singletable.analytics.table_source import ScanSource
from singletable.testing import measure

STATEMENTS = int(os.environ.get("STATEMENTS", "60"))


class Status(enum.Enum):
    OPEN = "OPEN"
    SENT = "SENT"


@entity(key=("CUST#{id}", "HEAD"), gsi1=("COUNTRY#{country}", "{id}"))
@dataclass
class Customer:
    id: str
    country: str


@entity(
    key=("ORDER#{id}", "HEAD"),
    gsi1=("CUST#{customer_id}", "ORDER#{at:seconds}#{id}"),
    gsi2=sparse("AGENT#{agent}", "{id}"),
    gsi3=("STATUS#{status}", "{id}"),
)
@dataclass
class Purchase:
    id: str
    customer_id: str
    status: Status
    at: datetime
    total: int
    agent: str | None = None


@entity(key=("ORDER#{order_id}", "LINE#{number:03d}"), gsi1=("SKU#{sku}", "ORDER#{order_id}"))
@dataclass
class Line:
    order_id: str
    number: int
    sku: str
    quantity: int | None = None


class Store(Table, entities=[Customer, Purchase, Line]):
    """Customers, their purchases and the lines of these."""


COLUMNS = {
    "Customer": {"id": "c", "country": "country"},
    "Purchase": {"id": "o", "customer_id": "c", "status": "status", "agent": "agent", "total": "int"},
    "Line": {"order_id": "o", "sku": "sku", "number": "int", "quantity": "int"},
}
VALUES: dict[str, list[Any]] = {
    "c": [f"c{number}" for number in range(6)],
    "o": [f"o{number}" for number in range(16)],
    "country": ["DE", "FR", "it's"],
    "status": ["OPEN", "SENT", "open"],
    "agent": ["a1", "a2"],
    "sku": [f"s{number}" for number in range(5)],
    "int": [0, 1, 2, 3, 50],
}


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    chance = random.Random(7)
    with Store.open("memory:") as opened:
        for number in range(5):
            opened.put(Customer(f"c{number}", chance.choice(VALUES["country"])))
        start = datetime(2026, 1, 1, tzinfo=UTC)
        for number in range(14):
            made = Purchase(f"o{number}", chance.choice(VALUES["c"]), chance.choice(list(Status)), start, number % 5)
            made.at, made.agent = start + timedelta(days=number), chance.choice([None, "a1", "a2"])
            opened.put(made)
        for number in range(40):
            quantity = chance.choice([None, 0, 1, 2])
            opened.put(Line(chance.choice(VALUES["o"]), number % 7, chance.choice(VALUES["sku"]), quantity))
        yield opened


@pytest.fixture(scope="module")
def exported(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder: Path = tmp_path_factory.mktemp("export") / "out"
    DataExport(Store.design, ScanSource(store._opened()), folder, "duckdb").run()
    with duckdb.connect(str(folder / "Store.duckdb"), read_only=True) as database:
        yield database


def literal(value: Any) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


class Statements:
    """Random SELECT statements over the three entities."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def make(self) -> str:
        chance = self.chance
        kind = chance.randrange(10)
        if kind == 0:
            return f"WITH part AS ({self.select()}) SELECT count(*), min(v) FROM part"
        if kind == 1:
            return f"({self.select()}) {chance.choice(['UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT'])} ({self.select()})"
        if kind == 2:
            return (
                "SELECT c.id, (SELECT count(*) FROM Purchase p WHERE p.customer_id = c.id "
                f"AND {self.condition({'p': 'Purchase'})}) FROM Customer c WHERE {self.condition({'c': 'Customer'})}"
            )
        if kind == 3:
            word = chance.choice(["EXISTS", "NOT EXISTS"])
            inner = f"SELECT 1 FROM Line l WHERE l.order_id = p.id AND {self.condition({'l': 'Line'})}"
            return f"SELECT p.id FROM Purchase p WHERE {word} ({inner}) AND {self.condition({'p': 'Purchase'})}"
        if kind == 4:
            inner = f"SELECT id FROM Purchase p WHERE {self.condition({'p': 'Purchase'})}"
            return f"SELECT order_id, number FROM Line WHERE order_id IN ({inner}) AND {self.condition({'': 'Line'})}"
        return self.select()

    def select(self) -> str:
        chance = self.chance
        tables = {alias: chance.choice(list(COLUMNS)) for alias in "xyz"[: chance.choice([1, 1, 2, 2, 3])]}
        text, seen = "", dict[str, str]()
        for alias, name in tables.items():
            if not seen:
                text = f"{name} {alias}"
            else:
                join = chance.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN", ","])
                text += f"{join} {name} {alias}" if join == "," else f" {join} {name} {alias} ON "
                if join != ",":
                    text += self.join_condition(seen, alias, name)
                if join in ("SEMI JOIN", "ANTI JOIN"):
                    continue
            seen[alias] = name
        where = f" WHERE {self.condition(seen)}" if chance.random() < 0.8 else ""
        alias = chance.choice(list(seen))
        column = chance.choice(list(COLUMNS[seen[alias]]))
        if chance.random() < 0.3:
            return f"SELECT CAST({alias}.{column} AS VARCHAR) AS v, count(*) AS n FROM {text}{where} GROUP BY ALL"
        if chance.random() < 0.2:
            window = f"row_number() OVER (PARTITION BY {alias}.{column} ORDER BY {alias}.{column})"
            return f"SELECT CAST({alias}.{column} AS VARCHAR) AS v, {window} AS n FROM {text}{where}"
        return f"SELECT CAST({alias}.{column} AS VARCHAR) AS v, 1 AS n FROM {text}{where}"

    def join_condition(self, seen: dict[str, str], alias: str, name: str) -> str:
        """Return the equality of two columns of the same kind, and sometimes a condition on one side."""
        pairs = [
            f"{other}.{theirs} = {alias}.{ours}"
            for other, other_name in seen.items()
            for theirs, kind in COLUMNS[other_name].items()
            for ours, own_kind in COLUMNS[name].items()
            if kind == own_kind
        ]
        text = self.chance.choice(pairs) if pairs else "1 = 1"
        if self.chance.random() < 0.4:
            text += f" AND {self.test({**seen, alias: name})}"
        return text

    def condition(self, tables: dict[str, str]) -> str:
        chance = self.chance
        tests = [self.test(tables) for _ in range(chance.choice([1, 1, 2, 3]))]
        if chance.random() < 0.15:
            return f"({' OR '.join(tests)})"
        return " AND ".join(tests)

    def test(self, tables: dict[str, str]) -> str:
        chance = self.chance
        alias = chance.choice(list(tables))
        column, kind = chance.choice(list(COLUMNS[tables[alias]].items()))
        name = f"{alias}.{column}" if alias else column
        value = literal(chance.choice(VALUES[kind]))
        chosen = chance.randrange(9)
        if chosen == 0:
            return f"{name} IN ({value}, {literal(chance.choice(VALUES[kind]))})"
        if chosen == 1:
            return f"{name} IS {chance.choice(['', 'NOT '])}NULL"
        if chosen == 2:
            return f"{name} <> {value}"
        if chosen == 3:
            return f"NOT ({name} = {value})"
        if chosen == 4:
            return f"coalesce(CAST({name} AS VARCHAR), 'x') = 'x'"
        return f"{name} = {value}" if chance.random() < 0.8 else f"{value} = {name}"


def test_random_sql_queries_equal_duckdb_over_the_full_export(
    store: Store, exported: duckdb.DuckDBPyConnection
) -> None:
    pushed = 0
    for seed in range(STATEMENTS):
        statement = Statements(random.Random(seed)).make()
        reader = SqlReader(store._opened())
        plan = reader.plan(statement)
        pushed += not plan.scanned
        ours = Counter(reader.run(statement, plan).fetchall())
        theirs = Counter(exported.sql(statement).fetchall())
        assert ours == theirs, f"seed {seed}: {statement}"
        # A Scan for one entity loads the rows of all entities. Here, each entity has only the rows of its own reads.
        with duckdb.connect() as database:
            for name, rows in reader._rows.entities.items():
                database.register(name, rows.schema.empty_table())
            for each in plan.reads:
                for name, table in reader._tables(SqlPlan((each,))).items():
                    database.unregister(name)
                    database.register(name, table)
            assert Counter(database.sql(statement).fetchall()) == theirs, f"seed {seed}: {statement}"
    assert pushed > STATEMENTS / 10, "many statements need no Scan"


def reads(store: Store, statement: str) -> tuple[list[str], float]:
    reader = SqlReader(store._opened())
    plan = reader.plan(statement)
    reader.run(statement, plan)
    return [each.text for _, each in plan.ranges], reader.totals.units


@pytest.mark.parametrize(
    ("statement", "ranges", "units"),
    [
        ("SELECT * FROM Customer WHERE id = 'c1'", ["table: PK = 'CUST#c1', SK = 'HEAD'"], 0.5),
        (
            "SELECT * FROM Purchase WHERE 'c1' = customer_id AND total > 3",
            ["GSI1: GSI1PK = 'CUST#c1', GSI1SK begins with 'ORDER#'"],
            0.5,
        ),
        ("SELECT * FROM Purchase WHERE status = 'OPEN'", ["GSI3: GSI3PK = 'STATUS#OPEN'"], 0.5),
        ("SELECT * FROM Line WHERE order_id = 'o1' AND number = 3", ["table: PK = 'ORDER#o1', SK = 'LINE#003'"], 0.5),
        (
            "SELECT * FROM Purchase p LEFT JOIN Line l ON l.order_id = p.id WHERE p.id = 'o1'",
            ["table: PK = 'ORDER#o1', SK = 'HEAD'", "table: PK = 'ORDER#o1', SK begins with 'LINE#'"],
            1.0,
        ),
        (
            "SELECT * FROM Customer WHERE country IN ('DE', 'FR')",
            ["GSI1: GSI1PK = 'COUNTRY#DE'", "GSI1: GSI1PK = 'COUNTRY#FR'"],
            1.0,
        ),
        # Constants are encoded, so a text is never a part of a key condition.
        (
            "SELECT * FROM Customer WHERE id = 'c1#HEAD'' OR 1=1'",
            ["table: PK = \"CUST#c1%23HEAD'%20OR%201=1\", SK = 'HEAD'"],
            0.5,
        ),
        # Every item with this agent is in the sparse index.
        ("SELECT * FROM Purchase WHERE agent = 'a1' AND id = 'o1'", ["table: PK = 'ORDER#o1', SK = 'HEAD'"], 0.5),
    ],
)
def test_an_sql_query_with_a_key_condition_reads_only_its_partition(
    store: Store, statement: str, ranges: list[str], units: float
) -> None:
    assert reads(store, statement) == (ranges, units)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM Purchase",
        "SELECT * FROM Purchase WHERE id = 'o1' OR id = 'o2'",
        "SELECT * FROM Purchase WHERE total = 1",
        "SELECT * FROM Purchase p LEFT JOIN Line l ON p.id = 'o1'",
        "SELECT * FROM Line l RIGHT JOIN Purchase p ON p.id = 'o1'",
        "SELECT * FROM Line l FULL JOIN Purchase p ON p.id = 'o1'",
        "SELECT * FROM Purchase p ANTI JOIN Line l ON p.id = 'o1'",
        "SELECT * FROM Line l ASOF JOIN Purchase p ON l.number >= p.total WHERE p.id = 'o1'",
        "SELECT * FROM Line l JOIN Purchase p ON l.order_id <> p.id WHERE l.order_id = 'o1'",
        "SELECT * FROM Purchase p WHERE EXISTS (SELECT 1 FROM Line l WHERE p.id = 'o1' AND l.order_id = 'o1')",
        "WITH Purchase AS (SELECT * FROM Line) SELECT * FROM Purchase WHERE order_id = 'o1'",
        "SELECT * FROM Purchase WHERE id <> 'o1'",
        "SELECT * FROM Purchase WHERE lower(id) = 'o1'",
        "SELECT * FROM Purchase p WHERE id = 'o1' UNION SELECT * FROM Purchase",
        "SELECT * FROM Customer c POSITIONAL JOIN Purchase p WHERE p.id = 'o1'",
        "SELECT * FROM Purchase TABLESAMPLE 50% WHERE id = 'o1'",
        "SELECT * FROM Purchase AS p(a, id) WHERE p.id = 'o1'",
        "SELECT * FROM Line l JOIN Purchase p ON p.id = l.number WHERE l.number = '1'",
    ],
)
def test_an_sql_query_with_other_conditions_needs_a_scan(store: Store, statement: str) -> None:
    assert "Purchase" in SqlReader(store._opened()).plan(statement).scanned


@entity(key=("DAY#{day}", "{kind}#{id}"), gsi1=("KIND#{kind}#{owner}", "{id}"))
@dataclass
class Visit:
    id: str
    day: date
    kind: Literal["web", "shop"]
    owner: UUID


class Visits(Table, entities=[Visit]):
    """Visits, whose keys contain dates, UUIDs and literals."""


@pytest.mark.parametrize(
    ("condition", "partition"),
    [
        ("day = '2026-01-02'", "DAY#2026-01-02"),
        (
            "kind = 'web' AND owner = '00000000-0000-0000-0000-000000000001'",
            "KIND#web#00000000-0000-0000-0000-000000000001",
        ),
        (
            "kind = 'web' AND owner = '00000000000000000000000000000001'",
            "KIND#web#00000000-0000-0000-0000-000000000001",
        ),
        ("day = '2026-1-2'", None),
        ("day = '2026-01-02 00:00:00'", None),
        ("kind = 'none' AND owner = '00000000-0000-0000-0000-000000000001'", None),
        ("kind = 'WEB' AND owner = '00000000-0000-0000-0000-000000000001'", None),
    ],
)
def test_constants_in_an_sql_query_become_key_conditions_if_they_equal_the_stored_text(
    condition: str, partition: str | None
) -> None:
    with Visits.open("memory:") as visits:
        for number in range(6):
            kind: Literal["web", "shop"] = "web" if number % 2 else "shop"
            visits.put(Visit(f"v{number}", date(2026, 1, 1 + number % 3), kind, UUID(int=number)))
        reader = SqlReader(visits._opened())
        statement = f"SELECT id FROM Visit WHERE {condition} ORDER BY id"
        plan = reader.plan(statement)
        assert [next(iter(each.partition.values())) for _, each in plan.ranges] == ([partition] if partition else [])
        with duckdb.connect() as database:
            database.register("Visit", visits.arrow(Visit))
            assert reader.run(statement, plan).fetchall() == database.sql(statement).fetchall()


def test_an_sql_query_shows_its_reads_and_their_cost_in_advance(store: Store) -> None:
    reader = SqlReader(store._opened())
    scan = reader.estimate(reader.plan("SELECT count(*) FROM Line"))
    assert scan.requests.startswith("Scan of the table (")
    one = reader.estimate(reader.plan("SELECT * FROM Customer WHERE id = 'c1'"))
    assert (one.requests, one.units, one.is_minimum) == ("1 Query request", 0.5, False)
    many = reader.estimate(reader.plan("SELECT * FROM Customer WHERE country = 'DE'"))
    assert (many.units, many.is_minimum) == (0.5, True)


def test_an_sql_query_with_a_large_scan_needs_consent(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable.analytics.sql_query.SCAN_UNITS_MAX", 1.0)
    with pytest.raises(AnalyticsRefused, match=r"needs a Scan for Line, which reads about 2 units; the limit is 1\."):
        store.sql("SELECT * FROM Line")
    assert len(store.sql("SELECT * FROM Line", scan=True).fetchall()) > 20
    assert store.arrow(Customer, id="c1").num_rows == 1
    with pytest.raises(AnalyticsRefused, match="needs a Scan for Line"):
        store.arrow(Line)


def test_arrow_tables_from_an_sql_query_contain_the_rows_with_the_given_values(store: Store) -> None:
    assert store.arrow(Customer).num_rows == 5
    found = store.arrow(Purchase, status=Status.OPEN, agent=None).to_pylist()
    wanted = [each for each in store.scan(Purchase, reason="test") if (each.status, each.agent) == (Status.OPEN, None)]
    assert sorted(row["id"] for row in found) == sorted(each.id for each in wanted)
    with pytest.raises(ArgumentRefused, match="arrow: Purchase has no field 'colour'"):
        store.arrow(Purchase, colour="red")


def test_arrow_tables_from_an_sql_query_send_a_query_for_values_of_every_key_type(store: Store) -> None:
    with Visits.open("memory:") as visits:
        for number in range(6):
            visits.put(Visit(f"v{number}", date(2026, 1, 1 + number % 3), "web", UUID(int=number)))
        with measure(visits) as used:
            assert visits.arrow(Visit, day=date(2026, 1, 2)).column("id").to_pylist() == ["v1", "v4"]
            assert visits.arrow(Visit, kind="web", owner=UUID(int=3)).column("id").to_pylist() == ["v3"]
        assert used.operations == ["Query", "Query"]
    with measure(store) as used:
        assert store.arrow(Purchase, status=Status.OPEN).num_rows > 0
    assert used.operations == ["Query"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DROP TABLE Customer", "not a SELECT statement that DuckDB can parse"),
        ("SELECT 1; SELECT 2", "pass one SELECT statement"),
        ("SELECT", "not a SELECT statement that DuckDB can parse"),
        ("SELECT nothing FROM Customer", "DuckDB rejects the statement: Binder Error"),
        ("SELECT * FROM Other", r"(?s)Catalog Error.*The tables are Customer, Purchase, Line\."),
        ("SELECT id FROM Purchase WHERE at > now()", r'(?s)can parse.*Write "at" in double quotes\.'),
        ("SELECT * FROM read_csv('/etc/passwd')", r"a statement cannot read from read_csv\(\.\.\.\)"),
        ("SELECT * FROM query('SELECT * FROM Customer')", r"a statement cannot read from query\(\.\.\.\)"),
        ("SELECT * FROM Customer, QUERY_TABLE('Customer')", "a statement cannot read from query_table"),
        ("SELECT read_text('/etc/passwd')", "DuckDB rejects the statement: Binder Error"),
        ("SELECT * FROM '/etc/passwd'", "DuckDB rejects the statement"),
        ("SELECT * FROM store", "DuckDB rejects the statement: Catalog Error"),
    ],
)
def test_an_invalid_sql_query_is_rejected(store: Store, statement: str, message: str) -> None:
    with pytest.raises(AnalyticsRefused, match=message):
        store.sql(statement)


def test_an_sql_query_rejects_names_that_differ_only_in_case() -> None:
    lower: Any = entity(key=("A#{id}", "HEAD"), name="part")(
        dataclass(type("Lower", (), {"__annotations__": {"id": str}}))
    )
    upper: Any = entity(key=("B#{id}", "HEAD"), name="Part")(
        dataclass(type("Upper", (), {"__annotations__": {"id": str}}))
    )
    table: Any = type("Parts", (Table,), {}, entities=[lower, upper])
    with table.open("memory:") as parts, pytest.raises(AnalyticsRefused, match="distinguish the names part and Part"):
        parts.sql("SELECT 1")
