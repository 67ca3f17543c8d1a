"""Who is measured: each contender by its name, its library, and the module that reads with it.

Every environment loads this, so it needs nothing but Python.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

Mode = Literal["sync", "async"]
OURS = "singletable"


@dataclass(frozen=True)
class Reads:
    """Two functions of a customer: one of its orders by name, and all of them; coroutines in async mode."""

    get: Callable[[str, str], Any]
    query: Callable[[str], Any]
    close: Callable[[], Awaitable[None] | None] = lambda: None


@dataclass(frozen=True)
class Contender:
    """One way to read an order."""

    name: str
    module: str
    library: str
    modes: tuple[Mode, ...] = ("sync",)
    is_typed: bool = True

    def __str__(self) -> str:
        return self.name

    @property
    def is_ours(self) -> bool:
        """Whether it is singletable."""
        return self.library == OURS

    def load(self) -> Any:
        """Its module, with its library."""
        return import_module(f"bench.client_bench.contenders.{self.module}")

    def open(self, mode: Mode, url: str) -> Any:
        """Its Reads, in this environment; in async mode a coroutine that gives them."""
        return getattr(self.load(), f"open_{mode}")(url)


BOTH: tuple[Mode, ...] = ("sync", "async")
CONTENDERS = (
    Contender("singletable, msgspec", "singletable_msgspec", OURS, BOTH),
    Contender("singletable, dataclass", "singletable_dataclass", OURS, BOTH),
    Contender("singletable, pydantic", "singletable_pydantic", OURS, BOTH),
    Contender("boto3 resource", "boto3_resource", "boto3"),
    Contender("boto3 client", "boto3_client", "boto3"),
    Contender("PynamoDB", "pynamodb_model", "pynamodb"),
    Contender("aiodynamo", "aiodynamo_dicts", "aiodynamo", ("async",)),
    Contender("pydynox Model", "pydynox_model", "pydynox", BOTH),
    Contender("pydynox dicts", "pydynox_dicts", "pydynox", BOTH, is_typed=False),
    Contender("dyntastic", "dyntastic_model", "dyntastic"),
)


def named(name: str) -> Contender:
    """The contender of a name."""
    return next(contender for contender in CONTENDERS if contender.name == name)
