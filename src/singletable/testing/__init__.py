"""For the tests of those who use a table: a fixture, objects made by Hypothesis, and what a block of code consumed.

Neither pytest nor Hypothesis is loaded before a name that needs it is asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from singletable.testing.fixtures import OpenTables, table_fixture
    from singletable.testing.objects import objects_of
    from singletable.testing.related import items_of
    from singletable.testing.used import Made, Used, measured, uses, uses_at_most

_MODULES = {
    "Made": "used",
    "OpenTables": "fixtures",
    "Used": "used",
    "items_of": "related",
    "measured": "used",
    "objects_of": "objects",
    "table_fixture": "fixtures",
    "uses": "used",
    "uses_at_most": "used",
}

__all__ = [
    "Made",
    "OpenTables",
    "Used",
    "items_of",
    "measured",
    "objects_of",
    "table_fixture",
    "uses",
    "uses_at_most",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
