"""The embedded engine as a transport: the one file of the data layer that knows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from singletable.client.answers import Capacity, Pieces
from singletable.client.refusals import refusal_of
from singletable.client.transport import Meanwhile, Outcome, Request, Transport
from singletable.engine.dispatch import DYNAMODB
from singletable.engine.engine import Engine
from singletable.errors import ArgumentRefused, RequestRefused
from singletable.wire.refusal import refusal_body

PIECES_MAX = 64
"""Pieces that are worth being decoded each by itself; the engine reads a megabyte in fewer."""


class EngineTransport(Transport):
    """Calls an engine in this process, which it opened or was given."""

    def __init__(self, url: str, engine: Engine | None = None, now: Callable[[], float] | None = None) -> None:
        self.name = url
        self._owns_engine = engine is None
        self.engine = engine if engine is not None else Engine(url, now=now or time.time)
        self.now = self.engine.now
        self._answer = self.engine.answer

    def send(self, operation: str, body: bytes) -> bytes:
        """The body of the answer."""
        answer = self._answer(DYNAMODB + operation, body)
        if answer.status != 200:
            raise refusal_of(answer.body)
        return answer.body

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """The same; an answer takes microseconds, and a flush of the disk, which takes longer, is waited for aside."""
        answer = self.engine.respond(DYNAMODB + operation, body)
        if answer.wrote and self.engine.store.path is not None:
            import asyncio

            await asyncio.to_thread(self.engine.store.flush)
        if answer.status != 200:
            raise refusal_of(answer.body)
        return answer.body

    def send_for_pieces(self, operation: str, body: bytes) -> Pieces:
        """The answer to a request for a page, with its items in pieces."""
        try:
            page = self.engine.result(DYNAMODB + operation, body)
        except RequestRefused as refusal:
            raise refusal_of(refusal_body(refusal)) from None
        return _pieces(page)

    async def send_for_pieces_async(self, operation: str, body: bytes) -> Pieces:
        """The same; it takes microseconds, and writes nothing."""
        return self.send_for_pieces(operation, body)

    def send_each(self, requests: Sequence[Request], meanwhile: Meanwhile | None = None) -> Sequence[Outcome]:
        """The outcome of each of several requests, in order; their writes are committed together."""
        if meanwhile is not None:
            meanwhile()
        with self.engine.together():
            answers = [self.engine.respond(DYNAMODB + operation, body) for operation, body in requests]
        if any(answer.wrote for answer in answers):
            self.engine.store.flush()
        return [answer.body if answer.status == 200 else refusal_of(answer.body) for answer in answers]

    def close(self) -> None:
        """Closes the engine, unless it belongs to somebody else."""
        if self._owns_engine:
            self.engine.close()

    async def close_async(self) -> None:
        """The same."""
        self.close()


def _pieces(page: Any) -> Pieces:
    """What a PageResult holds; its shape is loaded with the first Query."""
    items: Sequence[Any] = page.items or ()
    if len(items) > PIECES_MAX:  # items that were looked at one by one
        items = (b",".join(items),)
    capacity = Capacity(page.consumed_capacity["CapacityUnits"]) if page.consumed_capacity else None
    return Pieces(items, page.last_evaluated_key or None, capacity)


def transport_to(place: object, now: Callable[[], float] | None = None) -> EngineTransport:
    """The transport to an engine of its own, by URL, or to one that somebody else has opened and will close."""
    if isinstance(place, str):
        return EngineTransport(place, now=now)
    if not isinstance(place, Engine):
        raise ArgumentRefused(f"{place!r} is no place for a table; give a URL, such as memory:, or an open Engine")
    path = place.store.path
    return EngineTransport("memory:" if path is None else f"file:{path}", place)
