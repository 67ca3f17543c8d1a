"""pytest plugin: the `open_table` fixture, `--singletable-url`, and `--dynamodb-catalogue` to record requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from singletable.catalogue import Recording
    from singletable.testing.fixtures import OpenTables


_RECORDING: pytest.StashKey[Recording] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--singletable-url` and `--dynamodb-catalogue`."""
    group = parser.getgroup("singletable")
    group.addoption(
        "--singletable-url",
        metavar="URL",
        help="the place where tests open their tables: memory: (default), file:PATH, http://HOST:PORT or "
        "dynamodb://REGION",
    )
    group.addoption(
        "--dynamodb-catalogue",
        metavar="FILE",
        help="append the DynamoDB requests that the tests send with boto3 to a catalogue, without their values; "
        "singletable catalogue FILE lists their access patterns",
    )
    parser.addini("dynamodb_catalogue", "the default of --dynamodb-catalogue, relative to the root directory")


def pytest_configure(config: pytest.Config) -> None:
    """Start recording if the user wants a catalogue. Each worker of pytest-xdist records its own requests."""
    option, default = config.getoption("--dynamodb-catalogue"), config.getini("dynamodb_catalogue")
    if not option and not default:
        return
    from singletable.catalogue import install
    from singletable.errors import ArgumentRefused

    file = config.invocation_params.dir / option if option else config.rootpath / default
    try:
        config.stash[_RECORDING] = install(file, source="pytest")
    except (ArgumentRefused, ModuleNotFoundError) as problem:
        raise pytest.UsageError(str(problem)) from None


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop recording."""
    if (recording := config.stash.get(_RECORDING, None)) is not None:
        recording.uninstall()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the catalogue, and the command that reads it."""
    if (recording := config.stash.get(_RECORDING, None)) is not None:
        terminalreporter.write_line(f"DynamoDB requests: singletable catalogue {recording.path}")


@pytest.fixture
def open_table(request: pytest.FixtureRequest) -> Iterator[OpenTables]:
    """Open tables that only this test uses: `shop = open_table(Shop, items=[...])`."""
    from singletable.testing.fixtures import MEMORY, URL_OPTION, Items, T, own_table

    with ExitStack() as stack:

        def opened(table: type[T], *, items: Items = (), url: str | None = None, **options: Any) -> T:
            chosen = url or request.config.getoption(URL_OPTION, default=None) or MEMORY
            return stack.enter_context(own_table(table, items, chosen, options))

        yield opened
