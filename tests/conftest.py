"""How long and how loudly properties are tried: HYPOTHESIS_PROFILE is `default`, `ci` or `long`."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# Assertions that several tests share are explained too; this has to be known before the first of them is imported.
pytest.register_assert_rewrite("tests.engine.tables")

# A deadline would make a timing pass or fail. The blob is what repeats a failure somewhere else.
settings.register_profile("default", deadline=None, max_examples=100, print_blob=True)
# The build server is done within fifteen minutes; each of its runs tries other examples.
settings.register_profile("ci", deadline=None, max_examples=50, print_blob=True, derandomize=False)
settings.register_profile("long", deadline=None, max_examples=20_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a test whose name another process would spell otherwise: the parts of a parallel run must agree on it."""
    for item in items:
        given = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
        if any(isinstance(value, set | frozenset) and len(value) > 1 and str(value) in item.name for value in given):
            raise pytest.UsageError(f"{item.nodeid} is named by a set, in no fixed order: give it ids=[...]")
