"""The engine that the tests of actions start with: a table of two keys, and one with a partition key only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine.engine import Engine

pytest.register_assert_rewrite("tests.engine.tables")

from tests.engine.tables import create, create_hash  # noqa: E402  # after it is known whose assertions are explained


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
