"""Requests as they are seen from outside, when they are over: by a hook of the user's own, or as spans."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from singletable.errors import RequestRefused, Unreachable

asking: ContextVar[str | None] = ContextVar("asking", default=None)
"""The pattern whose requests are made, while somebody watches them."""


@dataclass
class Watched:
    """One request as a hook sees it, when it is over: how often it was sent, how long it took, why it was refused."""

    operation: str
    parameters: dict[str, Any]
    attempts: int
    seconds: float
    refusal: RequestRefused | Unreachable | None = None
    pattern: str | None = None
    """The pattern that asked; None for a read or a write by key and object."""


Hook = Callable[[Watched], None]
