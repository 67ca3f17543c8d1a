"""The engine that the tests of actions start with: a table of two keys, and one with a partition key only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine
from tests.engine.tables import create, create_hash


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
