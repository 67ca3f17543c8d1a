"""SQL over the entities of a table: plans the reads of a statement, states what they cost, and runs it in DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from threading import Timer
from typing import Any

import duckdb
import msgspec
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow has no type information

from singletable.analytics.arrow_types import columns_of_entity
from singletable.analytics.entity_rows import TableRows, require_distinct, stored_field
from singletable.analytics.key_ranges import RowRange, key_ranges
from singletable.analytics.sql_conditions import Constants, Occurrence, occurrences, sql_name
from singletable.analytics.table_source import ScanSource
from singletable.client.connected_table import ConnectedTable
from singletable.client.items.decoder import key_identity
from singletable.client.request_steps import Call
from singletable.client.responses import Item, read_page
from singletable.errors import AnalyticsRefused, ArgumentRefused
from singletable.model.design import Design
from singletable.model.entity import Entity

SCAN_UNITS_MAX = 1000.0
"""A larger Scan needs the consent of the caller."""
UNIT_BYTES = 4096
SOURCE = "sql"
QUERIES_AT_ONCE = 25
SEGMENTS = 4


@dataclass(frozen=True)
class EntityReads:
    """The reads that return the rows of one entity; None if only a Scan returns them."""

    entity: Entity
    ranges: tuple[RowRange, ...] | None


@dataclass(frozen=True)
class SqlPlan:
    """The reads of a statement."""

    reads: tuple[EntityReads, ...]

    @property
    def scanned(self) -> tuple[str, ...]:
        """The entities that need a Scan."""
        return tuple(each.entity.name for each in self.reads if each.ranges is None)

    @property
    def ranges(self) -> tuple[tuple[Entity, RowRange], ...]:
        """The Query requests. A Scan returns the rows of all entities, so a plan with a Scan has no ranges."""
        if self.scanned:
            return ()
        return tuple((each.entity, one) for each in self.reads for one in each.ranges or ())


@dataclass(frozen=True)
class ReadEstimate:
    """What the reads of a statement will cost, from the size of the table and the declared number of items."""

    requests: str
    units: float
    is_minimum: bool
    """Whether the number of items is unknown, so that the reads can cost more."""


@dataclass
class ReadTotals:
    """What the reads have cost."""

    requests: int = 0
    items: int = 0
    units: float = 0.0


def plan_reads(design: Design, uses: Iterable[Occurrence]) -> SqlPlan:
    """Return the reads for the uses of entities in a statement."""
    by_name = {entity.name: entity for entity in design.entities}
    reads: dict[str, EntityReads] = {}
    for use in uses:
        entity = by_name[use.entity]
        ranges = key_ranges(entity, use.equal)
        known = reads.get(use.entity)
        if ranges is None or (known is not None and known.ranges is None):
            reads[use.entity] = EntityReads(entity, None)
        else:
            before = () if known is None else known.ranges or ()
            reads[use.entity] = EntityReads(entity, (*before, *(each for each in ranges if each not in before)))
    return SqlPlan(tuple(reads.values()))


def plan_statement(design: Design, statement: str) -> SqlPlan:
    """Return the reads of a statement without a store. Raise AnalyticsRefused if it is not one SELECT statement."""
    require_distinct((each.name for each in design.entities), str.lower, "SQL")
    columns = {
        entity.name: {each.name: str(each.arrow.type) for each in columns_of_entity(entity)}
        for entity in design.entities
    }
    return plan_reads(design, occurrences(statement, columns))


def check_statement(design: Design, statement: str) -> None:
    """Raise AnalyticsRefused if a statement has unknown tables, columns or functions. Reads nothing."""
    with _database() as database:
        _bind(database, TableRows(design, with_zone=False), statement)


def sql_tables(design: Design) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Return the tables of statements, with the names and types of their columns, as statements write them."""
    found = []
    with _database() as database:
        for name, rows in TableRows(design, with_zone=False).entities.items():
            relation = database.from_arrow(rows.schema.empty_table())
            columns = tuple(zip(map(sql_name, relation.columns), map(str, relation.types), strict=True))
            found.append((sql_name(name), columns))
    return tuple(found)


def _bind(database: duckdb.DuckDBPyConnection, rows: TableRows, statement: str) -> None:
    """Register empty tables, and check the names of a statement with them."""
    for name, each in rows.entities.items():
        database.register(name, each.schema.empty_table())
    try:
        database.sql(statement)
    except duckdb.Error as problem:
        raise _rejected(problem, rows) from None


def _rejected(problem: duckdb.Error, rows: TableRows) -> AnalyticsRefused:
    message = f"DuckDB rejects the statement: {problem}"
    if rows.entities and isinstance(problem, duckdb.CatalogException):
        message += f"\n  The tables are {', '.join(map(sql_name, rows.entities))}."
    return AnalyticsRefused(message)


class SqlReader:
    """Runs SELECT statements over the entities of one open table."""

    def __init__(self, opened: ConnectedTable) -> None:
        self._opened, self._design = opened, opened.reader.design
        self._rows = TableRows(self._design, with_zone=False)
        self.totals = ReadTotals()

    def plan(self, statement: str) -> SqlPlan:
        """Return the reads of a statement. Raise AnalyticsRefused if it is not one SELECT statement."""
        return self._as_stored(plan_statement(self._design, statement))

    def _as_stored(self, plan: SqlPlan) -> SqlPlan:
        """Return a plan with only a Scan as long as a migration has not given every item its new keys."""
        if not plan.ranges or self._opened.has_new_keys:
            return plan
        return SqlPlan(tuple(replace(each, ranges=None) for each in plan.reads))

    def estimate(self, plan: SqlPlan) -> ReadEstimate:
        """Return what the reads will cost. Sends DescribeTable."""
        (body,) = self._opened.session.send_all(
            (Call("DescribeTable", {"TableName": self._opened.reader.name}, source=SOURCE),)
        )
        table: Mapping[str, Any] = msgspec.json.decode(body)["Table"]
        size, count = int(table.get("TableSizeBytes") or 0), int(table.get("ItemCount") or 0)
        if plan.scanned:
            units = max(0.5 * SEGMENTS, -(-size // UNIT_BYTES) * 0.5)
            return ReadEstimate(f"Scan of the table ({count:,} items, {size:,} bytes)", units, count == 0)
        item_bytes = size / count if count else 0.0
        units, is_minimum = 0.0, False
        for entity, each in plan.ranges:
            expected = 1 if each.sort else entity.expected_in(each.placement.index)
            is_minimum = is_minimum or expected is None or not item_bytes
            units += max(0.5, -(-int((expected or 1) * item_bytes) // UNIT_BYTES) * 0.5)
        number = len(plan.ranges)
        return ReadEstimate(f"{number:,} Query request{'s' * (number != 1)}", units, is_minimum)

    def run(
        self,
        statement: str,
        plan: SqlPlan | None = None,
        *,
        scan: bool = False,
        rows_max: int | None = None,
        seconds_max: float | None = None,
    ) -> duckdb.DuckDBPyRelation:
        """Read the rows and return the result as a relation of DuckDB, with at most `rows_max` rows.

        Raise AnalyticsRefused if the statement needs a Scan of more than `SCAN_UNITS_MAX` units and `scan` is false, or
        if DuckDB computes for more than `seconds_max` seconds.
        """
        plan = self.plan(statement) if plan is None else self._as_stored(plan)
        if not scan:
            self.reject_large_scan(plan)
        database = _database()
        _bind(database, self._rows, statement)
        for name, table in self._tables(plan).items():
            database.unregister(name)
            database.register(name, table)
        timer = Timer(seconds_max or 0.0, database.interrupt)
        if seconds_max is not None:
            timer.start()
        try:
            relation = database.sql(statement)
            return (relation if rows_max is None else relation.limit(rows_max)).materialize()
        except duckdb.InterruptException:
            raise AnalyticsRefused(
                f"the statement was stopped after {seconds_max:g} seconds.\n  Run it with `singletable query`, which "
                "has no limit."
            ) from None
        except duckdb.Error as problem:
            raise _rejected(problem, self._rows) from None
        finally:
            timer.cancel()

    def reject_large_scan(self, plan: SqlPlan) -> None:
        """Raise AnalyticsRefused if a plan has a Scan over the limit."""
        if not plan.scanned:
            return
        estimate = self.estimate(plan)
        if estimate.units > SCAN_UNITS_MAX:
            raise AnalyticsRefused(
                f"the statement needs a Scan for {', '.join(plan.scanned)}, which reads about {estimate.units:,.0f} "
                f"units; the limit is {SCAN_UNITS_MAX:,.0f}.\n  Compare the fields of a key with constants, or allow "
                "the Scan with --scan (in Python: scan=True). An export to Parquet reads the table only once."
            )

    def entity_table(
        self, entity: Entity, equal: Mapping[str, Any], constants: Mapping[str, Constants], *, scan: bool
    ) -> pa.Table:
        """Return the rows of an entity whose fields have these values. `constants` are those that a key may contain."""
        plan = self._as_stored(plan_reads(self._design, [Occurrence(entity.name, constants)]))
        if not scan:
            self.reject_large_scan(plan)
        schema = self._rows.entities[entity.name].schema
        table = self._tables(plan).get(entity.name) or schema.empty_table()
        for name, value in equal.items():
            stored = stored_field(entity, name, value)
            read = next(each.arrow.read for each in self._rows.entities[entity.name].columns if each.name == name)
            wanted = pa.array([None if stored is None else read(stored)], schema.field(name).type)[0].as_py()
            table = table.filter(pa.array([each == wanted for each in table.column(name).to_pylist()], pa.bool_()))
        return table

    def _tables(self, plan: SqlPlan) -> dict[str, Any]:
        if plan.scanned:
            names = {each.entity.name for each in plan.reads}
            batches: dict[str, list[Any]] = {}
            for page in ScanSource(self._opened, segments=SEGMENTS).pages(None):
                self._count(page.items, page.read_units, page.requests)
                for name, batch in self._rows.batches(page.items, {}).items():
                    if name in names:
                        batches.setdefault(name, []).append(batch)
        else:
            batches = {each.entity.name: list(self._queried(each)) for each in plan.reads}
        return {name: pa.Table.from_batches(found, self._rows.entities[name].schema) for name, found in batches.items()}

    def _queried(self, reads: EntityReads) -> Iterable[Any]:
        """Yield the rows of all ranges of an entity. Two ranges can contain the same item."""
        attributes, seen = self._design.table.key_attributes, set[Any]()
        waiting = [each.request(self._opened.reader.name) for each in reads.ranges or ()]
        while waiting:
            chosen, waiting = waiting[:QUERIES_AT_ONCE], waiting[QUERIES_AT_ONCE:]
            bodies = self._opened.session.send_all([Call("Query", each, source=SOURCE) for each in chosen])
            for request, body in zip(chosen, bodies, strict=True):
                page = read_page(body)
                self._count(
                    page.items, 0.0 if page.consumed_capacity is None else page.consumed_capacity.capacity_units
                )
                keys = [key_identity(item, attributes) for item in page.items]
                new = [item for key, item in zip(keys, page.items, strict=True) if key not in seen]
                seen.update(keys)
                found = self._rows.batches(new, {}).get(reads.entity.name)
                if found is not None:
                    yield found
                if page.last_evaluated_key is not None:
                    waiting.append({**request, "ExclusiveStartKey": page.last_evaluated_key})

    def _count(self, items: list[Item], units: float, requests: int = 1) -> None:
        self.totals.requests += requests
        self.totals.items += len(items)
        self.totals.units += units


def _database() -> duckdb.DuckDBPyConnection:
    """Return a database in memory in which a statement can read only the registered tables."""
    return duckdb.connect(
        config={
            "enable_external_access": "false",
            "autoinstall_known_extensions": "false",
            "python_enable_replacements": "false",
        }
    )


def read_arrow(opened: ConnectedTable, cls: type, equal: dict[str, Any], *, scan: bool) -> Any:
    """Return the rows of an entity whose fields have these values, as a pyarrow table."""
    entity = opened.entities.of_class(cls)
    unknown = [name for name in equal if name not in entity.fields]
    if unknown:
        raise ArgumentRefused(f"arrow: {entity.label} has no field {unknown[0]!r}")
    constants = {name: found for name, value in equal.items() if (found := _constant(entity, name, value))}
    return SqlReader(opened).entity_table(entity, equal, constants, scan=scan)


def _constant(entity: Entity, name: str, value: Any) -> Constants:
    """Return a value as the constant of a condition, or nothing if a key condition does not support its type."""
    ((kind, stored),) = (stored_field(entity, name, value) or {"NULL": True}).items()
    if kind == "S":
        return frozenset((str(stored),))
    return frozenset((int(stored),)) if kind == "N" and stored.lstrip("-").isdigit() else frozenset()


def read_sql(opened: ConnectedTable, statement: str, *, scan: bool) -> duckdb.DuckDBPyRelation:
    """Run a SELECT statement and return a relation of DuckDB."""
    return SqlReader(opened).run(statement, scan=scan)
