"""The server that the clients of one worker share; each has tables of its own."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.clients.serving import Served, serve


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served, None, None]:
    with serve(tmp_path_factory.mktemp("served") / "clients.db") as running:
        yield running
