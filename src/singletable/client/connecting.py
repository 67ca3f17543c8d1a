"""Connections by URL: `memory:` and `file:PATH` are the embedded engine, the others are reached over HTTP."""

from __future__ import annotations

from singletable.client.transport import Transport
from singletable.errors import ArgumentRefused


def transport_for(url: str) -> Transport:
    """The transport that a URL names; raises ArgumentRefused for one that names none."""
    if url == "memory:" or url.startswith("file:"):
        from singletable.client.engine_transport import EngineTransport

        return EngineTransport(url)
    raise ArgumentRefused(f"{url!r} names no DynamoDB; write memory:, file:PATH, http://HOST:PORT or dynamodb://REGION")
