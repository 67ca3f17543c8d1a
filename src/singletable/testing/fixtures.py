"""Tables for single tests: each test has its own, on the embedded engine or wherever a URL leads."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, Protocol, TypeVar
from uuid import uuid4

import pytest

from singletable.client.steps import Call
from singletable.client.table import Table

T = TypeVar("T", bound=Table)
Items = Iterable[object] | Callable[[], Iterable[object]]
Scope = Literal["session", "package", "module", "class", "function"]

MEMORY = "memory:"
URL_OPTION = "singletable_url"


class OpenTables(Protocol):
    """What the fixture `open_table` gives: a table of one's own, as often as it is called."""

    def __call__(self, table: type[T], *, items: Items = (), url: str | None = None, **options: Any) -> T:
        """An open table with these items in it, closed at the end of the test."""
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
    """A pytest fixture that gives each test a table of its own: `shop = table_fixture(Shop)` in `conftest.py`.

    The table is new, open, and has `items` in it (objects, or a function that makes them). It is in memory, unless
    `url` or `pytest --singletable-url` say otherwise; elsewhere it gets a name of its own, and is deleted after the
    test. Further options are those of `Table.open`.
    """

    def opened(request: pytest.FixtureRequest) -> Iterator[Table]:
        chosen = url or request.config.getoption(URL_OPTION, default=None) or MEMORY
        with own_table(table, items, chosen, options) as own:
            yield own

    opened.__doc__ = f"{table.__name__}, new for each {scope}."
    return pytest.fixture(scope=scope, name=name)(opened)


@contextmanager
def own_table(table: type[T], items: Items, url: str, options: dict[str, Any]) -> Generator[T, None, None]:
    """A table that nobody else has."""
    if url == MEMORY:
        with table.open(url, **options) as opened:
            yield _filled(opened, items)
        return
    options = {"name": f"{table.design.name}-{uuid4().hex}", "create": True, **options}
    with table.open(url, **options) as opened:
        try:
            yield _filled(opened, items)
        finally:
            with table.open(url, **options) as again:  # the test may have closed its own
                session = again._opened().session
                session.ask(Call("DeleteTable", {"TableName": options["name"]}))


def _filled(opened: T, items: Items) -> T:
    for each in items() if callable(items) else items:
        opened.put(each)
    return opened
