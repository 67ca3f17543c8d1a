"""Tours: a tour runs every script of an example on tables in memory, and records and measures its requests."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass

from singletable.client.table import Table
from singletable.client.tracing import RequestEvent
from singletable.demo.request_capture import CapturedRequest, CapturingTransport, Cost, Document, cost_of
from singletable.demo.systems import NamedScript, Script, System
from singletable.demo.table_per_entity import TablePerEntity


@dataclass(frozen=True)
class FilledTable:
    """A table before any script runs: the model and its stored items."""

    model: type[Table]
    items: tuple[Document, ...]

    @property
    def name(self) -> str:
        """The table name."""
        return self.model.design.name


@dataclass(frozen=True)
class ScriptRun:
    """One script: its requests, its output, and the same requests with one table per entity."""

    name: str
    title: str
    table_key: tuple[str, ...]
    requests: tuple[CapturedRequest, ...]
    output: str
    """The output of the script."""
    per_entity_requests: tuple[CapturedRequest, ...]
    """The requests that are needed with one table per entity."""

    @property
    def cost(self) -> Cost:
        """The cost in the single table."""
        return cost_of(self.requests)

    @property
    def per_entity_cost(self) -> Cost:
        """The cost with one table per entity."""
        return cost_of(self.per_entity_requests)


@dataclass(frozen=True)
class Tour:
    """The tables of an example and the runs of its scripts."""

    system: System
    fillings: tuple[FilledTable, ...]
    runs: tuple[ScriptRun, ...]

    @property
    def tables(self) -> tuple[FilledTable, ...]:
        """Return every table once, with the rows of all scripts. A script itself runs with only its own rows."""
        found: dict[type[Table], dict[str, Document]] = {}
        for filled in self.fillings:
            items = found.setdefault(filled.model, {})
            key = filled.model.design.table.key_attributes
            items |= {json.dumps([item[name] for name in key]): item for item in filled.items}
        return tuple(FilledTable(model, tuple(items.values())) for model, items in found.items())

    @property
    def cost(self) -> Cost:
        """The cost of all scripts."""
        return sum((each.cost for each in self.runs), Cost())

    @property
    def per_entity_cost(self) -> Cost:
        """The cost of all scripts with one table per entity."""
        return sum((each.per_entity_cost for each in self.runs), Cost())


def run_tour(system: System) -> Tour:
    """Run every script of an example. Raise NeedsPackage if its models cannot be imported."""
    fillings: list[FilledTable] = []
    runs: list[ScriptRun] = []
    with _ScriptRunner() as runner:
        for named in system.scripts():
            runs.append(runner.run(named))
            if runner.filled not in fillings:
                fillings.append(runner.filled)
    return Tour(system, tuple(fillings), tuple(runs))


class _ScriptRunner:
    """Runs scripts, and reuses the open table until a script changes it."""

    def __init__(self) -> None:
        self._script: Script | None = None
        self._table: Table | None = None
        self._capturing: CapturingTransport | None = None
        self._per_entity: TablePerEntity | None = None
        self._is_changed = False
        self.filled: FilledTable

    def __enter__(self) -> _ScriptRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def run(self, named: NamedScript) -> ScriptRun:
        """Run one script on a table that contains exactly the rows of the script."""
        script = named.script
        if self._script is None or self._is_changed or not _is_same(script, self._script):
            self._fill_table(script)
        assert self._table is not None, "set above"
        assert self._capturing is not None, "set above"
        assert self._per_entity is not None, "set above"
        printed = io.StringIO()
        with redirect_stdout(printed):
            script.show(script.execute(self._table))
        requests = self._capturing.take_requests()
        self._is_changed = any(not request.is_read for request in requests)
        key = script.model.design.table.key_attributes
        return ScriptRun(named.name, named.title, key, requests, printed.getvalue(), self._per_entity.replay(requests))

    def _fill_table(self, script: Script) -> None:
        self._clear()
        self._script = script
        self._table = script.model.open("memory:", hook=_ignore_trace)
        for row in script.rows:
            self._table.put(row)
        session = self._table._opened().session
        self.filled = FilledTable(script.model, tuple(scan_items(self._table)))
        session.transport = self._capturing = CapturingTransport(session.transport)
        self._per_entity = TablePerEntity(script.model, self.filled.items)

    def _clear(self) -> None:
        if self._table is not None:
            self._table.close()
        if self._per_entity is not None:
            self._per_entity.close()
        self._table = self._per_entity = None
        self._is_changed = False


def _is_same(one: Script, other: Script) -> bool:
    return one.model is other.model and one.rows is other.rows


def _ignore_trace(_: RequestEvent) -> None:
    """Do nothing. This hook exists so that every request has the name of its access pattern."""


def scan_items(table: Table) -> Iterator[Document]:
    """Yield every stored item."""
    session, name = table._opened().session, table._opened().reader.name
    sent: Document = {"TableName": name}
    while True:
        page = json.loads(session.transport.send("Scan", json.dumps(sent).encode()))
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        sent["ExclusiveStartKey"] = page["LastEvaluatedKey"]
