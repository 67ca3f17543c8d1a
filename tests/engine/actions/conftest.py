"""The engine of the action tests: a table with a sort key, and one with a partition key only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import create, create_hash


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as made:
        create(made)
        create_hash(made)
        yield made


@pytest.fixture
def empty_engine() -> Iterator[Engine]:
    with Engine() as made:
        yield made
