"""Tables for the tests of the data layer, on every transport there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.shop import Shop


@pytest.fixture(params=["memory", "file"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory:" if request.param == "memory" else f"file:{tmp_path}/shop.db"


@pytest.fixture
def shop(url: str) -> Iterator[Shop]:
    with Shop.open(url, create=True) as opened:
        yield opened
