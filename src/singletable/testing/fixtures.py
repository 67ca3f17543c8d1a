"""A pytest fixture that gives every test its own table, in memory or at a URL."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, Protocol, TypeVar
from uuid import uuid4

import pytest

from singletable.client.request_steps import Call
from singletable.client.table import Table

T = TypeVar("T", bound=Table)
Items = Iterable[object] | Callable[[], Iterable[object]]
Scope = Literal["session", "package", "module", "class", "function"]

MEMORY = "memory:"
URL_OPTION = "singletable_url"


class OpenTables(Protocol):
    """The type of the `open_table` fixture. Every call opens a new table."""

    def __call__(self, table: type[T], *, items: Items = (), url: str | None = None, **options: Any) -> T:
        """Open a table that contains `items`. It is closed at the end of the test."""
        ...


def table_fixture(
    table: type[Table],
    *,
    items: Items = (),
    url: str | None = None,
    scope: Scope = "function",
    name: str | None = None,
    **options: Any,
) -> Any:
    """Return a pytest fixture that gives each test its own table: `shop = table_fixture(Shop)` in `conftest.py`.

    The table is new and open, and contains `items` (objects, or a function that returns them). It is in memory, unless
    you pass `url` or run `pytest --singletable-url`. At a URL, the table gets a unique name, and the fixture deletes it
    after the test. All other options are passed to `Table.open`.
    """

    def opened(request: pytest.FixtureRequest) -> Iterator[Table]:
        chosen = url or request.config.getoption(URL_OPTION, default=None) or MEMORY
        with own_table(table, items, chosen, options) as own:
            yield own

    opened.__doc__ = f"{table.__name__}, new for each {scope}."
    return pytest.fixture(scope=scope, name=name)(opened)


@contextmanager
def own_table(table: type[T], items: Items, url: str, options: dict[str, Any]) -> Generator[T, None, None]:
    """Open a new table with a unique name. At the end, delete it unless it is in memory."""
    if url == MEMORY:
        with table.open(url, **options) as opened:
            yield _filled(opened, items)
        return
    options = {"name": f"{table.design.name}-{uuid4().hex}", "create": True, **options}
    with table.open(url, **options) as opened:
        try:
            yield _filled(opened, items)
        finally:
            with table.open(url, **options) as again:  # the test may have closed its table
                session = again._opened().session
                session.send(Call("DeleteTable", {"TableName": options["name"]}))


def _filled(opened: T, items: Items) -> T:
    for each in items() if callable(items) else items:
        opened.put(each)
    return opened
