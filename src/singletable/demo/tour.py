"""The tour through an example: tables are made and filled in memory, every script is run, captured and measured."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass

from singletable.client.table import Table
from singletable.client.watched import Watched
from singletable.demo.captured import Captured, Capturing, Cost, Document, cost_of
from singletable.demo.systems import NamedScript, Script, System
from singletable.demo.table_per_entity import TablePerEntity


@dataclass(frozen=True)
class Filled:
    """A table of an example as it is before any question: the model, and its items as they are stored."""

    model: type[Table]
    items: tuple[Document, ...]

    @property
    def name(self) -> str:
        """The table's name."""
        return self.model.design.name


@dataclass(frozen=True)
class Asked:
    """One question with everything that it took."""

    name: str
    title: str
    table_key: tuple[str, ...]
    requests: tuple[Captured, ...]
    answer: str
    """What the script printed."""
    elsewhere: tuple[Captured, ...]
    """The requests that it takes where every entity has a table of its own."""

    @property
    def cost(self) -> Cost:
        """What it took of the one table."""
        return cost_of(self.requests)

    @property
    def cost_elsewhere(self) -> Cost:
        """What it took of a table for each entity."""
        return cost_of(self.elsewhere)


@dataclass(frozen=True)
class Tour:
    """An example, shown: its tables, and its questions in their order."""

    system: System
    fillings: tuple[Filled, ...]
    asked: tuple[Asked, ...]

    @property
    def tables(self) -> tuple[Filled, ...]:
        """Every table once, with the items of all scripts, though each script has only its own in it."""
        found: dict[type[Table], dict[str, Document]] = {}
        for filled in self.fillings:
            items = found.setdefault(filled.model, {})
            key = filled.model.design.table.key_attributes
            items |= {json.dumps([item[name] for name in key]): item for item in filled.items}
        return tuple(Filled(model, tuple(items.values())) for model, items in found.items())

    @property
    def cost(self) -> Cost:
        """What all questions took of the tables."""
        return sum((each.cost for each in self.asked), Cost())

    @property
    def cost_elsewhere(self) -> Cost:
        """What they took of a table for each entity."""
        return sum((each.cost_elsewhere for each in self.asked), Cost())


def take(system: System) -> Tour:
    """Asks every question of an example; raises NeedsPackage where its models cannot be imported."""
    fillings: list[Filled] = []
    asked: list[Asked] = []
    with _Stage() as stage:
        for named in system.scripts():
            asked.append(stage.ask(named))
            if stage.filled not in fillings:
                fillings.append(stage.filled)
    return Tour(system, tuple(fillings), tuple(asked))


class _Stage:
    """The table that is being asked, for as long as the next question finds it as the last one did."""

    def __init__(self) -> None:
        self._script: Script | None = None
        self._table: Table | None = None
        self._capturing: Capturing | None = None
        self._elsewhere: TablePerEntity | None = None
        self._is_changed = False
        self.filled: Filled

    def __enter__(self) -> _Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def ask(self, named: NamedScript) -> Asked:
        """Asks one question of a table that holds the rows of its script, and nothing that another one wrote."""
        script = named.script
        if self._script is None or self._is_changed or not _is_same(script, self._script):
            self._set(script)
        assert self._table is not None, "set above"
        assert self._capturing is not None, "set above"
        assert self._elsewhere is not None, "set above"
        printed = io.StringIO()
        with redirect_stdout(printed):
            script.tell(script.ask(self._table))
        requests = self._capturing.taken()
        self._is_changed = any(not request.is_read for request in requests)
        key = script.model.design.table.key_attributes
        return Asked(named.name, named.title, key, requests, printed.getvalue(), self._elsewhere.replay(requests))

    def _set(self, script: Script) -> None:
        self._clear()
        self._script = script
        self._table = script.model.open("memory:", hook=_watch_nothing)
        for row in script.rows:
            self._table.put(row)
        session = self._table._opened().session
        self.filled = Filled(script.model, tuple(stored_items(self._table)))
        session.transport = self._capturing = Capturing(session.transport)
        self._elsewhere = TablePerEntity(script.model, self.filled.items)

    def _clear(self) -> None:
        if self._table is not None:
            self._table.close()
        if self._elsewhere is not None:
            self._elsewhere.close()
        self._table = self._elsewhere = None
        self._is_changed = False


def _is_same(one: Script, other: Script) -> bool:
    return one.model is other.model and one.rows is other.rows


def _watch_nothing(_: Watched) -> None:
    """A table that is watched has its requests carry the pattern that makes them."""


def stored_items(table: Table) -> Iterator[Document]:
    """Every item as it is stored."""
    session, name = table._opened().session, table._opened().reader.name
    sent: Document = {"TableName": name}
    while True:
        page = json.loads(session.transport.send("Scan", json.dumps(sent).encode()))
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        sent["ExclusiveStartKey"] = page["LastEvaluatedKey"]
