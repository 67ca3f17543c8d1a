"""Opening a table: its transport, its session, and the table itself, made or held against the model."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from singletable.client.connecting import transport_for
from singletable.client.creation import check_table, create_table, refuse_name
from singletable.client.cursor import Cursors
from singletable.client.items.kinds import Kinds
from singletable.client.items.readable import refuse_unreadable
from singletable.client.metrics import Metrics
from singletable.client.open_table import OpenTable
from singletable.client.policy import Retries, Timeouts
from singletable.client.reading.reader import Reader
from singletable.client.session import Session
from singletable.client.steps import run
from singletable.client.tracing import tracing
from singletable.client.watched import Hook
from singletable.errors import ArgumentRefused
from singletable.model.design import Design

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def open_table(
    design: Design,
    url: str | Engine,
    *,
    create: bool,
    name: str | None,
    secret: bytes | str | None,
    cursor_seconds: float | None,
    retries: Retries | None,
    timeouts: Timeouts | None,
    hook: Hook | None,
    now: Callable[[], float] | None,
    unreadable: Literal["raise", "report"] = "raise",
) -> OpenTable:
    """The open table; refuses one that is not there, or is another than the model's."""
    table_name = name or design.name
    refuse_name(table_name)
    refuse_unreadable(design)
    if unreadable not in ("raise", "report"):
        raise ArgumentRefused(f'{design.name}.open: unreadable must be "raise" or "report", got {unreadable!r}')
    transport = transport_for(url, timeouts, now)
    clock: Callable[[], float] = getattr(transport, "now", time.time) if now is None else now  # an engine has its own
    configured: Retries | None = getattr(transport, "retries", None)  # by whatever configures AWS on this machine
    session = Session(transport, retries or configured or Retries(), hook, tracing(getattr(transport, "server", None)))
    try:
        cursors = Cursors(secret, seconds=cursor_seconds, now=clock)
        if create or url == "memory:":
            run(create_table(design, table_name), session)
        run(check_table(design, table_name), session)
    except BaseException:
        session.close()
        raise
    kinds, metrics = Kinds(design), Metrics()
    returns_items = transport.name.startswith(("memory:", "file:", "dynamodb:"))
    reports = unreadable == "report"
    reader = Reader(design, table_name, kinds, cursors, metrics, clock, session.retries, reports_unreadable=reports)
    return OpenTable(session, reader, returns_items=returns_items)
