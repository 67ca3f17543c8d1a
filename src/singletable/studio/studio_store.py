"""Connection of the studio to a store: opens tables, counts every request, and knows what a request costs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from singletable.client.connected_table import ConnectedTable
from singletable.client.open_table import OpenOptions, open_table
from singletable.client.request_steps import Call
from singletable.model.design import Design
from singletable.sample_rows.generate_rows import sample_rows
from singletable.studio.recorded_requests import RunningTotal, TimedTransport

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

Document = dict[str, Any]
MEMORY = "memory:"


class StudioStore:
    """The store at a URL; tables are opened when a page first needs them."""

    def __init__(self, url: str, *, may_write: bool, table_name: str | None = None) -> None:
        """`table_name` overrides the name in the model, for a model with one table."""
        self.url = url
        self.is_billed = url.startswith("dynamodb:")
        self.may_write = may_write or not self.is_billed
        self.is_sample = url == MEMORY
        self.table_name = table_name
        self.total = RunningTotal()
        self._engine: Engine | None = None
        self._opened: dict[str, tuple[Design, ConnectedTable]] = {}
        self._lock = Lock()

    @property
    def shown_url(self) -> str:
        """The URL without credentials."""
        from singletable.errors import without_secrets

        return without_secrets(self.url) if self.url.startswith("http") else self.url

    @property
    def access(self) -> str:
        """What the store is and whether the studio may change it, as a label."""
        if self.is_sample:
            return "sample rows, in memory"
        if self.is_billed:
            return "AWS, writable" if self.may_write else "AWS, read-only"
        return "engine, writable" if self.url.startswith("file:") else "server, writable"

    def open(self, design: Design) -> ConnectedTable:
        """Return the open table of a design; a new version of the model opens the table again."""
        with self._lock:
            known = self._opened.get(design.name)
            if known is not None and known[0] is design:
                return known[1]
            opened = self._connect(design)
            self._opened[design.name] = design, opened
            return opened

    def _connect(self, design: Design) -> ConnectedTable:
        place = self._place()
        name = self.table_name or design.name
        options = OpenOptions(create=self.is_sample, name=name, unreadable="report")
        opened = open_table(design, place, options)
        if self.is_sample and design.name not in self._opened:
            _fill(opened, design, name)
        opened.session.transport = TimedTransport(opened.session.transport, self.total)
        return opened

    def _place(self) -> str | Engine:
        """Return the URL, or the one engine of this process, so that its data survives a new version of the model."""
        if not (self.is_sample or self.url.startswith("file:")):
            return self.url
        if self._engine is None:
            from singletable.engine.engine import Engine

            self._engine = Engine(self.url)
        return self._engine

    def close(self) -> None:
        """Close all tables and the engine."""
        for _, opened in self._opened.values():
            opened.session.close()
        if self._engine is not None:
            self._engine.close()


def send(opened: ConnectedTable, operation: str, parameters: Document) -> Document:
    """Send one request and return its response."""
    response: Document = json.loads(opened.session.send(Call(operation, parameters)))
    return response


def _fill(opened: ConnectedTable, design: Design, name: str) -> None:
    """Put the sample rows of the model into an empty table in memory."""
    for item in sample_rows(design).stored:
        send(opened, "PutItem", {"TableName": name, "Item": _plain(item)})


def _plain(item: Mapping[str, Mapping[str, Any]]) -> Document:
    return {name: dict(value) for name, value in item.items()}
