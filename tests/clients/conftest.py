"""One server per pytest worker. Each client uses its own tables."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.clients.local_server import LocalServer, serve


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[LocalServer, None, None]:
    with serve(tmp_path_factory.mktemp("served") / "clients.db") as running:
        yield running
