"""pytest plugin: the `open_table` fixture and the `--singletable-url` option."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from singletable.testing.fixtures import OpenTables


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--singletable-url`."""
    group = parser.getgroup("singletable")
    group.addoption(
        "--singletable-url",
        metavar="URL",
        help="the place where tests open their tables: memory: (default), file:PATH, http://HOST:PORT or "
        "dynamodb://REGION",
    )


@pytest.fixture
def open_table(request: pytest.FixtureRequest) -> Iterator[OpenTables]:
    """Open tables that only this test uses: `shop = open_table(Shop, items=[...])`."""
    from singletable.testing.fixtures import MEMORY, URL_OPTION, Items, T, own_table

    with ExitStack() as stack:

        def opened(table: type[T], *, items: Items = (), url: str | None = None, **options: Any) -> T:
            chosen = url or request.config.getoption(URL_OPTION, default=None) or MEMORY
            return stack.enter_context(own_table(table, items, chosen, options))

        yield opened
