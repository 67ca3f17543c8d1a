"""Hypothesis profiles, selected by HYPOTHESIS_PROFILE: `default`, `ci` or `long`."""

from __future__ import annotations

import gc
import os
from itertools import count

import pytest
from hypothesis import settings

# Show the values of failed assertions in shared test modules too. This must run before they are imported.
pytest.register_assert_rewrite("tests.engine.table_requests")

# There is no deadline, so that a slow machine does not fail a test. The printed blob reproduces a failure on another
# machine.
settings.register_profile("default", deadline=None, max_examples=100, print_blob=True)
# CI uses the same examples every time. Elsewhere, `make test` and `make properties` search for new examples.
settings.register_profile("ci", deadline=None, max_examples=50, print_blob=True, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=20_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Raise an error for test ids that contain sets, because their order differs between the processes of a parallel
    run.
    """
    for item in items:
        given = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
        if any(isinstance(value, set | frozenset) and len(value) > 1 and str(value) in item.name for value in given):
            raise pytest.UsageError(
                f"{item.nodeid}: the id contains a set, whose order is not fixed; pass ids=[...] to parametrize"
            )


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection: each full collection over all of them takes a second."""
    gc.collect()
    gc.freeze()


TESTS_PER_FREEZE = 200
_ended_tests = count(1)


def pytest_runtest_logfinish() -> None:
    """Now and then, exclude what the tests have left in caches, for the same reason."""
    if next(_ended_tests) % TESTS_PER_FREEZE == 0:
        gc.collect()
        gc.freeze()


def pytest_unconfigure() -> None:
    """Let the interpreter delete these objects at its end; otherwise, the binding code of DuckDB reports leaks."""
    gc.unfreeze()
