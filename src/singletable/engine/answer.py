"""What goes back to a client: a status and the bytes of a JSON document."""

from __future__ import annotations

from typing import NamedTuple


class Answer(NamedTuple):
    """The answer to one request; `wrote` says that a store which is to survive a loss of power has to be flushed."""

    status: int
    body: bytes
    wrote: bool
