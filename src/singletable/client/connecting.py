"""Connections by URL: `memory:` and `file:PATH` are the embedded engine, the others are reached over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from singletable.client.policy import Timeouts
from singletable.client.transport import Transport
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def transport_for(
    url: str | Engine, timeouts: Timeouts | None = None, now: Callable[[], float] | None = None
) -> Transport:
    """The transport that a URL names, or to an engine that is open already; ArgumentRefused for anything else.

    `now` is the clock of an engine that is opened here.
    """
    if not isinstance(url, str) or url == "memory:" or url.startswith("file:"):
        from singletable.client.engine_transport import transport_to

        return transport_to(url, now)
    from singletable.client.http.address import without_secrets

    waiting = timeouts or Timeouts()
    if url.startswith(("http://", "https://")):
        from singletable.client.http.opening import open_address

        return open_address(url, waiting)
    if url.startswith("dynamodb://"):
        from singletable.client.http.aws import open_region

        return open_region(url, waiting)
    raise ArgumentRefused(
        f"{without_secrets(url)!r} names no DynamoDB; write memory:, file:PATH, http://HOST:PORT or dynamodb://REGION"
    )
