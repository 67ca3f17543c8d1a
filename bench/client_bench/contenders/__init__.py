"""Contenders: the name of each, its library, and the modules that read and write with it.

Every contender environment imports this module, so it depends only on the standard library.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from bench.client_bench.orders import Order
from bench.client_bench.rows import BATCH, CREATE, MOVE, PUT, TRANSACTION, UPDATE

Mode = Literal["sync", "async"]
OURS = "singletable"


@dataclass(frozen=True)
class Reads:
    """Read functions of a contender: one order of a customer, and all orders of a customer.

    In async mode, they are coroutine functions.
    """

    get: Callable[[str, str], Any]
    query: Callable[[str], Any]
    close: Callable[[], Awaitable[None] | None] = lambda: None


@dataclass(frozen=True)
class Writes:
    """Write functions of a contender. In async mode, they are coroutine functions.

    `build` creates the object that `put`, `create`, `put_batch` and `transact` write. It is never measured. Updates
    fail if the order is not stored, and return the new object if the contender can.
    """

    build: Callable[[Order], Any]
    put: Callable[[Any], Any]
    create: Callable[[Any], Any]
    set_note: Callable[[str, str, str], Any]
    set_status: Callable[[str, str, str], Any]
    put_batch: Callable[[list[Any]], Any]
    transact: Callable[[list[Any]], Any]
    read_item: Callable[[dict[str, Any]], dict[str, Any] | None] | None = None
    """A function that reads the stored item of a key, for a table without a server."""
    close: Callable[[], Awaitable[None] | None] = lambda: None

    @property
    def calls(self) -> dict[str, Callable[..., Any]]:
        """The function of each row."""
        return {
            PUT: self.put,
            CREATE: self.create,
            UPDATE: self.set_note,
            MOVE: self.set_status,
            BATCH: self.put_batch,
            TRANSACTION: self.transact,
        }


@dataclass(frozen=True)
class Contender:
    """One way to read and write an order."""

    name: str
    module: str
    library: str
    modes: tuple[Mode, ...] = ("sync",)
    is_typed: bool = True
    writes: bool = True
    """Whether it takes part in the write rows."""

    def __str__(self) -> str:
        return self.name

    @property
    def is_ours(self) -> bool:
        """Whether it is singletable."""
        return self.library == OURS

    def load(self) -> Any:
        """Import the module that reads, with its library."""
        return import_module(f"bench.client_bench.contenders.{self.module}")

    def load_writes(self) -> Any:
        """Import the module that writes, with its library."""
        return import_module(f"bench.client_bench.contenders.{self.module}_writes")

    def open(self, mode: Mode, url: str) -> Any:
        """Return the read functions. In async mode, return a coroutine that returns them."""
        return getattr(self.load(), f"open_{mode}")(url)

    def open_writes(self, mode: Mode, url: str) -> Any:
        """Return the write functions. In async mode, return a coroutine that returns them."""
        return getattr(self.load_writes(), f"open_{mode}")(url)


BOTH: tuple[Mode, ...] = ("sync", "async")
CONTENDERS = (
    Contender("singletable, msgspec", "singletable_msgspec", OURS, BOTH),
    Contender("singletable, dataclass", "singletable_dataclass", OURS, BOTH),
    Contender("singletable, pydantic", "singletable_pydantic", OURS, BOTH),
    Contender("boto3 resource", "boto3_resource", "boto3"),
    Contender("boto3 client", "boto3_client", "boto3"),
    Contender("PynamoDB", "pynamodb_model", "pynamodb"),
    Contender("aiodynamo", "aiodynamo_dicts", "aiodynamo", ("async",), writes=False),
    Contender("pydynox Model", "pydynox_model", "pydynox", BOTH),
    Contender("pydynox dicts", "pydynox_dicts", "pydynox", BOTH, is_typed=False),
    Contender("dyntastic", "dyntastic_model", "dyntastic", writes=False),
)


def find_contender(name: str) -> Contender:
    """Return the contender of a name."""
    return next(contender for contender in CONTENDERS if contender.name == name)
