"""Test helpers: a pytest fixture, Hypothesis strategies, a runner of stream handlers, assertions on requests and
capacity units, and the witness check.

pytest and Hypothesis are imported only if you use a name that needs them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from singletable.conformance.witness import WitnessDifference, WitnessReport, witness
    from singletable.testing.entity_strategies import items_of, objects_of
    from singletable.testing.fixtures import OpenTables, table_fixture
    from singletable.testing.recorded_usage import RecordedRequest, RecordedUsage, measure, uses, uses_at_most
    from singletable.testing.stream_runner import StreamRunner

_MODULES = {
    "OpenTables": "fixtures",
    "RecordedRequest": "recorded_usage",
    "RecordedUsage": "recorded_usage",
    "StreamRunner": "stream_runner",
    "WitnessDifference": "singletable.conformance.witness",
    "WitnessReport": "singletable.conformance.witness",
    "items_of": "entity_strategies",
    "measure": "recorded_usage",
    "objects_of": "entity_strategies",
    "table_fixture": "fixtures",
    "uses": "recorded_usage",
    "uses_at_most": "recorded_usage",
    "witness": "singletable.conformance.witness",
}

__all__ = [
    "OpenTables",
    "RecordedRequest",
    "RecordedUsage",
    "StreamRunner",
    "WitnessDifference",
    "WitnessReport",
    "items_of",
    "measure",
    "objects_of",
    "table_fixture",
    "uses",
    "uses_at_most",
    "witness",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULES[name]
    return getattr(importlib.import_module(module if "." in module else f"{__name__}.{module}"), name)
